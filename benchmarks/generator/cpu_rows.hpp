// The rows that are measured on one core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "measure.hpp"

namespace bench {

/// Numbers per request, in the rows whose throughputs the ratios compare. The draw path fills a buffer of
/// 2048 numbers at a time (a window, draw_path.hpp), so it fills two for such a request.
inline constexpr std::size_t kRatioRequest = 4096;

/// RMMARD: values, length, sequence.
using RmmardFunction = void (*)(double*, const std::int32_t*, const std::int32_t*);

/// Seeds the stock loop (stock_loop.f: the loop of CORSIKA's RMMARD, written by us) and the draw path. To be
/// called once, before any row is measured.
void start_sequences();

/// Bulk requests of up to `largest` numbers, to `buffer`, which holds as many: the stock loop, the backends,
/// each instruction set of the simd backend, a plain fill. Says on standard error which instruction sets this
/// CPU lacks. `rmmard`: RMMARD of a tree, timed beside them; null: none.
void add_generators(Measure& measure, double* buffer, std::size_t largest, RmmardFunction rmmard);

/// Calls for 1 to 100 numbers, as CORSIKA's code has them.
void add_draws(Measure& measure);

/// Jumps by 2e9 and 1e18 numbers; the time grows with the number of bits of the distance.
void add_skips(Measure& measure);

/// RMMARD of a shared library made by `prove --library`, seeded by its RMMAQD. Throws std::runtime_error
/// where it cannot be loaded or has not both.
RmmardFunction rmmard_of(const std::string& library);

}  // namespace bench
