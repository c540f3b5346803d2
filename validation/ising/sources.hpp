// Where the host's chains of the Ising model get their numbers. Uses libranmar and the devices that a source
// names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lattice.hpp"

namespace validation {

/// The numbers of a source, from their first on, for a seed of 1 to 900000000. Sources: reference, simd,
/// engine, opencl, cuda (the 48-bit form by each backend), form24, extended, instances (8 subsequences of one
/// sequence in turn), r250. Forms: docs/generator.md. Empty where the source is not on this machine. Throws
/// std::invalid_argument where it is not known.
Refill open_source(const std::string& name, int seed);

/// A source, and others that must give the same numbers. All of them make every block, which is compared bit
/// for bit. So a chain that runs to its end is the chain of each of these sources.
class EqualSources {
 public:
  /// Throws as open_source() does. `others` that are not on this machine go to missing().
  EqualSources(const std::string& name, const std::vector<std::string>& others, int seed);

  [[nodiscard]] bool is_here() const { return static_cast<bool>(first_); }
  /// Throws std::runtime_error where a source gives another number, and says which.
  void refill(std::vector<double>& numbers);

  [[nodiscard]] const std::vector<std::string>& compared() const { return names_; }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  /// Numbers that each source has made, and that were compared.
  [[nodiscard]] std::uint64_t numbers() const { return count_; }

 private:
  Refill first_;
  std::vector<Refill> others_;
  std::vector<std::string> names_, missing_;
  std::vector<double> block_;
  std::uint64_t count_ = 0;
};

}  // namespace validation
