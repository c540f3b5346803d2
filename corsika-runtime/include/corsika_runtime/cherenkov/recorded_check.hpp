// The check of recorded steps, as they are run: CORSIKA does each step at once; the stage does the same steps
// later, many together, with a helper thread or a device where there is one, on copies of CORSIKA's sequence,
// sums and longitudinal distribution. Calls the given routines; writes nothing that CORSIKA reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/light_numbers.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "corsika_runtime/cherenkov/step_check.hpp"

namespace cherenkov::corsika {

/// For each step: begin_step(), then CORSIKA's
/// CERENK, which calls refract() and collect(), then end_step(). The stage or a LightPipeline, made with
/// target(), emits the recorded steps; then compare(). Between two steps CORSIKA may change nothing that a
/// step reads or writes, unless compare() was called. All throw CheckDifference at the first difference.
class RecordedCheck {
 public:
  explicit RecordedCheck(const CheckedRoutines& routines);
  RecordedCheck(const RecordedCheck&) = delete;
  RecordedCheck& operator=(const RecordedCheck&) = delete;

  /// What the light of the stage or the pipeline is for: the copies.
  [[nodiscard]] LightTarget target();
  /// `context` with the copy of the longitudinal distribution. For a step that was recorded.
  [[nodiscard]] ObservationContext on_copies(const ObservationContext& context);

  /// How a step is handled where nothing is checked.
  enum class Handling {
    kRecorded,  ///< the stage does it later
    kDropped,   ///< it cannot emit light
    kLeft       ///< nothing is known of it; no step may be recorded when it begins
  };
  /// Before CORSIKA does a step. chunk, place: where it is recorded. light, step: what bunches_of() or
  /// curved_loop_of() says of it.
  void begin_step(Handling handling, const RecordedSteps* chunk, int place, LightKind light, const Step& step,
                  const ObservationContext& context);
  /// CORSIKA calls RAYBND. To be called where, in steps that are left to CORSIKA, its loop asks the stage
  /// about each bunch (Stage::can_skip).
  void refract(const Bunch& bunch);
  /// CORSIKA calls TELOUT: as Routines::collect.
  int collect(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
              double* height, double* wavelength);
  /// CORSIKA is done with the step.
  void end_step();

  /// In place of LightPipeline::DoInCorsika: the stage leaves step `place` of `chunk` to CORSIKA, which did
  /// it. can_skip: of a bunch that refract() was called for.
  void left_to_corsika(const RecordedSteps& chunk, int place,
                       const std::function<bool(const Bunch&)>& can_skip);
  /// The stage has emitted all recorded steps.
  void compare();
  /// Whether so much is kept that compare() should be called soon.
  [[nodiscard]] bool is_full() const { return bunches_.size() > kMostBunches; }

  /// each_bunch is not counted: the stage does.
  [[nodiscard]] const CheckCounts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kMostBunches = std::size_t{1} << 21;
  struct Sums {
    double photons = 0., bunches = 0.;
    std::uint64_t drawn = 0;
  };
  // A recorded step: CORSIKA's sums before it, and the first of its bunches and of its changes of bins.
  struct Recorded {
    const RecordedSteps* chunk;
    int place;
    std::uint64_t number;
    Sums before;
    std::size_t first_bunch, first_change;
    LightKind light;
    int bunches;
    bool is_left;
  };
  struct Change {
    std::size_t bin;
    double photons;
  };

  [[noreturn]] void differ(const std::string& what, double corsika, double stage) const;
  void expect_same(const Sums& corsika, const Sums& stage) const;
  // when: empty, or " between two steps".
  void expect_same_profile(const char* when, const double* corsika, const std::vector<double>& stage) const;
  [[nodiscard]] Sums corsikas_sums() const;
  [[nodiscard]] Sums stages_sums() const;
  void take_copies(const ObservationContext& context);
  void find_changes();
  void candidate(const Arrival& given);
  void expect_no_hit(std::size_t end, const Arrival* given);
  [[nodiscard]] std::size_t end_of_bunches(std::size_t step) const;
  [[nodiscard]] std::size_t end_of_changes(std::size_t step) const;
  void count(std::size_t step);

  CheckedRoutines routines_;
  const std::shared_ptr<CorsikaNumbers> corsikas_numbers_;
  const std::shared_ptr<SequenceCopy> sequence_;  // the stage's
  CheckCounts counts_;
  std::uint64_t number_ = 0;           // of the step
  std::uint64_t states_compared_ = 0;  // the step at which states of the sequence were compared last

  // CORSIKA's, and what they were when its last step ended.
  double* photons_ = nullptr;
  double* bunches_counted_ = nullptr;
  const double* profile_ = nullptr;
  Sums last_;
  std::vector<double> last_profile_;

  // The copies. They begin as CORSIKA's before the first of the recorded steps.
  bool has_copies_ = false;
  double photons_copy_ = 0., bunches_copy_ = 0.;
  std::vector<double> profile_copy_, replayed_;  // replayed_: CORSIKA's distribution before `next_`

  // Of the step in hand.
  Handling handling_ = Handling::kLeft;
  std::uint64_t drawn_in_all_ = 0;

  // What CORSIKA did in the recorded steps.
  std::vector<Recorded> steps_;
  std::vector<Change> changes_;
  std::vector<std::uint64_t> bunches_;                    // digests of what TELOUT was given
  std::vector<Bunch> refracted_;                          // what refract() was given
  std::vector<std::pair<std::size_t, Arrival>> hits_;     // bunches that telescopes stored
  std::size_t next_ = 0, next_bunch_ = 0, next_hit_ = 0;  // that the stage has not yet come to
};

}  // namespace cherenkov::corsika
