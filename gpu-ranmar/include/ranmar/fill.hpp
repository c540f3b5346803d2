// Making numbers: one function, several backends that give the same bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ranmar/state.hpp"

namespace ranmar {

enum class Backend {
  kReference,  ///< the paper's loop in integers, one number at a time
  kSimd,       ///< Google Highway, 32 numbers at a time, the best instruction set of the machine
};

/// "reference", "simd".
std::string_view name(Backend backend);

/// The backend of a name; "auto" is the fastest here. Throws std::invalid_argument that lists the names
/// otherwise.
Backend backend_of(std::string_view name);

/// Writes the next `n` numbers of the sequence to out[0..n) and moves `state` past them.
/// Doubles in [2^-48, 1) for Form48, floats in [2^-24, 1) for Form24. Never fails.
template <class Form>
void fill(Backend backend, State<Form>& state, typename Form::Real* out, std::size_t n);

template <class Form>
void fill_reference(State<Form>& state, typename Form::Real* out, std::size_t n);

template <class Form>
void fill_simd(State<Form>& state, typename Form::Real* out, std::size_t n);

/// One instruction set that the library was compiled for.
struct SimdTarget {
  std::string name;  ///< Highway's name, "AVX2"
  std::int64_t bit;  ///< Highway's number for it
  bool runs_here;    ///< the processor has it
};

/// Every instruction set compiled in, best first.
std::vector<SimdTarget> simd_targets();

/// Restricts the simd backend to one of `simd_targets()` (0: back to the best). For tests and benchmarks.
void use_simd_target(std::int64_t bit);

/// Name of the instruction set that the simd backend uses now.
std::string simd_target_in_use();

}  // namespace ranmar
