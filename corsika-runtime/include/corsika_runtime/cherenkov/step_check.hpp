// The check that runs inside CORSIKA: every step is done by CORSIKA, and by a stage whose draws, sums and
// light go into copies; both must agree bit for bit. Calls the given routines; writes nothing that CORSIKA
// reads, with one exception: with spot checks it adds bunches that are not followed to the IACT package's
// counters of photons and bunches.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/light_numbers.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"

namespace cherenkov::corsika {

/// What the check calls in addition to the stage's routines.
struct CheckedRoutines {
  Routines stage;  ///< with sequence_counters and sequence_state
  /// Bunches that hit a telescope so far, once for each telescope.
  long (*stored)();
  /// Numbers drawn from all sequences together.
  std::uint64_t (*drawn_in_all)();
};

struct CheckCounts {
  std::uint64_t steps = 0;       ///< that were checked
  std::uint64_t bunches = 0;     ///< of them, in CORSIKA
  std::uint64_t hits = 0;        ///< bunches that a telescope stored, once for each telescope
  std::uint64_t candidates = 0;  ///< bunches that the stage followed
  std::uint64_t skipped = 0;     ///< bunches of CORSIKA's own loop that the stage would not follow
  std::uint64_t own_loop = 0;    ///< steps that the stage leaves to CORSIKA's loop
  std::uint64_t no_light = 0;    ///< steps that emit nothing
  std::uint64_t each_bunch = 0;  ///< steps of which the stage tests each bunch by itself
  /// Steps that the stage took with one bunch, and with more than 100. Steps of LightKind::kOther are not
  /// counted.
  std::uint64_t one_bunch = 0, over_100 = 0;
  std::uint64_t several_bins = 0;  ///< taken steps whose light fills several bins of the distribution
  /// Steps of LightKind::kLinear with a bunch within 1e-5 of the threshold. With CURVED beta n between the
  /// step's ends is taken as linear for this.
  std::uint64_t near_threshold = 0;
};

/// One line for the first difference.
class CheckDifference : public std::exception {
 public:
  explicit CheckDifference(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Call begin(), then CORSIKA's CERENK,
/// which calls refract() and collect(), then end(). All of them throw CheckDifference at the first
/// difference, and what the stage throws.
class StepCheck {
 public:
  /// Does the step with the given stage (draws, sums and light are copies). True if the stage did it, or
  /// found that it emits no light.
  using Emit = std::function<bool(Stage&, const ObservationContext&)>;

  /// spot_checks: for CHERENKOV_BACKEND=check:N. Not every step is checked; and of the bunches that the stage
  /// skips, CORSIKA follows one in 16. The others are counted as TELOUT counts them.
  explicit StepCheck(const CheckedRoutines& routines, bool spot_checks = false);
  StepCheck(const StepCheck&) = delete;
  StepCheck& operator=(const StepCheck&) = delete;

  /// Before CORSIKA does the step. light, step: what bunches_of() says of it; with CURVED,
  /// curved_loop_of() and CurvedLoop::step. emit: empty where the stage leaves the step to CORSIKA's own loop
  /// (bunch by bunch).
  void begin(LightKind light, const Step& step, const ObservationContext& context, const Emit& emit);

  /// CORSIKA calls RAYBND for a bunch, whose photons are not known yet. True where it need not refract it.
  bool refract(const Bunch& bunch);

  /// CORSIKA calls TELOUT: what it is given, as Routines::collect. Calls it, and returns what it returns; 0
  /// for a bunch that need not be followed.
  int collect(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
              double* height, double* wavelength);

  /// CORSIKA is done with the step.
  void end();

  /// At the end of an event. Forgets the telescopes: not every step is checked, so the counter of bunches
  /// does not show a new event.
  void end_event() { stage_.forget_event(); }

  [[nodiscard]] const CheckCounts& counts() const { return counts_; }

 private:
  enum class Kind { kNoLight, kOwnLoop, kTaken };

  [[noreturn]] void differ(const std::string& what, double corsika, double stage) const;
  void expect_same(const char* what, double corsika, double stage) const;
  [[noreturn]] void miss(const Arrival& given) const;
  [[nodiscard]] std::string bunch() const;  // the one that was collected last, for a line
  void compare_profile();
  void count(LightKind light, const Step& step);

  CheckedRoutines routines_;
  bool spot_checks_;
  const std::shared_ptr<CorsikaNumbers> corsikas_numbers_;
  const std::shared_ptr<SequenceCopy> sequence_;  // the stage's
  Stage stage_;
  CheckCounts counts_;
  std::uint64_t number_ = 0;  // of the step

  // CORSIKA's
  double* photons_ = nullptr;
  double* bunches_ = nullptr;
  // the copies that the stage works on
  double photons_copy_ = 0., bunches_copy_ = 0.;
  std::vector<double> profile_copy_;

  // of the step in hand
  Kind kind_ = Kind::kNoLight;
  ObservationContext context_{};
  double bunches_before_ = 0.;
  std::uint64_t drawn_before_ = 0, drawn_in_all_before_ = 0;
  // Numbers that TELOUT itself drew for bunches that the stage follows, too: the stage's copy draws none.
  std::uint64_t drawn_by_hits_ = 0;
  std::vector<Arrival> expected_;  // what the stage gives to TELOUT, in its order
  std::vector<Bunch> refracted_;   // what it gave to RAYBND for them
  std::size_t matched_ = 0;
  // The bunch that RAYBND was called for. passed_over_: it is not followed.
  bool cannot_hit_ = false, passed_over_ = false;
  unsigned passed_ = 0;  // bunches that the stage does not follow; a spot check follows some of them
};

}  // namespace cherenkov::corsika
