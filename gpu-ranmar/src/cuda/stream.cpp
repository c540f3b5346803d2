// Refills by a CUDA device: what it makes, copied to the caller's memory by a second CUDA stream.
#include "ranmar/cuda/stream.hpp"

#include <mutex>

#include "ranmar/cuda/sequence.hpp"
#include "src/blocks.hpp"
#include "src/cuda/runtime.hpp"

namespace ranmar::cuda {
namespace {

using Queue = std::unique_ptr<CUstream_st, GiveBack<cudaStreamDestroy>>;

Queue new_queue() {
  cudaStream_t stream = nullptr;
  CUDA_CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
  return Queue(stream);
}

// What all streams of a device share. It is made and destroyed with the device current.
struct Engine {
  struct Piece {
    Memory memory = new_memory(Stream<Form48>::kPieceBytes);
    Event made = new_event(), copied = new_event();
  };
  explicit Engine(int number) : device(number) {}

  int device;
  Queue make = new_queue(), copy = new_queue();
  std::array<Piece, Stream<Form48>::kStagedPieces> pieces;
  std::size_t next = 0;
  std::mutex mutex;
};

std::shared_ptr<Engine> engine_of(int device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Engine>> engines;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Engine> engine = engines[device].lock();
  if (engine == nullptr) engines[device] = engine = std::make_shared<Engine>(device);
  return engine;
}

template <class Form>
struct Device final : RefillDevice<Form> {
  using Real = typename Form::Real;

  std::shared_ptr<Engine> engine;
  Sequence<Form> sequence;

  // With the device current.
  Device(const State<Form>& start, int device) : engine(engine_of(device)), sequence(start) {}

  ~Device() override {
    const CurrentDevice current(engine->device, std::nothrow);
    cudaStreamSynchronize(engine->copy.get());
    cudaStreamSynchronize(engine->make.get());
    cudaGetLastError();
    const Sequence<Form> gone = std::move(sequence);  // while the device is current
    engine.reset();
  }

  void one_piece(Real* out, std::size_t n) {
    auto *const make = engine->make.get(), *const copy = engine->copy.get();
    Engine::Piece& piece = engine->pieces[engine->next];
    engine->next = (engine->next + 1) % engine->pieces.size();
    CUDA_CALL(cudaStreamWaitEvent, make, piece.copied.get(), 0);
    sequence.fill(static_cast<Real*>(piece.memory.get()), n, make);
    CUDA_CALL(cudaEventRecord, piece.made.get(), make);
    CUDA_CALL(cudaStreamWaitEvent, copy, piece.made.get(), 0);
    CUDA_CALL(cudaMemcpyAsync, out, piece.memory.get(), n * sizeof(*out), cudaMemcpyDeviceToHost, copy);
    CUDA_CALL(cudaEventRecord, piece.copied.get(), copy);
  }

  std::shared_ptr<void> ask(Real* out, std::size_t n) override {
    const CurrentDevice current(engine->device);
    const std::shared_ptr<CUevent_st> delivered(new_event().release(),
                                                [device = engine->device](auto* event) {
                                                  const CurrentDevice current(device, std::nothrow);
                                                  cudaEventDestroy(event);
                                                });
    const std::size_t piece = piece_of(n, Stream<Form>::kPieceBytes / sizeof(*out));
    const std::lock_guard lock(engine->mutex);
    inject(engine->make.get());
    for (std::size_t done = 0; done < n; done += piece) one_piece(out + done, std::min(n - done, piece));
    CUDA_CALL(cudaEventRecord, delivered.get(), engine->copy.get());
    return delivered;
  }

  void wait_for(const std::shared_ptr<void>& delivered) override {
    const CurrentDevice current(engine->device);
    CUDA_CALL(cudaEventSynchronize, static_cast<cudaEvent_t>(delivered.get()));
  }

  [[nodiscard]] bool is_over(const std::shared_ptr<void>& delivered) const override {
    const CurrentDevice current(engine->device, std::nothrow);
    return cudaEventQuery(static_cast<cudaEvent_t>(delivered.get())) != cudaErrorNotReady;
  }
};

template <class Form>
std::unique_ptr<RefillDevice<Form>> device_of(const State<Form>& start, int device) {
  std::string why;
  const int devices = device_count(&why);
  if (devices == 0) throw Error("cudaGetDeviceCount: " + why);
  if (device < 0 || device >= devices)
    throw Error("no CUDA device " + std::to_string(device) + ": there are " + std::to_string(devices));
  const CurrentDevice current(device);
  return std::make_unique<Device<Form>>(start, device);
}

}  // namespace

#ifndef RANMAR_FAULTS
[[gnu::weak]] void inject(cudaStream_t /*stream*/) {}
#endif

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
  CUDA_CALL(cudaHostRegister, memory, bytes, cudaHostRegisterPortable);
}

Pinned::~Pinned() {
  const CurrentDevice current(device_, std::nothrow);
  cudaHostUnregister(memory_);
  cudaGetLastError();
}

template <class Form>
Stream<Form>::Stream(const State<Form>& start, int device)
    : Refills<Form>(start, device_of<Form>(start, device)) {}

template class Stream<Form48>;
template class Stream<Form24>;
template class Stream<FormExtended48>;

}  // namespace ranmar::cuda
