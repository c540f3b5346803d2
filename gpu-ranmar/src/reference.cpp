// The generator as its paper states it, one number at a time. Every other backend is held against this one.
// Backends by name, and the generators of each form.
#include <algorithm>

#include "ranmar/generator.hpp"

namespace ranmar {

template <class Form>
void fill_reference(State<Form>& state, typename Form::Real* out, std::size_t n) {
  auto& x = state.x;
  std::size_t oldest = 0;                     // where x_(n-97) stands in the ring
  std::size_t middle = kLongLag - kShortLag;  // where x_(n-33) stands
  for (std::size_t i = 0; i < n; ++i) {
    x[oldest] = static_cast<typename Form::Word>(x[oldest] - x[middle]);
    state.c = next_arithmetic<Form>(state.c);
    out[i] = number<Form>(x[oldest], state.c);
    oldest = oldest + 1 == kLongLag ? 0 : oldest + 1;
    middle = middle + 1 == kLongLag ? 0 : middle + 1;
  }
  std::rotate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(oldest), x.end());
}

template void fill_reference<Form48>(State<Form48>&, double*, std::size_t);
template void fill_reference<Form24>(State<Form24>&, float*, std::size_t);
template void fill_reference<FormExtended48>(State<FormExtended48>&, double*, std::size_t);

std::string_view name(Backend backend) { return backend == Backend::kReference ? "reference" : "simd"; }

Backend backend_of(std::string_view name) {
  if (name == "reference") return Backend::kReference;
  if (name == "simd" || name == "auto") return Backend::kSimd;
  throw std::invalid_argument("unknown backend '" + std::string(name) + "': one of auto, reference, simd");
}

template class Generator<Form48>;
template class Generator<Form24>;
template class Generator<FormExtended48>;

}  // namespace ranmar
