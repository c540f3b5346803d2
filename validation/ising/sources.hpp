// Where the host's chains of the Ising model get their numbers. Uses libranmar and the devices that a source
// names.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lattice.hpp"

namespace validation {

/// The numbers of a source, from their first on, for a seed of 1 to 900000000. Sources: reference, simd,
/// engine, opencl, cuda (the 48-bit form by each backend), form24, extended, instances (8 subsequences of one
/// sequence in turn), r250. Forms: docs/generator.md. Empty where the source is not on this machine. Throws
/// std::invalid_argument where it is not known.
Refill open_source(const std::string& name, int seed);

/// `first`, and other sources by their names that must give the same numbers: all of them make every block,
/// which is compared bit for bit, and counted in `numbers`. So a chain that runs to its end is the chain of
/// each of these sources. The result throws std::runtime_error where a source gives another number, and says
/// which.
Refill all_equal(Refill first, std::vector<std::pair<std::string, Refill>> others, std::uint64_t& numbers);

}  // namespace validation
