// Independent instances behind the C interface. Not in c_api.cpp: who links the archive and does not call
// these needs no CUDA runtime.
#include <variant>

#include "src/blocks.hpp"
#include "src/c_api.hpp"
#ifdef RANMAR_WITH_CUDA
#include <cuda_runtime_api.h>

#include "ranmar/cuda/sequence.hpp"
#include "ranmar/cuda/stream.hpp"
#include "src/cuda/runtime.hpp"
#endif
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif

namespace {

constexpr int kHost = -1;

// Number of the device whose memory it is, or kHost.
int device_of(const void* memory) {
#ifdef RANMAR_WITH_CUDA
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess) {
    const bool device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    return device ? attributes.device : kHost;
  }
  cudaGetLastError();
#else
  (void)memory;
#endif
  return kHost;
}

}  // namespace

struct ranmar_instances {
  virtual ~ranmar_instances() = default;
  // The next n numbers of each instance: of its own type alone. wait: until they are there, else `stream` has
  // them.
  virtual void fill(double*, std::size_t, bool, void*) { ranmar::c_api::refuse_form<double>(); }
  virtual void fill(float*, std::size_t, bool, void*) { ranmar::c_api::refuse_form<float>(); }
  virtual void fill_opencl(void* queue, void* memory, std::size_t offset, std::size_t n) = 0;
};

namespace {

template <class Form>
class Instances final : public ranmar_instances {
 public:
  using Real = typename Form::Real;

  Instances(std::int32_t ijkl, int instances)
      : start_(ranmar::seeded_state<Form>(ijkl)), instances_(instances) {}

  using ranmar_instances::fill;
  void fill(Real* out, std::size_t n, bool wait, void* stream) override {
    if (!ranmar::Blocks<Form>::wanted(out, n)) return;
    advance(n, [&] {
      if (const int device = device_of(out); device != kHost)
        fill_on_device(out, n, device, stream, wait);
      else if (wait)
        fill_on_host(out, n);
      else
        throw std::invalid_argument("out is not memory of a CUDA device");
    });
  }

  void fill_opencl([[maybe_unused]] void* queue, [[maybe_unused]] void* memory,
                   [[maybe_unused]] std::size_t offset, std::size_t n) override {
    if (n == 0) return;
#ifdef RANMAR_WITH_OPENCL
    advance(n, [&] {
      auto* made = std::get_if<OpenCl>(&maker_);
      if (made == nullptr || made->queue != queue)
        made = &maker_.template emplace<OpenCl>(queue, first(), instances_);
      made->sequence.fill(static_cast<_cl_mem*>(memory), n, offset);
    });
#else
    throw ranmar::cuda::Error("this library was built without OpenCL");
#endif
  }

 private:
  using States = std::vector<ranmar::State<Form>>;

  // What a fill that failed has left of its maker is not gone on with.
  template <class Fill>
  void advance(std::size_t n, Fill&& fill) {
    try {
      fill();
    } catch (...) {
      maker_ = std::monostate();
      throw;
    }
    position_ += static_cast<std::int64_t>(n);
  }

  [[nodiscard]] ranmar::State<Form> first() const { return ranmar::detail::jumped(start_, position_); }

  void fill_on_host(Real* out, std::size_t n) {
    auto* states = std::get_if<States>(&maker_);
    if (states == nullptr) {
      const ranmar::JumpPolynomial polynomial = ranmar::jump_polynomial(ranmar::kInstanceDistance);
      States made(static_cast<std::size_t>(instances_), first());  // whole, or not kept
      for (std::size_t k = 1; k < made.size(); ++k) {
        made[k] = made[k - 1];
        ranmar::apply_jump(made[k], polynomial, ranmar::kInstanceDistance);
      }
      states = &maker_.template emplace<States>(std::move(made));
    }
    for (auto& state : *states) {
      ranmar::fill_simd(state, out, n);
      out += n;
    }
  }

#ifdef RANMAR_WITH_CUDA
  struct Cuda {
    Cuda(const ranmar::State<Form>& start, int instances, int number)
        : device(number), sequence(std::in_place, start, instances) {}
    ~Cuda() {
      const ranmar::cuda::CurrentDevice current(device, std::nothrow);
      sequence.reset();
      filled.reset();
    }
    int device;
    std::optional<ranmar::cuda::Sequence<Form>> sequence;
    ranmar::cuda::Event filled = ranmar::cuda::new_event();  // by the last fill
  };

  void fill_on_device(Real* out, std::size_t n, int device, void* opaque, bool wait) {
    auto* const stream = static_cast<cudaStream_t>(opaque);
    const ranmar::cuda::CurrentDevice current(device);
    auto* made = std::get_if<Cuda>(&maker_);
    if (made == nullptr || made->device != device)
      made = &maker_.template emplace<Cuda>(first(), instances_, device);
    // At once where there was no fill yet.
    CUDA_CALL(cudaStreamWaitEvent, stream, made->filled.get(), 0);
    made->sequence->fill(out, n, stream);
    CUDA_CALL(cudaEventRecord, made->filled.get(), stream);
    if (wait) CUDA_CALL(cudaStreamSynchronize, stream);
  }
#else
  struct Cuda {};
  void fill_on_device(Real*, std::size_t, int, void*, bool) {}
#endif

  struct OpenCl {
#ifdef RANMAR_WITH_OPENCL
    OpenCl(void* of, const ranmar::State<Form>& start, int instances)
        : queue(of), sequence(start, static_cast<_cl_command_queue*>(of), instances) {}
    void* queue;
    ranmar::opencl::Sequence<Form> sequence;
#endif
  };

  ranmar::State<Form> start_;
  int instances_;
  std::int64_t position_ = 0;                                 // of all instances
  std::variant<std::monostate, States, Cuda, OpenCl> maker_;  // that made the last numbers, and goes on
};

// wait and stream: of ranmar_instances::fill.
template <class Real>
ranmar_status fill(ranmar_instances* object, Real* out, std::size_t n, bool wait, void* stream) {
  return ranmar::c_api::guarded(object, "object", [&] { object->fill(out, n, wait, stream); });
}

}  // namespace

extern "C" {

int ranmar_device_count(void) {
#ifdef RANMAR_WITH_CUDA
  return ranmar::cuda::device_count();
#else
  return 0;
#endif
}

int ranmar_opencl_device_count(void) {
#ifdef RANMAR_WITH_OPENCL
  return static_cast<int>(ranmar::opencl::devices().size());
#else
  return 0;
#endif
}

ranmar_status ranmar_instances_create(ranmar_instances** object, ranmar_form form, int32_t ij, int32_t kl,
                                      int instances) {
  return ranmar::c_api::guarded([&] {
    ranmar::c_api::require(object, "object");
    *object = nullptr;
    if (ij < 0 || ij > 31328) throw std::invalid_argument("ij is not in 0..31328");
    if (kl < 0 || kl > 30081) throw std::invalid_argument("kl is not in 0..30081");
    if (instances < 1 || instances > ranmar::kMostInstances)
      throw std::invalid_argument("instances is not in 1..1048576");
    const std::int32_t ijkl = 30082 * ij + kl;
    *object = ranmar::c_api::with_form(
        form, [&]<class Form>(Form) -> ranmar_instances* { return new Instances<Form>(ijkl, instances); });
  });
}

void ranmar_instances_destroy(ranmar_instances* object) { delete object; }

ranmar_status ranmar_instances_fill(ranmar_instances* object, double* out, size_t n) {
  return fill(object, out, n, true, nullptr);
}

ranmar_status ranmar_instances_fill_float(ranmar_instances* object, float* out, size_t n) {
  return fill(object, out, n, true, nullptr);
}

ranmar_status ranmar_instances_fill_async(ranmar_instances* object, double* out, size_t n, void* stream) {
  return fill(object, out, n, false, stream);
}

ranmar_status ranmar_instances_fill_float_async(ranmar_instances* object, float* out, size_t n,
                                                void* stream) {
  return fill(object, out, n, false, stream);
}

ranmar_status ranmar_instances_fill_opencl(ranmar_instances* object, void* queue, void* memory, size_t offset,
                                           size_t n) {
  return ranmar::c_api::guarded(object, "object", [&] { object->fill_opencl(queue, memory, offset, n); });
}

}  // extern "C"
