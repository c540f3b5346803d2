// Refills by an OpenCL device: what it makes, copied to the caller's memory by the same command queue.
#include <chrono>
#include <cstring>
#include <thread>

#include "ranmar/fill.hpp"
#include "src/blocks.hpp"
#include "src/opencl/api.hpp"

namespace ranmar::opencl {
namespace {

constexpr std::chrono::microseconds kPause(50);  // between two looks at what is waited for

cl_device_id device_of(int number) {
  std::string why;
  const auto found = devices(&why);
  if (found.empty()) throw Error(why);
  if (number >= 0 && static_cast<std::size_t>(number) < found.size())
    return found[static_cast<std::size_t>(number)].id;
  throw Error("no OpenCL device " + std::to_string(number) + ": there are " + std::to_string(found.size()));
}

// CL_COMPLETE, above it before that, below it an error.
cl_int status_of(const std::shared_ptr<void>& event) {
  cl_int status = CL_COMPLETE;
  if (event != nullptr)
    OPENCL_CALL(clGetEventInfo, static_cast<cl_event>(event.get()), CL_EVENT_COMMAND_EXECUTION_STATUS,
                sizeof status, &status, nullptr);
  return status;
}

template <class Form>
struct QueueDevice final : RefillDevice<Form> {
  using Real = typename Form::Real;

  Shared<cl_context> context;
  Shared<cl_command_queue> queue;
  Shared<cl_mem> piece = buffer_of(context.get(), Stream<Form>::kPieceBytes);
  Sequence<Form> sequence;

  QueueDevice(const State<Form>& start, cl_device_id device)
      : context(context_of(device)), queue(queue_of(context.get(), device)), sequence(start, queue.get()) {
    compare(start);
  }
  ~QueueDevice() override { OPENCL(clFinish)(queue.get()); }

  // What was made into the piece, to the host.
  Shared<cl_event> copy(Real* out, std::size_t n, bool wait) {
    cl_event copied = nullptr;
    OPENCL_CALL(clEnqueueReadBuffer, queue.get(), piece.get(), wait, 0, n * sizeof(*out), out, 0, nullptr,
                &copied);
    return {copied, OPENCL(clReleaseEvent)};
  }

  // Compilers differ from device to device: one whose numbers are not the CPU's is not used.
  void compare(const State<Form>& start) {
    std::vector<Real> expected(9003), got(expected.size());
    State<Form> state = start;
    Sequence<Form> trial(start, queue.get(), 1, {.least_rows = 3});
    for (int fill = 0; fill < 2; ++fill) {
      fill_reference(state, expected.data(), expected.size());
      trial.fill(piece.get(), got.size());
      copy(got.data(), got.size(), true);
      if (std::memcmp(expected.data(), got.data(), got.size() * sizeof(Real)) != 0)
        throw Error("the device's numbers are not those of the CPU");
    }
  }

  std::shared_ptr<void> ask(Real* out, std::size_t n) override {
    const Shared<cl_event> lost = inject(context.get());
    Shared<cl_event> copied;
    const std::size_t most = piece_of(n, Stream<Form>::kPieceBytes / sizeof(*out));
    for (std::size_t done = 0; done < n; done += most) {
      const std::size_t now = std::min(n - done, most);
      sequence.fill(piece.get(), now);
      copied = copy(out + done, now, false);
    }
    OPENCL_CALL(clFlush, queue.get());
    return lost == nullptr ? copied : lost;
  }

  void wait_for(const std::shared_ptr<void>& delivered) override {
    while (!is_over(delivered)) std::this_thread::sleep_for(kPause);
    if (const cl_int status = status_of(delivered); status < CL_COMPLETE)
      throw Error("clEnqueueReadBuffer: the device stopped working: OpenCL's error " +
                  std::to_string(status));
  }

  [[nodiscard]] bool is_over(const std::shared_ptr<void>& delivered) const override {
    return status_of(delivered) <= CL_COMPLETE;
  }
};

}  // namespace

#ifndef RANMAR_FAULTS
[[gnu::weak]] Shared<cl_event> inject(cl_context /*context*/) { return nullptr; }
#endif

template <class Form>
Stream<Form>::Stream(const State<Form>& start, int device)
    : Refills<Form>(start, std::make_unique<QueueDevice<Form>>(start, device_of(device))) {}

template class Stream<Form48>;
template class Stream<Form24>;
template class Stream<FormExtended48>;

}  // namespace ranmar::opencl
