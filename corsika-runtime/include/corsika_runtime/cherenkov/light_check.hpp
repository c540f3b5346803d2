// The check that runs inside CORSIKA: CORSIKA does each step, and a stage does the same step on copies of
// CORSIKA's sequence, sums and longitudinal distribution; both must agree bit for bit. Steps that are
// recorded are compared many together, as they are run, with a helper thread or a device where there is one;
// others one by one. Calls the given routines; writes nothing that CORSIKA reads, with one exception: with
// spot checks it adds bunches that are not followed to the IACT package's counters of photons and bunches.
#pragma once

#include "corsika_runtime/cherenkov/emitter.hpp"

namespace cherenkov::corsika {

struct CheckCounts {
  std::uint64_t steps = 0;       ///< that were checked
  std::uint64_t bunches = 0;     ///< of them, in CORSIKA
  std::uint64_t hits = 0;        ///< bunches that a telescope stored, once for each telescope
  std::uint64_t candidates = 0;  ///< bunches that the stage followed
  std::uint64_t skipped = 0;     ///< bunches of CORSIKA's own loop that the stage would not follow
  std::uint64_t own_loop = 0;    ///< steps that the stage leaves to CORSIKA's loop
  std::uint64_t no_light = 0;    ///< steps that emit nothing
  /// Steps that the stage took with one bunch, and with more than 100. Steps of LightKind::kOther are not
  /// counted.
  std::uint64_t one_bunch = 0, over_100 = 0;
  std::uint64_t several_bins = 0;  ///< taken steps whose light fills several bins of the distribution
  /// Steps of LightKind::kWhole with a bunch within 1e-5 of the threshold. With CURVED beta n between the
  /// step's ends is taken as linear for this.
  std::uint64_t near_threshold = 0;
};

/// One line for the first difference.
struct CheckDifference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What becomes of a step where nothing is checked.
struct StepFate {
  enum What {
    kTaken,    ///< the stage does it, at once or later; it may leave it to CORSIKA
    kDropped,  ///< it emits no light
    kLeft      ///< CORSIKA does it
  } what;
  const char* why;  ///< of kLeft: why, and what to change
  /// What light_of(), curved_loop_of() or a LightOption say of it; kOther where that is not known.
  LightKind light;
  Step step;
};

/// For each step: begin_step() or begin_at_once(), then CORSIKA's CERENK, which calls refract() and
/// collect(), then end_step(). Recorded steps the stage or a HelperThread, made with target(), emits later;
/// then compare(). Between two recorded steps CORSIKA may change nothing that a step reads or writes, unless
/// compare() was called. All throw CheckDifference at the first difference, and what the stage throws.
class LightCheck {
 public:
  /// Emits a step's light. False where the emitter leaves it to CORSIKA.
  using Emit = std::function<bool(Emitter&, const ObservationContext&)>;

  /// routines: all of them. spot_checks: for CHERENKOV_BACKEND=check:N. Not every step is checked; and of the
  /// bunches that the stage skips, CORSIKA follows one in 16. The others are counted as TELOUT counts them.
  explicit LightCheck(const Routines& routines, bool spot_checks = false);
  LightCheck(const LightCheck&) = delete;
  LightCheck& operator=(const LightCheck&) = delete;

  /// What the stage's light is for: the copies.
  [[nodiscard]] LightTarget target();
  /// An emitter with that target.
  [[nodiscard]] Emitter& emitter() { return emitter_; }
  /// `context` with the copy of the longitudinal distribution. For a step that was recorded.
  [[nodiscard]] ObservationContext on_copies(const ObservationContext& context);

  /// Before CORSIKA does a step. chunk, place: where it is recorded, if it is. Where it is left to CORSIKA,
  /// nothing is compared, and no step may be recorded.
  void begin_step(const StepFate& fate, const RecordedSteps* chunk, int place,
                  const ObservationContext& context);
  /// The same of a step that is not recorded. Where it is taken, emitter() does it by `emit` before CORSIKA
  /// does it; where it is left, bunches that the stage would skip must not hit a telescope.
  void begin_at_once(const StepFate& fate, const ObservationContext& context, const Emit& emit);
  /// CORSIKA calls RAYBND. True where it need not refract the bunch. To be called where, in steps that are
  /// left to CORSIKA, its loop asks about each bunch (Event::can_skip).
  bool refract(const Bunch& bunch);
  /// CORSIKA calls TELOUT: as Routines::collect. Calls it, but for a bunch that need not be followed.
  int collect(Arrival light);
  /// CORSIKA is done with the step.
  void end_step();

  /// In place of HelperThread::DoInCorsika: the stage leaves step `place` of `chunk` to CORSIKA, which did
  /// it.
  void left_to_corsika(const RecordedSteps* chunk, int place);
  /// The stage has emitted all recorded steps.
  void compare();
  /// Whether so much is kept that compare() should be called soon.
  [[nodiscard]] bool is_full() const { return bunches_.size() > kMostBunches; }
  /// At the end of an event. Forgets the telescopes: where not every step is checked, the counter of bunches
  /// does not show a new event.
  void end_event() { emitter_.event().forget(); }

  [[nodiscard]] const CheckCounts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kMostBunches = std::size_t{1} << 21;
  struct Sums {
    double photons = 0., bunches = 0.;
    std::uint64_t drawn = 0;
  };
  // A step that the stage does: CORSIKA's sums before it, and the first of its bunches and of its changes of
  // bins.
  struct Taken {
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
    double before, after;  // photons
  };

  [[noreturn]] void differ(const std::string& what, double corsika, double stage) const;
  // At a bunch of CORSIKA.
  [[noreturn]] void differ_at(std::size_t bunch, const std::string& what, double corsika, double stage) const;
  void expect_same(const Sums& corsika, const Sums& stage) const;
  // when: empty, or " between two steps".
  void expect_same_profile(const char* when, const double* corsika, const std::vector<double>& stage) const;
  void expect_same_bin(std::size_t bin, const char* when, double corsika, double stage) const;
  [[nodiscard]] Sums corsikas_sums() const;
  [[nodiscard]] Sums stages_sums() const;
  void match_given();
  void expect_no_hit(std::size_t end, const Arrival* given) const;
  // The next step, or what it would begin with.
  [[nodiscard]] Taken behind(std::size_t step) const;

  Routines routines_;
  bool spot_checks_;
  const std::shared_ptr<CorsikaNumbers> corsikas_numbers_;
  const std::shared_ptr<SequenceCopy> sequence_;  // the stage's
  Emitter emitter_;
  CheckCounts counts_;
  std::uint64_t number_ = 0;      // of the step
  std::uint64_t next_state_ = 0;  // the step from which on states of the sequence are compared again

  // CORSIKA's, and what they were when its last step ended.
  double* photons_ = nullptr;
  double* bunches_counted_ = nullptr;
  const double* profile_ = nullptr;
  Sums last_;
  std::vector<double> last_profile_;

  // The copies. They begin as CORSIKA's before the first of the steps that are compared together.
  bool has_copies_ = false;
  double photons_copy_ = 0., bunches_copy_ = 0.;
  std::vector<double> profile_copy_;

  // Of the step in hand.
  StepFate::What fate_ = StepFate::kLeft;
  bool is_at_once_ = false, is_left_ = false;  // is_left_: a step at once, by the stage or its fate
  double plane_height_ = 0.;
  std::uint64_t drawn_in_all_ = 0;
  // Of a step at once: numbers that TELOUT itself drew for bunches that the stage follows, too.
  std::uint64_t drawn_by_hits_ = 0;
  std::size_t wanted_ = 0;    // the bunch that the stage follows next, in given_
  bool passed_over_ = false;  // the bunch that RAYBND was called for is not followed
  unsigned passed_ = 0;       // bunches that the stage does not follow; a spot check follows some of them

  // What CORSIKA did in the steps.
  std::vector<Taken> steps_;
  std::vector<Change> changes_;
  std::vector<std::uint64_t> bunches_;                    // digests of what TELOUT was given
  std::vector<Bunch> refracted_;                          // what refract() was given
  std::vector<std::pair<std::size_t, Arrival>> hits_;     // bunches that telescopes stored
  std::size_t next_ = 0, next_bunch_ = 0, next_hit_ = 0;  // that the stage has not yet come to
  // What the stage did: light for TELOUT; of a step at once also for RAYBND.
  std::vector<Arrival> given_;
  std::vector<Bunch> kept_;
};

}  // namespace cherenkov::corsika
