// Fills of an OpenCL device's memory: cut into blocks, aimed by jumps, and enqueued.
#include "ranmar/opencl/sequence.hpp"

#include <stdexcept>
#include <utility>

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

Rows best_rows(cl_device_id device) {
  if ((device_info<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0) return Rows::kVectors;
  const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  if (extensions.find("cl_nv_") != std::string::npos) return Rows::kNvidia;
  return extensions.find("cl_khr_subgroup_shuffle") != std::string::npos ? Rows::kSubGroup
                                                                         : Rows::kLocalMemory;
}

template <class Form>
std::string options_of(Rows rows, bool integers_only) {
  const int form = Form::kBits + (sizeof(typename Form::Arithmetic) == 8 ? 100 : 0);
  const int exchange = rows == Rows::kNvidia ? 2 : rows == Rows::kSubGroup ? 1 : 0;
  return std::string(exchange == 1 ? "-cl-std=CL2.0" : "-cl-std=CL1.2") + " -D FORM=" + std::to_string(form) +
         " -D ITEMS=" + (rows == Rows::kVectors ? "1" : "32") + " -D EXCHANGE=" + std::to_string(exchange) +
         " -D INTEGERS=" + (integers_only ? "1" : "0");
}

template <class... Values>
void set_arguments(cl_kernel kernel, const Values&... values) {
  cl_uint index = 0;
  (check(api().clSetKernelArg(kernel, index++, sizeof values, &values), "clSetKernelArg", Fault::kLaunch),
   ...);
}

}  // namespace

template <class Form>
struct Sequence<Form>::Impl {
  Shared<cl_command_queue> queue;
  cl_context context = nullptr;
  std::size_t items = 0;  // of a work-group
  Shared<cl_program> program = nullptr;
  Shared<cl_kernel> aim_kernel = nullptr, fill_kernel = nullptr;
  Blocks<Form> blocks = {};
  Shared<cl_mem> states = nullptr;
  std::size_t most_states = 0;

  [[nodiscard]] Shared<cl_mem> buffer(std::size_t bytes, const void* contents) const {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents == nullptr ? 0 : CL_MEM_COPY_HOST_PTR);
    return created<cl_mem>("clCreateBuffer", Fault::kOutOfMemory, api().clReleaseMemObject,
                           api().clCreateBuffer, context, flags, bytes, const_cast<void*>(contents));
  }

  void make_kernels(Rows rows, bool integers_only) {
    items = rows == Rows::kVectors ? 1 : RANMAR_ROW;
    program = program_of(context, queue_info<cl_device_id>(queue.get(), CL_QUEUE_DEVICE),
                         options_of<Form>(rows, integers_only));
    for (const auto& [kernel, name] :
         {std::pair{&aim_kernel, "aim_blocks"}, std::pair{&fill_kernel, "fill_blocks"}}) {
      *kernel = created<cl_kernel>("clCreateKernel", Fault::kLaunch, api().clReleaseKernel,
                                   api().clCreateKernel, program.get(), name);
    }
  }

  void launch(cl_kernel kernel, std::uint32_t groups, const char* name) const {
    const std::size_t all = groups * items;
    check(api().clEnqueueNDRangeKernel(queue.get(), kernel, 1, nullptr, &all, &items, 0, nullptr, nullptr),
          name, Fault::kLaunch);
  }

  // Leaves the blocks where this fill starts. OpenCL keeps memory until the commands that use it are done.
  void aim(typename Blocks<Form>::Plan& plan) {
    if (blocks.aimed_at == plan.layout.instance_numbers) return;
    if (plan.on_device == nullptr) {
      std::vector<Stride<Form>> jumps = {plan.stride};
      jumps.insert(jumps.end(), plan.table.begin(), plan.table.end());
      plan.on_device = buffer(jumps.size() * sizeof(jumps[0]), jumps.data());
    }
    if (plan.layout.blocks > most_states) {
      states = buffer(plan.layout.blocks * sizeof(State<Form>), nullptr);
      most_states = plan.layout.blocks;
    }
    const State<Form> first = blocks.state_at(0);
    const Shared<cl_mem> start = buffer(sizeof first, &first);
    set_arguments(aim_kernel.get(), states.get(), start.get(), static_cast<cl_mem>(plan.on_device.get()),
                  plan.layout.blocks_per_instance);
    launch(aim_kernel.get(), plan.layout.blocks, "aim_blocks");
    blocks.aimed_at = plan.layout.instance_numbers;
  }

  void fill(cl_mem out, std::size_t n, std::size_t offset) {
    auto& plan = blocks.plan(n);
    aim(plan);
    const Layout& layout = plan.layout;
    set_arguments(fill_kernel.get(), states.get(), out, std::uint64_t{offset}, layout.instance_numbers,
                  layout.block_numbers, layout.blocks_per_instance,
                  static_cast<cl_mem>(plan.on_device.get()));
    launch(fill_kernel.get(), layout.blocks, "fill_blocks");
    blocks.position += n;
  }
};

template <class Form>
Sequence<Form>::Sequence(const State<Form>& start, cl_command_queue queue, int instances,
                         const Tuning& tuning) {
  if (instances < 1 || instances > 1 << 20) throw std::invalid_argument("instances must be 1 to 1048576");
  if (tuning.blocks_per_unit < 0 || tuning.least_rows < 0)
    throw std::invalid_argument("a tuning value is out of its range");
  if (queue == nullptr) throw std::invalid_argument("queue is a null pointer");
  check(api().clRetainCommandQueue(queue), "clRetainCommandQueue", Fault::kNoDevice);
  impl_ = std::make_unique<Impl>(Impl{{queue, api().clReleaseCommandQueue}});
  impl_->context = queue_info<cl_context>(queue, CL_QUEUE_CONTEXT);
  const auto device = queue_info<cl_device_id>(queue, CL_QUEUE_DEVICE);
  const Rows rows = tuning.rows == Rows::kBest ? best_rows(device) : tuning.rows;
  try {
    impl_->make_kernels(rows, tuning.integers_only);
  } catch (const Error&) {  // a driver may not take its own shuffle
    if (tuning.rows != Rows::kBest || rows == Rows::kVectors || rows == Rows::kLocalMemory) throw;
    impl_->make_kernels(Rows::kLocalMemory, tuning.integers_only);
  }
  const auto units = device_info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  const bool vectors = rows == Rows::kVectors;
  const int each = tuning.blocks_per_unit > 0 ? tuning.blocks_per_unit : vectors ? 4 : 16;
  impl_->blocks.start = start;
  impl_->blocks.instances = instances;
  impl_->blocks.most_blocks = std::uint64_t{units} * static_cast<std::uint64_t>(each);
  impl_->blocks.least_rows = tuning.least_rows > 0 ? tuning.least_rows : vectors ? 256 : 24;
}

template <class Form>
Sequence<Form>::~Sequence() = default;
template <class Form>
Sequence<Form>::Sequence(Sequence&&) noexcept = default;
template <class Form>
Sequence<Form>& Sequence<Form>::operator=(Sequence&&) noexcept = default;

template <class Form>
void Sequence<Form>::fill(cl_mem out, std::size_t n, std::size_t offset) {
  if (n == 0) return;
  if (out == nullptr) throw std::invalid_argument("out is a null pointer");
  if (n > kLongestFill) throw std::invalid_argument("a fill has at most 2^40 numbers");
  impl_->fill(out, n, offset);
}

template <class Form>
State<Form> Sequence<Form>::state(int instance) const {
  if (instance < 0 || instance >= impl_->blocks.instances) throw std::invalid_argument("no such instance");
  return impl_->blocks.state_at(instance);
}

template <class Form>
std::uint64_t Sequence<Form>::position() const {
  return impl_->blocks.position;
}

template class Sequence<Form48>;
template class Sequence<Form24>;
template class Sequence<FormExtended48>;

}  // namespace ranmar::opencl
