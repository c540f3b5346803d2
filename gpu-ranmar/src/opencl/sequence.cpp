// Fills of an OpenCL device's memory: cut into blocks, whose start states jumps set, and enqueued; and the
// program that does it.
#include <mutex>

#include "src/blocks.hpp"
#include "src/opencl/api.hpp"

namespace ranmar::opencl {
namespace {

const char* kSource = {
#include "kernel_source.inc"
};

// The kernels of a context, compiled with these options; shared by all who have them now.
Shared<cl_program> program_of(cl_context context, cl_device_id device, const std::string& options) {
  static std::mutex mutex;
  static std::map<std::pair<cl_context, std::string>, std::weak_ptr<_cl_program>> programs;
  const std::lock_guard lock(mutex);
  std::erase_if(programs, [](const auto& one) { return one.second.expired(); });
  auto& kept = programs[{context, options}];
  Shared<cl_program> program = kept.lock();
  if (program != nullptr) return program;
  program = create("clCreateProgramWithSource", OPENCL(clReleaseProgram), OPENCL(clCreateProgramWithSource),
                   context, 1, &kSource, nullptr);
  if (const cl_int code =
          OPENCL(clBuildProgram)(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
      code != CL_SUCCESS) {
    std::string log(4096, '\0');
    OPENCL(clGetProgramBuildInfo)
    (program.get(), device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    log = log.c_str() + std::min(log.find("error"), log.find('\0'));
    throw Error("clBuildProgram: OpenCL's error " + std::to_string(code) + " with " + options + ": " +
                log.substr(0, log.find('\n')));
  }
  kept = program;
  return program;
}

template <class Form>
std::string options_of(bool shuffle, bool integers_only) {
  using std::to_string;
  const auto type = [](std::size_t bytes) { return bytes == 8 ? "ulong" : "uint"; };
  return std::string("-cl-std=CL1.2 -D Word=") + type(sizeof(typename Form::Word)) +
         " -D Arithmetic=" + type(sizeof(typename Form::Arithmetic)) +
         " -D UNUSED_BITS=" + to_string(Form::kShift) + " -D SHIFT=" + to_string(Form::kArithmeticShift) +
         " -D STEP=" + to_string(Form::kStep) + " -D MODULUS=" + to_string(Form::kModulus) +
         " -D SHUFFLE=" + to_string(static_cast<int>(shuffle)) +
         " -D INTEGERS=" + to_string(static_cast<int>(integers_only));
}

template <class... Values>
void launch(cl_command_queue queue, cl_kernel kernel, const char* name, std::uint32_t blocks,
            const Values&... values) {
  cl_uint index = 0;
  (OPENCL_CALL(clSetKernelArg, kernel, index++, sizeof values, &values), ...);
  constexpr std::size_t kItems = RANMAR_ROW;
  const std::size_t all = blocks * kItems;
  check(OPENCL(clEnqueueNDRangeKernel)(queue, kernel, 1, nullptr, &all, &kItems, 0, nullptr, nullptr), name);
}

}  // namespace

template <class Form>
struct Sequence<Form>::Impl {
  Shared<cl_command_queue> queue;
  cl_context context;
  Blocks<Form> blocks;
  Shared<cl_program> program = nullptr;
  Shared<cl_kernel> aim_kernel = nullptr, fill_kernel = nullptr;
  Shared<cl_mem> states = nullptr;
  std::size_t most_states = 0;

  void make_kernels(cl_device_id device, bool shuffle, bool integers_only) {
    program = program_of(context, device, options_of<Form>(shuffle, integers_only));
    const auto kernel = [&](const char* name) {
      return create("clCreateKernel", OPENCL(clReleaseKernel), OPENCL(clCreateKernel), program.get(), name);
    };
    aim_kernel = kernel("aim_blocks");
    fill_kernel = kernel("fill_blocks");
  }

  // Sets the start states for this fill, where the last fill has not left them. OpenCL keeps memory until the
  // commands that use it are done.
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
  if (queue == nullptr) throw std::invalid_argument("queue is a null pointer");
  const auto device = info<cl_device_id>(OPENCL(clGetCommandQueueInfo), queue, CL_QUEUE_DEVICE);
  const auto units = info<cl_uint>(OPENCL(clGetDeviceInfo), device, CL_DEVICE_MAX_COMPUTE_UNITS);
  Blocks<Form> blocks(start, instances, static_cast<int>(units), tuning.blocks_per_unit, tuning.least_rows);
  OPENCL_CALL(clRetainCommandQueue, queue);
  impl_.reset(new Impl{{queue, OPENCL(clReleaseCommandQueue)},
                       info<cl_context>(OPENCL(clGetCommandQueueInfo), queue, CL_QUEUE_CONTEXT),
                       std::move(blocks)});
  const bool nvidia =
      info<std::string>(OPENCL(clGetDeviceInfo), device, CL_DEVICE_EXTENSIONS).find("cl_nv_") !=
      std::string::npos;
  try {
    impl_->make_kernels(device, nvidia, tuning.integers_only);
  } catch (const Error&) {  // a driver may not take its own shuffle
    if (!nvidia) throw;
    impl_->make_kernels(device, false, tuning.integers_only);
  }
}

template <class Form>
void Sequence<Form>::fill(cl_mem out, std::size_t n, std::size_t offset) {
  if (!Blocks<Form>::wanted(out, n)) return;
  auto& plan = impl_->blocks.plan(n);
  impl_->aim(plan);
  launch(impl_->queue.get(), impl_->fill_kernel.get(), "fill_blocks", plan.layout.blocks, impl_->states.get(),
         out, std::uint64_t{offset}, plan.layout.instance_numbers, plan.layout.block_numbers,
         plan.layout.blocks_per_instance, plan.on_device.get());
  impl_->blocks.position += n;
}

template <class Form>
State<Form> Sequence<Form>::state(int instance) const {
  return impl_->blocks.state_at(instance);
}

template class Sequence<Form48>;
template class Sequence<Form24>;
template class Sequence<FormExtended48>;

}  // namespace ranmar::opencl
