// Which last bits a node computes. Nodes whose libm gives the same bits form a class, and their runs have the
// same bytes (docs/production.md#same-bits-on-all-nodes). Keeps the production's class in node-class.json.
#pragma once

#include <filesystem>
#include <string>

#include "overlay/production/plan.hpp"

namespace overlay {

/// SHA-256 of the results of libm's functions, of double and of float, for fixed arguments: 2000 for each
/// function. Takes some milliseconds. glibc chooses among variants of its functions by the processor and by
/// GLIBC_TUNABLES when a program starts. Two nodes with the same value ran the same variants, as far as these
/// arguments can tell.
std::string libm_bits();

/// The GLIBC_TUNABLES that make libm take the variants that every x86-64 processor has: no fused
/// multiply-add. It overrides what the environment says of the processor.
inline constexpr const char* kPinnedTunables = "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4";

/// This node's class: libm_bits() under the production's tunables, as the program `overlay` computes it
/// (`overlay production libm-bits`). Throws WorkerError (try_again) where it cannot.
std::string measured_class(const ProductionPlan& plan, const std::filesystem::path& overlay);

/// Makes `own` the production's class where it has none; returns the one that it then has. Of two nodes at
/// once one wins. Throws support::Error where the file is damaged or cannot be written.
std::string claim_class(const std::filesystem::path& folder, const std::string& own);

/// This node's class where it is the production's, which it becomes where there is none. Throws WorkerError
/// (other_bits) where it is not. Where the plan's policy is "any" nothing is measured, and an empty class
/// comes back.
std::string checked_class(const ProductionPlan& plan, const std::filesystem::path& folder,
                          const std::filesystem::path& overlay);

}  // namespace overlay
