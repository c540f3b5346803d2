// Both sides of a variant, drawn from side by side until something differs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "side.hpp"

namespace prove {

/// How often each routine was compared.
using Tally = std::map<std::string, std::uint64_t>;

/// Calls random routines of the variant `draws` times, the same ones on both sides. Among the calls are
/// lengths of zero and below, sequence numbers of zero and out of range, reseeds, dumps and restores of the
/// state, and other sequences of CONEX. Compares every result, the sequence used last and all counters.
/// choice: seed of the random choices. `work`: a folder for the dumps. Throws std::runtime_error at the first
/// difference.
Tally compare_draws(const Variant& variant, const Side& stock, const Side& replaced, std::uint64_t draws,
                    std::uint32_t choice, const std::filesystem::path& work);

}  // namespace prove
