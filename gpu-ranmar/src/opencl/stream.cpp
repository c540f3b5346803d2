// Refills of one sequence: what an OpenCL device makes, copied to the caller's memory by a second command
// queue.
#include "ranmar/opencl/stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "ranmar/fill.hpp"
#include "ranmar/jump.hpp"
#include "src/blocks.hpp"
#include "src/opencl/fault.hpp"

namespace ranmar::opencl {
namespace {

constexpr std::chrono::microseconds kPause(50);  // between two looks at what is waited for

// What all streams of a device share.
struct Engine {
  struct Piece {
    Shared<cl_mem> memory;
    Shared<cl_event> copied;
  };

  explicit Engine(cl_device_id id) : device(id) {
    const cl_context_properties* none = nullptr;
    void(CL_CALLBACK * nobody)(const char*, const void*, std::size_t, void*) = nullptr;
    void* nothing = nullptr;
    context = created<cl_context>("clCreateContext", Fault::kNoDevice, api().clReleaseContext,
                                  api().clCreateContext, none, cl_uint{1}, &device, nobody, nothing);
    for (auto* queue : {&make, &copy}) {
      *queue = created<cl_command_queue>("clCreateCommandQueue", Fault::kNoDevice,
                                         api().clReleaseCommandQueue, api().clCreateCommandQueue,
                                         context.get(), device, cl_command_queue_properties{0});
    }
    for (Piece& piece : pieces) {
      piece.memory = created<cl_mem>("clCreateBuffer", Fault::kOutOfMemory, api().clReleaseMemObject,
                                     api().clCreateBuffer, context.get(), cl_mem_flags{CL_MEM_READ_WRITE},
                                     Stream<Form48>::kPieceBytes, nothing);
    }
  }

  cl_device_id device;
  Shared<cl_context> context;
  Shared<cl_command_queue> make, copy;
  std::array<Piece, Stream<Form48>::kStagedPieces> pieces;
  std::size_t next = 0;
  std::mutex mutex;
};

std::shared_ptr<Engine> engine_of(int number) {
  static std::mutex mutex;
  static std::map<cl_device_id, std::weak_ptr<Engine>> engines;
  std::string why;
  const auto found = devices(&why);
  if (found.empty()) throw Error(Fault::kNoDevice, why);
  if (number < 0 || static_cast<std::size_t>(number) >= found.size()) {
    throw Error(Fault::kNoDevice,
                "no OpenCL device " + std::to_string(number) + ": there are " + std::to_string(found.size()));
  }
  const cl_device_id device = found[static_cast<std::size_t>(number)].id;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Engine> engine = engines[device].lock();
  if (engine == nullptr) engines[device] = engine = std::make_shared<Engine>(device);
  return engine;
}

// CL_COMPLETE, a state before it, which is above, or an error, which is below.
cl_int status_of(const Shared<cl_event>& event) {
  cl_int status = CL_COMPLETE;
  if (event == nullptr) return status;
  check(api().clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "clGetEventInfo", Fault::kLost);
  return status;
}

// The status; throws where a command ended in an error.
cl_int need_alive(cl_int status) {
  if (status >= CL_COMPLETE) return status;
  throw Error(Fault::kLost,
              "clEnqueueReadBuffer: the device stopped working: OpenCL's error " + std::to_string(status));
}

}  // namespace

template <class Form>
struct Stream<Form>::Impl {
  struct Refill {
    std::size_t numbers;
    Shared<cl_event> delivered;
  };

  State<Form> start;
  std::shared_ptr<Engine> engine;
  Sequence<Form> sequence;
  std::deque<Refill> refills = {};
  std::uint64_t delivered = 0;
  bool failed = false;

  Impl(const State<Form>& from, int device)
      : start(from), engine(engine_of(device)), sequence(from, engine->make.get()) {}

  // Compilers differ from device to device: one whose numbers are not the CPU's is not used.
  void compare() {
    using Real = typename Form::Real;
    constexpr std::size_t kN = 3001, kInstances = 3;
    const std::lock_guard lock(engine->mutex);
    Sequence<Form> trial(start, engine->make.get(), kInstances, {.least_rows = 3});
    cl_mem const memory = engine->pieces[0].memory.get();
    if (engine->pieces[0].copied != nullptr)
      check(api().clFinish(engine->copy.get()), "clFinish", Fault::kLost);
    for (int fill = 0; fill < 2; ++fill) {
      std::vector<Real> expected(kN * kInstances), got(kN * kInstances);
      for (std::size_t k = 0; k < kInstances; ++k) {
        auto state = trial.state(static_cast<int>(k));
        fill_reference(state, expected.data() + k * kN, kN);
      }
      trial.fill(memory, kN);
      check(api().clEnqueueReadBuffer(engine->make.get(), memory, CL_TRUE, 0, got.size() * sizeof(Real),
                                      got.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer", Fault::kCopy);
      if (std::memcmp(expected.data(), got.data(), got.size() * sizeof(Real)) != 0)
        throw Error(Fault::kOther, "the device's numbers are not those of the CPU");
    }
  }

  void one_piece(typename Form::Real* out, std::size_t n, Injected fault) {
    Engine::Piece& piece = engine->pieces[engine->next];
    engine->next = (engine->next + 1) % engine->pieces.size();
    cl_command_queue const make = engine->make.get(), copy = engine->copy.get();
    if (need_alive(status_of(piece.copied)) > CL_COMPLETE) {
      cl_event const copied = piece.copied.get();
      check(api().clEnqueueBarrierWithWaitList(make, 1, &copied, nullptr), "clEnqueueBarrierWithWaitList",
            Fault::kLaunch);
    }
    const Shared<cl_event> lost = inject(fault, engine->context.get(), make, piece.memory.get());
    sequence.fill(piece.memory.get(), n);
    cl_event made = nullptr, copied = nullptr;
    check(api().clEnqueueMarkerWithWaitList(make, 0, nullptr, &made), "clEnqueueMarkerWithWaitList",
          Fault::kLaunch);
    const Shared<cl_event> until(made, api().clReleaseEvent);
    check(api().clFlush(make), "clFlush", Fault::kLaunch);
    check(api().clEnqueueReadBuffer(copy, piece.memory.get(), CL_FALSE, 0, n * sizeof(*out), out, 1, &made,
                                    &copied),
          "clEnqueueReadBuffer", Fault::kCopy);
    piece.copied = {copied, api().clReleaseEvent};
    if (lost != nullptr) piece.copied = lost;
    check(api().clFlush(copy), "clFlush", Fault::kCopy);
  }

  void refill(typename Form::Real* out, std::size_t n) {
    if (failed) throw Error(Fault::kOther, "refill: this stream has failed before");
    const Injected fault = next_refill();
    failed = true;  // until all is under way
    Refill refill{n, nullptr};
    const std::size_t piece = piece_of(n, kPieceBytes / sizeof(*out));
    const std::lock_guard lock(engine->mutex);
    for (std::size_t done = 0; done < n; done += piece) {
      one_piece(out + done, std::min(n - done, piece), done == 0 ? fault : Injected::kNone);
      refill.delivered = engine->pieces[(engine->next + kStagedPieces - 1) % kStagedPieces].copied;
    }
    refills.push_back(std::move(refill));
    failed = false;
  }

  void wait() {
    if (refills.empty()) return;
    const bool failed_before = std::exchange(failed, true);  // until it is known better
    while (need_alive(status_of(refills.front().delivered)) > CL_COMPLETE)
      std::this_thread::sleep_for(kPause);
    failed = failed_before;
    delivered += refills.front().numbers;
    refills.pop_front();
  }
};

template <class Form>
Stream<Form>::Stream(const State<Form>& start, int device) : impl_(std::make_unique<Impl>(start, device)) {
  impl_->compare();
}

template <class Form>
Stream<Form>::~Stream() {
  // Copies to the caller's memory, also those of a refill that failed half-way.
  api().clFinish(impl_->engine->make.get());
  api().clFinish(impl_->engine->copy.get());
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
  return impl_->refills.empty() || status_of(impl_->refills.front().delivered) <= CL_COMPLETE;
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
State<Form> Stream<Form>::state_at(std::uint64_t position) const {
  State<Form> state = impl_->start;
  jump(state, static_cast<std::int64_t>(position));
  return state;
}

template class Stream<Form48>;
template class Stream<Form24>;
template class Stream<FormExtended48>;

}  // namespace ranmar::opencl
