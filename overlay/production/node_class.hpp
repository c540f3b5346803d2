// Which last bits a node computes. Nodes whose outputs have the same bits form a class
// (docs/production.md#same-bits-on-all-nodes). Runs a short shower in a folder of its own; keeps the
// production's class in node-class.json.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "overlay/production/plan.hpp"

namespace overlay {

/// What tells nodes apart whose programs give other bytes.
struct NodeClass {
  std::string libm;     ///< libm_bits() under the production's tunables
  std::string program;  ///< SHA-256 of the content of one shower of low energy of the patched program
  bool operator==(const NodeClass&) const = default;
};

/// The GLIBC_TUNABLES that make libm take the variants that every x86-64 processor has: no fused
/// multiply-add. It overrides what the environment says of the processor.
inline constexpr const char* kPinnedTunables = "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4";

/// What GLIBC_TUNABLES is to be for this production's programs; empty where the node's own stays.
std::string tunables_of(const ProductionPlan& plan);

/// Where the node's class is measured, and by what.
struct ClassProbe {
  std::filesystem::path overlay;  ///< this program: `overlay production libm-bits` runs with the tunables set
  std::filesystem::path scratch;  ///< an empty folder; a run folder is made in it
  std::function<void()> check;    ///< called about once a second; may throw
};

/// Measures this node. Throws as make_run() does where the program does not get through one shower.
NodeClass measure_node_class(const ProductionPlan& plan, const std::filesystem::path& folder,
                             const ClassProbe& probe);

/// The production's class; nothing where no node has been measured yet. Throws support::Error where the file
/// is damaged.
std::optional<NodeClass> production_class(const std::filesystem::path& folder);

/// Makes `own` the production's class where it has none; returns the one that it then has. Of two nodes at
/// once one wins. Throws support::Error where it cannot be written.
NodeClass claim_class(const std::filesystem::path& folder, const NodeClass& own);

/// How a node's class differs from the production's; empty where it does not.
std::string class_difference(const NodeClass& node, const NodeClass& production);

}  // namespace overlay
