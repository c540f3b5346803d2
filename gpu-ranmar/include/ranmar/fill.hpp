// Making numbers: one function, several backends that give the same bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ranmar/state.hpp"

namespace ranmar {

enum class RANMAR_API Backend {
  kReference,  ///< the published loop (James 1990) in integers, one number at a time
  kSimd,       ///< Google Highway, 32 numbers at a time, the best instruction set of the machine
};

/// "reference", "simd".
RANMAR_API std::string_view name(Backend backend);

/// The backend of a name; "auto" is the fastest, simd. Throws std::invalid_argument that lists the names
/// otherwise.
RANMAR_API Backend backend_of(std::string_view name);

/// Writes the next `n` numbers of the sequence to out[0..n) and moves `state` past them.
/// Doubles in [2^-48, 1) for Form48 and the extended form, floats in [2^-24, 1) for Form24. Never fails.
template <class Form>
RANMAR_API void fill_reference(State<Form>& state, typename Form::Real* out, std::size_t n);

/// The extended form has no SIMD code: fill_simd makes it by the plain loop.
template <class Form>
RANMAR_API void fill_simd(State<Form>& state, typename Form::Real* out, std::size_t n);

/// The same by either.
template <class Form>
void fill(Backend backend, State<Form>& state, typename Form::Real* out, std::size_t n) {
  if (backend == Backend::kReference) {
    fill_reference(state, out, n);
  } else {
    fill_simd(state, out, n);
  }
}

/// Name of the instruction set that the simd backend uses on this processor, Highway's: "AVX2".
RANMAR_API std::string simd_target_in_use();

}  // namespace ranmar
