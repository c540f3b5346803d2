// What CHERENKOV_BACKEND, CHERENKOV_THREADS and CHERENKOV_UNPROVEN ask for.
#pragma once

#include <cstdint>
#include <string_view>

namespace cherenkov::corsika {

struct RequestedStage {
  bool is_off = false;  ///< off: CORSIKA's own code
  bool device = false;  ///< gpu, check-gpu
  /// check, check-gpu: 1; check:N: N, up to 10^9. CORSIKA and the stage both do every Nth step, or chunk of
  /// recorded steps, and what they did is compared. 0: nothing is checked.
  std::uint64_t check_every = 0;
  bool helper_thread = false;  ///< CHERENKOV_THREADS=1
  /// Whether the hold is lifted on a stage that nobody has proven on the tree of this program.
  bool unproven = false;

  [[nodiscard]] bool checks_any() const { return check_every != 0; }
  [[nodiscard]] bool checks_every_step() const { return check_every == 1; }
  friend bool operator==(const RequestedStage&, const RequestedStage&) = default;
};

/// By the values of the three variables; empty: not set. Throws std::invalid_argument, with one line that
/// says what can be given, where a value is none of these.
RequestedStage stage_requested_by(std::string_view backend, std::string_view threads,
                                  std::string_view unproven);

/// By the environment, read once, at the first call. Throws as stage_requested_by.
const RequestedStage& requested_stage();

}  // namespace cherenkov::corsika
