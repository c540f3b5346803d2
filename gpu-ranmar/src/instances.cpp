// Independent instances behind the C interface. Not in c_api.cpp: who links the archive and does not call
// these needs no CUDA runtime.
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "ranmar/fill.hpp"
#include "ranmar/jump.hpp"
#include "ranmar/ranmar.h"
#include "src/c_api.hpp"
#ifdef RANMAR_WITH_CUDA
#include <cuda_runtime_api.h>

#include "ranmar/cuda/sequence.hpp"
#include "ranmar/cuda/stream.hpp"
#include "src/cuda/check.hpp"
#endif

namespace {

constexpr std::int64_t kInstanceDistance = std::int64_t{1} << 60;
constexpr int kMostInstances = 1 << 20;
constexpr std::size_t kLongestFill = std::size_t{1} << 40;

bool on_device(const void* memory) {
#ifdef RANMAR_WITH_CUDA
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess) {
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  }
  cudaGetLastError();
#else
  (void)memory;
#endif
  return false;
}

template <class Form>
class Instances {
 public:
  using Real = typename Form::Real;

  Instances(std::int32_t ijkl, int instances)
      : start_(ranmar::seeded_state<Form>(ijkl)), instances_(instances) {
#ifdef RANMAR_WITH_CUDA
    static_assert(kInstanceDistance == ranmar::cuda::kInstanceDistance);
#endif
  }

  void fill(Real* out, std::size_t n) {
    if (n == 0) return;
    ranmar::c_api::require(out, "out");
    if (n > kLongestFill) throw std::invalid_argument("a fill has at most 2^40 numbers of an instance");
    if (on_device(out)) {
      fill_on_device(out, n);
    } else {
      fill_on_host(out, n);
    }
    position_ += static_cast<std::int64_t>(n);
  }

 private:
  [[nodiscard]] ranmar::State<Form> first() const {
    ranmar::State<Form> state = start_;
    ranmar::jump(state, position_);
    return state;
  }

  void fill_on_host(Real* out, std::size_t n) {
    if (states_.empty() || states_at_ != position_) {
      const ranmar::JumpPolynomial polynomial = ranmar::jump_polynomial(kInstanceDistance);
      states_.assign(1, first());
      while (states_.size() < static_cast<std::size_t>(instances_)) {
        states_.push_back(states_.back());
        ranmar::apply_jump(states_.back(), polynomial, kInstanceDistance);
      }
    }
    for (auto& state : states_) {
      ranmar::fill_simd(state, out, n);
      out += n;
    }
    states_at_ = position_ + static_cast<std::int64_t>(n);
  }

#ifdef RANMAR_WITH_CUDA
  void fill_on_device(Real* out, std::size_t n) {
    try {
      if (!sequence_ || sequence_at_ != position_) sequence_.emplace(first(), instances_);
      sequence_->fill(out, n);
      ranmar::cuda::check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize",
                          ranmar::cuda::Fault::kLost);
    } catch (const ranmar::cuda::Error& e) {
      sequence_.reset();
      throw ranmar::c_api::DeviceError(e.what());
    }
    sequence_at_ = position_ + static_cast<std::int64_t>(n);
  }
  std::optional<ranmar::cuda::Sequence<Form>> sequence_;
  std::int64_t sequence_at_ = 0;
#else
  void fill_on_device(Real*, std::size_t) {}
#endif

  ranmar::State<Form> start_;
  int instances_;
  std::int64_t position_ = 0;  // of all instances
  std::vector<ranmar::State<Form>> states_;
  std::int64_t states_at_ = 0;
};

}  // namespace

struct ranmar_instances {
  std::variant<Instances<ranmar::Form48>, Instances<ranmar::Form24>, Instances<ranmar::FormExtended48>> form;
};

extern "C" {

int ranmar_device_count(void) {
#ifdef RANMAR_WITH_CUDA
  return ranmar::cuda::device_count();
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
    if (instances < 1 || instances > kMostInstances)
      throw std::invalid_argument("instances is not in 1..1048576");
    const std::int32_t ijkl = 30082 * ij + kl;
    if (form == RANMAR_48_BIT) {
      *object = new ranmar_instances{Instances<ranmar::Form48>(ijkl, instances)};
    } else if (form == RANMAR_24_BIT) {
      *object = new ranmar_instances{Instances<ranmar::Form24>(ijkl, instances)};
    } else if (form == RANMAR_EXTENDED_48_BIT) {
      *object = new ranmar_instances{Instances<ranmar::FormExtended48>(ijkl, instances)};
    } else {
      throw std::invalid_argument("form is not 48, 24 or 148");
    }
  });
}

void ranmar_instances_destroy(ranmar_instances* object) { delete object; }

ranmar_status ranmar_instances_fill(ranmar_instances* object, double* out, size_t n) {
  return ranmar::c_api::guarded([&] {
    ranmar::c_api::require(object, "object");
    if (auto* form = std::get_if<Instances<ranmar::Form48>>(&object->form)) return form->fill(out, n);
    if (auto* form = std::get_if<Instances<ranmar::FormExtended48>>(&object->form)) return form->fill(out, n);
    throw ranmar::c_api::WrongForm("the 24-bit form makes floats: call ranmar_instances_fill_float");
  });
}

ranmar_status ranmar_instances_fill_float(ranmar_instances* object, float* out, size_t n) {
  return ranmar::c_api::guarded([&] {
    ranmar::c_api::require(object, "object");
    auto* form = std::get_if<Instances<ranmar::Form24>>(&object->form);
    if (form == nullptr)
      throw ranmar::c_api::WrongForm("this form makes doubles: call ranmar_instances_fill");
    form->fill(out, n);
  });
}

}  // extern "C"
