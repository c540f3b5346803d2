// What this processor's libm returns, as one checksum. glibc chooses among variants of its functions by the
// processor; their results may differ in last bits. Where such a bit decides a comparison, the shower then
// develops differently. Computes only.
#pragma once

#include <string>

namespace overlay {

/// SHA-256 of the results of libm's functions, of double and of float, for fixed arguments: 2000 for each
/// function. Takes some milliseconds. Two nodes with the same value ran the same variants, as far as these
/// arguments can tell.
std::string libm_bits();

}  // namespace overlay
