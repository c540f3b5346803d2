// A copy of CORSIKA's Cherenkov sequence. Reading it does not advance CORSIKA's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "corsika_runtime/cherenkov/stage.hpp"
#include "ranmar/generator.hpp"

namespace cherenkov::corsika {

/// Reads the sequence from a position on. Positions are CORSIKA's counters of the sequence, NTOT2*10^9 +
/// NTOT, with the numbers that the SEED card skipped.
class SequenceCopy {
 public:
  /// routines: sequence_state is called. block: how many numbers are made at a time.
  SequenceCopy(const Routines& routines, std::size_t block) : routines_(routines), block_(block) {}

  /// CORSIKA stands at `position`. Calls CORSIKA where that is far from what was read last.
  void follow(std::uint64_t position);

  /// CORSIKA's counters may not be those of its state: it draws a negative count of numbers in some steps of
  /// option CERWLEN, which changes its counters alone. The next follow() calls CORSIKA.
  void forget() { known_ = false; }

  /// Numbers [position, position + n). Positions must not be below the one given to follow(), nor below the
  /// end of the last read. Does not call CORSIKA.
  void read(std::uint64_t position, double* out, int n);

  /// The state at `position`. Positions must rise from call to call, those given to is_at() among them.
  ranmar::State<ranmar::Form48> state_at(std::uint64_t position);

  /// Whether CORSIKA's state is that of the sequence at `position`. Positions must rise from call to call.
  bool is_at(std::uint64_t position);

 private:
  [[nodiscard]] ranmar::State<ranmar::Form48> state() const;
  void make_more();

  const Routines& routines_;
  std::size_t block_;
  ranmar::Generator<ranmar::Form48> ahead_{ranmar::Backend::kSimd, 1};  // has made the numbers before made_
  ranmar::Generator<ranmar::Form48> here_{ranmar::Backend::kSimd, 1};   // at position_
  std::vector<double> ready_;                                           // numbers made last, read or not
  std::uint64_t made_ = 0, position_ = 0;
  bool known_ = false;
};

/// CORSIKA's position in its Cherenkov sequence: NTOT2*10^9 + NTOT, with the numbers that the SEED card
/// skipped.
std::uint64_t drawn_for_light(const Routines& routines);

}  // namespace cherenkov::corsika
