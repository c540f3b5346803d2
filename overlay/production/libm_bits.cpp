// The bits of libm: see the header. The functions are called through volatile pointers, so that no compiler
// computes a result in advance or takes a vector variant.
#include "overlay/production/libm_bits.hpp"

#include <cmath>
#include <cstdint>

#include "support/checksum.hpp"

namespace overlay {
namespace {

constexpr int kArguments = 2000;

/// Arguments from `low` to `high`, spread by a multiplicative generator (Lewis, Goodman, Miller 1969), whose
/// products are exact in 64 bits.
class Arguments {
 public:
  double next(double low, double high) {
    state_ = state_ * 16807 % 2147483647;
    return low + (high - low) * (static_cast<double>(state_) / 2147483647.0);
  }

 private:
  std::uint64_t state_ = 20010911;
};

template <class T>
struct Function {
  T (*call)(T);
  double low, high;
};

template <class T>
void add_one_argument(support::Sha256& sum, const Function<T>& function) {
  Arguments arguments;
  T (*volatile call)(T) = function.call;
  for (int i = 0; i < kArguments; ++i) {
    const T result = call(static_cast<T>(arguments.next(function.low, function.high)));
    sum.update(&result, sizeof result);
  }
}

template <class T>
void add_two_arguments(support::Sha256& sum, T (*function)(T, T), double low, double high, double high2) {
  Arguments arguments;
  T (*volatile call)(T, T) = function;
  for (int i = 0; i < kArguments; ++i) {
    const T first = static_cast<T>(arguments.next(low, high));
    const T result = call(first, static_cast<T>(arguments.next(-high2, high2)));
    sum.update(&result, sizeof result);
  }
}

template <class T>
void add_all(support::Sha256& sum) {
  const Function<T> functions[] = {
      {std::sin, -50, 50},   {std::cos, -50, 50},    {std::tan, -10, 10},     {std::asin, -1, 1},
      {std::acos, -1, 1},    {std::atan, -20, 20},   {std::exp, -60, 60},     {std::exp2, -60, 60},
      {std::expm1, -3, 3},   {std::log, 1e-6, 1e6},  {std::log2, 1e-6, 1e6},  {std::log10, 1e-6, 1e6},
      {std::log1p, -0.9, 9}, {std::sinh, -9, 9},     {std::cosh, -9, 9},      {std::tanh, -4, 4},
      {std::asinh, -9, 9},   {std::acosh, 1, 90},    {std::atanh, -0.9, 0.9}, {std::erf, -3, 3},
      {std::erfc, -3, 3},    {std::lgamma, 0.1, 50}, {std::tgamma, 0.1, 20},  {std::cbrt, -99, 99}};
  for (const Function<T>& function : functions) add_one_argument(sum, function);
  add_two_arguments<T>(sum, std::pow, 1e-3, 1e3, 9);
  add_two_arguments<T>(sum, std::atan2, -9, 9, 9);
  add_two_arguments<T>(sum, std::hypot, -9, 9, 9);
}

}  // namespace

std::string libm_bits() {
  support::Sha256 sum;
  add_all<double>(sum);
  add_all<float>(sum);
  return sum.hexadecimal();
}

}  // namespace overlay
