// Backends by name, fills by the backend that is asked for, and the generators of each form.
#include <stdexcept>

#include "ranmar/fill.hpp"
#include "ranmar/generator.hpp"

namespace ranmar {

std::string_view name(Backend backend) { return backend == Backend::kReference ? "reference" : "simd"; }

Backend backend_of(std::string_view name) {
  if (name == "reference") return Backend::kReference;
  if (name == "simd" || name == "auto") return Backend::kSimd;
  throw std::invalid_argument("unknown backend '" + std::string(name) + "': one of auto, reference, simd");
}

template <class Form>
void fill(Backend backend, State<Form>& state, typename Form::Real* out, std::size_t n) {
  if (backend == Backend::kReference) {
    fill_reference(state, out, n);
  } else {
    fill_simd(state, out, n);
  }
}

template void fill<Form48>(Backend, State<Form48>&, double*, std::size_t);
template void fill<Form24>(Backend, State<Form24>&, float*, std::size_t);
template void fill<FormExtended48>(Backend, State<FormExtended48>&, double*, std::size_t);
template class Generator<Form48>;
template class Generator<Form24>;
template class Generator<FormExtended48>;

}  // namespace ranmar
