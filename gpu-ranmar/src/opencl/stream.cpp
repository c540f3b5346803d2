// Refills of one sequence: what an OpenCL device makes, copied to the caller's memory by the same command
// queue.
#include <chrono>
#include <cstring>
#include <deque>
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

cl_device_id device_of(int number) {
  std::string why;
  const auto found = devices(&why);
  if (found.empty()) throw Error(Fault::kNoDevice, why);
  if (number >= 0 && static_cast<std::size_t>(number) < found.size())
    return found[static_cast<std::size_t>(number)].id;
  throw Error(Fault::kNoDevice,
              "no OpenCL device " + std::to_string(number) + ": there are " + std::to_string(found.size()));
}

}  // namespace

template <class Form>
struct Stream<Form>::Impl {
  using Real = typename Form::Real;
  struct Refill {
    std::size_t numbers;
    Shared<cl_event> delivered;
  };

  State<Form> start;
  cl_device_id device;
  Shared<cl_context> context = context_of(device);
  Shared<cl_command_queue> queue = queue_of(context.get(), device);
  Shared<cl_mem> piece = buffer_of(context.get(), kPieceBytes);
  Sequence<Form> sequence{start, queue.get()};
  std::deque<Refill> refills = {};
  std::uint64_t delivered = 0;
  bool failed = false;

  // Copies to the caller's memory, also those of a refill that failed half-way.
  ~Impl() { api().clFinish(queue.get()); }

  // What `made` put into the piece, to the host.
  Shared<cl_event> copy(Real* out, std::size_t n, bool wait) {
    cl_event copied = nullptr;
    check(api().clEnqueueReadBuffer(queue.get(), piece.get(), wait, 0, n * sizeof(*out), out, 0, nullptr,
                                    &copied),
          "clEnqueueReadBuffer", Fault::kCopy);
    return {copied, api().clReleaseEvent};
  }

  // Compilers differ from device to device: one whose numbers are not the CPU's is not used.
  void compare() {
    constexpr std::size_t kN = 3001, kInstances = 3;
    Sequence<Form> trial(start, queue.get(), kInstances, {.least_rows = 3});
    for (int fill = 0; fill < 2; ++fill) {
      std::vector<Real> expected(kN * kInstances), got(kN * kInstances);
      for (std::size_t k = 0; k < kInstances; ++k) {
        auto state = trial.state(static_cast<int>(k));
        fill_reference(state, expected.data() + k * kN, kN);
      }
      trial.fill(piece.get(), kN);
      copy(got.data(), got.size(), true);
      if (std::memcmp(expected.data(), got.data(), got.size() * sizeof(Real)) != 0)
        throw Error(Fault::kOther, "the device's numbers are not those of the CPU");
    }
  }

  void refill(Real* out, std::size_t n) {
    if (failed) throw Error(Fault::kOther, "refill: this stream has failed before");
    failed = true;  // until all is under way
    Refill refill{n, inject(next_refill(), context.get(), queue.get(), piece.get())};
    const std::size_t most = piece_of(n, kPieceBytes / sizeof(*out));
    for (std::size_t done = 0; done < n; done += most) {
      const std::size_t now = std::min(n - done, most);
      sequence.fill(piece.get(), now);
      auto copied = copy(out + done, now, false);
      if (done + now == n && refill.delivered == nullptr) refill.delivered = copied;
    }
    check(api().clFlush(queue.get()), "clFlush", Fault::kLaunch);
    refills.push_back(std::move(refill));
    failed = false;
  }

  [[nodiscard]] bool ready() const {
    cl_int status = CL_COMPLETE;  // before it above, errors below
    if (!refills.empty() && refills.front().delivered != nullptr) {
      check(api().clGetEventInfo(refills.front().delivered.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                 sizeof status, &status, nullptr),
            "clGetEventInfo", Fault::kLost);
    }
    if (status >= CL_COMPLETE) return status == CL_COMPLETE;
    throw Error(Fault::kLost,
                "clEnqueueReadBuffer: the device stopped working: OpenCL's error " + std::to_string(status));
  }
};

template <class Form>
Stream<Form>::Stream(const State<Form>& start, int device) : impl_(new Impl{start, device_of(device)}) {
  impl_->compare();
}

template <class Form>
void Stream<Form>::refill(typename Form::Real* out, std::size_t n) {
  if (n > 0 && out == nullptr) throw std::invalid_argument("out is a null pointer");
  impl_->refill(out, n);
}

template <class Form>
void Stream<Form>::wait() {
  if (impl_->refills.empty()) return;
  const bool failed_before = std::exchange(impl_->failed, true);  // until it is known better
  while (!impl_->ready()) std::this_thread::sleep_for(kPause);
  impl_->failed = failed_before;
  impl_->delivered += impl_->refills.front().numbers;
  impl_->refills.pop_front();
}

template <class Form>
bool Stream<Form>::ready() const {
  return impl_->ready();
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
