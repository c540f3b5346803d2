// Fills of an OpenCL device's memory: cut into blocks, aimed by jumps, and enqueued.
#include <stdexcept>

#include "src/blocks.hpp"
#include "src/opencl/api.hpp"

namespace ranmar::opencl {
namespace {

template <class T>
T queue_info(cl_command_queue queue, cl_command_queue_info what) {
  T value{};
  check(api().clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr), "clGetCommandQueueInfo",
        Fault::kNoDevice);
  return value;
}

Exchange best_exchange(cl_device_id device) {
  const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  if (extensions.find("cl_nv_") != std::string::npos) return Exchange::kNvidia;
  return extensions.find("cl_khr_subgroup_shuffle") != std::string::npos ? Exchange::kSubGroup
                                                                         : Exchange::kLocalMemory;
}

template <class... Values>
void launch(cl_command_queue queue, cl_kernel kernel, const char* name, std::uint32_t blocks,
            const Values&... values) {
  cl_uint index = 0;
  (check(api().clSetKernelArg(kernel, index++, sizeof values, &values), "clSetKernelArg", Fault::kLaunch),
   ...);
  constexpr std::size_t kItems = RANMAR_ROW;
  const std::size_t all = blocks * kItems;
  check(api().clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &kItems, 0, nullptr, nullptr), name,
        Fault::kLaunch);
}

}  // namespace

template <class Form>
struct Sequence<Form>::Impl {
  Shared<cl_command_queue> queue;
  cl_context context = queue_info<cl_context>(queue.get(), CL_QUEUE_CONTEXT);
  cl_device_id device = queue_info<cl_device_id>(queue.get(), CL_QUEUE_DEVICE);
  Shared<cl_kernel> aim_kernel = nullptr, fill_kernel = nullptr;
  Blocks<Form> blocks = {};
  Shared<cl_mem> states = nullptr;
  std::size_t most_states = 0;

  void make_kernels(Exchange exchange, bool integers_only) {
    const int form = Form::kBits + (sizeof(typename Form::Arithmetic) == 8 ? 100 : 0);
    const auto program =
        program_of(context, device,
                   std::string(exchange == Exchange::kSubGroup ? "-cl-std=CL2.0" : "-cl-std=CL1.2") +
                       " -D FORM=" + std::to_string(form) +
                       " -D EXCHANGE=" + std::to_string(static_cast<int>(exchange)) +
                       " -D INTEGERS=" + (integers_only && Form::kBits == 48 ? "1" : "0"));
    aim_kernel = kernel_of(program.get(), "aim_blocks");
    fill_kernel = kernel_of(program.get(), "fill_blocks");
  }

  // Leaves the blocks where this fill starts. OpenCL keeps memory until the commands that use it are done.
  void aim(typename Blocks<Form>::Plan& plan) {
    if (blocks.aimed_at == plan.layout.instance_numbers) return;
    if (plan.on_device == nullptr) {
      std::vector<Stride<Form>> jumps = {plan.stride};
      jumps.insert(jumps.end(), plan.table.begin(), plan.table.end());
      plan.on_device = buffer_of(context, jumps.size() * sizeof(jumps[0]), jumps.data());
    }
    if (plan.layout.blocks > most_states)
      states = buffer_of(context, plan.layout.blocks * sizeof(State<Form>));
    most_states = std::max<std::size_t>(most_states, plan.layout.blocks);
    const State<Form> first = blocks.state_at(0);
    const Shared<cl_mem> start = buffer_of(context, sizeof first, &first);
    launch(queue.get(), aim_kernel.get(), "aim_blocks", plan.layout.blocks, states.get(), start.get(),
           plan.on_device.get(), plan.layout.blocks_per_instance);
    blocks.aimed_at = plan.layout.instance_numbers;
  }
};

template <class Form>
Sequence<Form>::Sequence(const State<Form>& start, cl_command_queue queue, int instances,
                         const Tuning& tuning) {
  if (instances < 1 || instances > 1 << 20) throw std::invalid_argument("instances must be 1 to 1048576");
  if (tuning.blocks_per_unit < 1 || tuning.least_rows < 1)
    throw std::invalid_argument("a tuning value is out of its range");
  if (queue == nullptr) throw std::invalid_argument("queue is a null pointer");
  check(api().clRetainCommandQueue(queue), "clRetainCommandQueue", Fault::kNoDevice);
  impl_.reset(new Impl{{queue, api().clReleaseCommandQueue}});
  const bool best = tuning.exchange == Exchange::kBest;
  try {
    impl_->make_kernels(best ? best_exchange(impl_->device) : tuning.exchange, tuning.integers_only);
  } catch (const Error&) {  // a driver may not take its own shuffle
    if (!best) throw;
    impl_->make_kernels(Exchange::kLocalMemory, tuning.integers_only);
  }
  cl_uint units = 0;
  check(api().clGetDeviceInfo(impl_->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr),
        "clGetDeviceInfo", Fault::kNoDevice);
  impl_->blocks.start = start;
  impl_->blocks.instances = instances;
  impl_->blocks.most_blocks = std::uint64_t{units} * static_cast<std::uint64_t>(tuning.blocks_per_unit);
  impl_->blocks.least_rows = tuning.least_rows;
}

template <class Form>
void Sequence<Form>::fill(cl_mem out, std::size_t n, std::size_t offset) {
  if (n == 0) return;
  if (out == nullptr) throw std::invalid_argument("out is a null pointer");
  if (n > kLongestFill) throw std::invalid_argument("a fill has at most 2^40 numbers");
  auto& plan = impl_->blocks.plan(n);
  impl_->aim(plan);
  launch(impl_->queue.get(), impl_->fill_kernel.get(), "fill_blocks", plan.layout.blocks, impl_->states.get(),
         out, std::uint64_t{offset}, plan.layout.instance_numbers, plan.layout.block_numbers,
         plan.layout.blocks_per_instance, plan.on_device.get());
  impl_->blocks.position += n;
}

template <class Form>
State<Form> Sequence<Form>::state(int instance) const {
  if (instance < 0 || instance >= impl_->blocks.instances) throw std::invalid_argument("no such instance");
  return impl_->blocks.state_at(instance);
}

template class Sequence<Form48>;
template class Sequence<Form24>;
template class Sequence<FormExtended48>;

}  // namespace ranmar::opencl
