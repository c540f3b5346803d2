// Refills of one sequence: what a device makes, copied to the caller's memory by a second CUDA stream.
#include "ranmar/cuda/stream.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "ranmar/cuda/sequence.hpp"
#include "ranmar/jump.hpp"
#include "src/blocks.hpp"
#include "src/cuda/check.hpp"
#include "src/cuda/current_device.hpp"
#include "src/cuda/event.hpp"
#include "src/cuda/fault.hpp"

namespace ranmar::cuda {
namespace {

// What all streams of a device share.
struct Engine {
  struct Piece {
    void* memory = nullptr;
    Event made;
    Event copied;
  };

  // With the device current. Delegating, so that a failure half-way gives everything back.
  explicit Engine(int number) : Engine(number, Nothing{}) {
    check(cudaStreamCreateWithFlags(&make, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
          Fault::kNoDevice);
    check(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
          Fault::kNoDevice);
    for (Piece& piece : pieces) {
      check(cudaMalloc(&piece.memory, Stream<Form48>::kPieceBytes), "cudaMalloc", Fault::kOutOfMemory);
    }
  }
  ~Engine() {
    const CurrentDevice current(device, std::nothrow);
    for (Piece& piece : pieces) cudaFree(piece.memory);
    if (copy != nullptr) cudaStreamDestroy(copy);
    if (make != nullptr) cudaStreamDestroy(make);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  int device;
  cudaStream_t make = nullptr;
  cudaStream_t copy = nullptr;
  std::array<Piece, Stream<Form48>::kStagedPieces> pieces;
  std::size_t next = 0;
  std::mutex mutex;

 private:
  struct Nothing {};
  Engine(int number, Nothing) : device(number) {}
};

std::shared_ptr<Engine> engine_of(int device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Engine>> engines;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Engine> engine = engines[device].lock();
  if (engine == nullptr) engines[device] = engine = std::make_shared<Engine>(device);
  return engine;
}

}  // namespace

int device_count(std::string* why) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  if (why != nullptr) *why = code == cudaSuccess ? "no CUDA device" : cudaGetErrorString(code);
  return 0;
}

Pinned::Pinned(void* memory, std::size_t bytes, int device) : memory_(memory), device_(device) {
  const CurrentDevice current(device_);
  check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable), "cudaHostRegister", Fault::kOutOfMemory);
}

Pinned::~Pinned() {
  const CurrentDevice current(device_, std::nothrow);
  cudaHostUnregister(memory_);
  cudaGetLastError();
}

template <class Form>
struct Stream<Form>::Impl {
  struct Refill {
    std::size_t numbers;
    Event delivered;
  };

  State<Form> start;
  std::shared_ptr<Engine> engine;
  Sequence<Form> sequence;
  std::deque<Refill> refills;
  std::uint64_t delivered = 0;
  bool failed = false;

  // With the device current.
  Impl(const State<Form>& from, int device) : start(from), engine(engine_of(device)), sequence(from) {}

  void one_piece(typename Form::Real* out, std::size_t n, Injected fault) {
    Engine::Piece& piece = engine->pieces[engine->next];
    engine->next = (engine->next + 1) % engine->pieces.size();
    check(cudaStreamWaitEvent(engine->make, piece.copied.get(), 0), "cudaStreamWaitEvent", Fault::kLaunch);
    if (fault != Injected::kCopy) inject(fault, engine->make);
    sequence.fill(static_cast<typename Form::Real*>(piece.memory), n, engine->make);
    check(cudaEventRecord(piece.made.get(), engine->make), "cudaEventRecord", Fault::kLaunch);
    check(cudaStreamWaitEvent(engine->copy, piece.made.get(), 0), "cudaStreamWaitEvent", Fault::kCopy);
    if (fault == Injected::kCopy) inject(fault, engine->copy);
    check(cudaMemcpyAsync(out, piece.memory, n * sizeof(*out), cudaMemcpyDeviceToHost, engine->copy),
          "cudaMemcpyAsync", Fault::kCopy);
    check(cudaEventRecord(piece.copied.get(), engine->copy), "cudaEventRecord", Fault::kCopy);
  }

  void refill(typename Form::Real* out, std::size_t n) {
    if (failed) throw Error(Fault::kOther, "refill: this stream has failed before");
    const Injected fault = next_refill();
    failed = true;  // until all is under way
    const CurrentDevice current(engine->device);
    Refill refill{n, Event()};
    {
      const std::size_t piece = piece_of(n, kPieceBytes / sizeof(*out));
      const std::lock_guard lock(engine->mutex);
      for (std::size_t done = 0; done < n; done += piece) {
        one_piece(out + done, std::min(n - done, piece), done == 0 ? fault : Injected::kNone);
      }
      check(cudaEventRecord(refill.delivered.get(), engine->copy), "cudaEventRecord", Fault::kCopy);
    }
    refills.push_back(std::move(refill));
    failed = false;
  }

  void wait() {
    if (refills.empty()) return;
    const bool failed_before = std::exchange(failed, true);  // until it is known better
    const CurrentDevice current(engine->device);
    check(cudaEventSynchronize(refills.front().delivered.get()), "cudaEventSynchronize", Fault::kLost);
    failed = failed_before;
    delivered += refills.front().numbers;
    refills.pop_front();
  }
};

template <class Form>
Stream<Form>::Stream(const State<Form>& start, int device) {
  std::string why;
  const int devices = device_count(&why);
  if (devices == 0)
    throw Error(why == "no CUDA device" ? Fault::kNoDevice : Fault::kNoDriver, "cudaGetDeviceCount: " + why);
  if (device < 0 || device >= devices) {
    throw Error(Fault::kNoDevice,
                "no CUDA device " + std::to_string(device) + ": there are " + std::to_string(devices));
  }
  const CurrentDevice current(device);
  impl_ = std::make_unique<Impl>(start, device);
}

template <class Form>
Stream<Form>::~Stream() {
  if (impl_ == nullptr) return;
  const CurrentDevice current(impl_->engine->device, std::nothrow);
  // Copies to the caller's memory, also those of a refill that failed half-way.
  cudaStreamSynchronize(impl_->engine->copy);
  cudaStreamSynchronize(impl_->engine->make);
  cudaGetLastError();
  impl_.reset();
}

template <class Form>
void Stream<Form>::refill(typename Form::Real* out, std::size_t n) {
  if (n > 0 && out == nullptr) throw std::invalid_argument("out is a null pointer");
  impl_->refill(out, n);
}

template <class Form>
void Stream<Form>::wait() {
  impl_->wait();
}

template <class Form>
bool Stream<Form>::ready() const {
  if (impl_->refills.empty()) return true;
  const CurrentDevice current(impl_->engine->device, std::nothrow);
  return cudaEventQuery(impl_->refills.front().delivered.get()) != cudaErrorNotReady;
}

template <class Form>
std::size_t Stream<Form>::in_flight() const {
  return impl_->refills.size();
}

template <class Form>
std::uint64_t Stream<Form>::delivered() const {
  return impl_->delivered;
}

template <class Form>
State<Form> Stream<Form>::state() const {
  return state_at(impl_->delivered);
}

template <class Form>
State<Form> Stream<Form>::state_at(std::uint64_t position) const {
  State<Form> state = impl_->start;
  jump(state, static_cast<std::int64_t>(position));
  return state;
}

template class Stream<Form48>;
template class Stream<Form24>;
template class Stream<FormExtended48>;

}  // namespace ranmar::cuda
