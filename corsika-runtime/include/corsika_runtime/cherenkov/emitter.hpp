// Emits the light of steps: takes over CERENK's loop over a step's bunches.
#pragma once

#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "corsika_runtime/cherenkov/event.hpp"
#include "corsika_runtime/cherenkov/light_numbers.hpp"
#include "corsika_runtime/light_options/light_option.hpp"

namespace cherenkov::corsika {

/// What was done so far. A step is bounded if the bounds that are derived for a whole step hold for it
/// (docs/cherenkov-bound.md#steps-that-are-not-bounded).
struct Counts {
  std::uint64_t steps = 0;            ///< that were emitted here
  std::uint64_t each_bunch = 0;       ///< of these, steps not bounded: each bunch was tested by itself
  std::uint64_t left_to_corsika = 0;  ///< steps that CORSIKA emits
  std::uint64_t bunches = 0;          ///< of `steps`
  std::uint64_t traced = 0;           ///< of those, the ones that were followed to the ground
  /// Steps whose bunches were tested one by one, because by the test of the whole step the light may pass
  /// through a sphere, or because they are too low for that test.
  std::uint64_t near_telescopes = 0;
  std::uint64_t skipped = 0;  ///< bunches skipped one by one, but those of bounded steps in flat air
  std::uint64_t maps = 0;     ///< how many FootprintMaps were made: one per event
};

/// Sets what in context depends on step i: straight, if there is one, and by_electron.
void set_straight(const RecordedSteps& steps, int i, ObservationContext& context);

/// Sets the indices of the first `count` steps, or with option CURVED their `loops` (curved_loops_of()).
void find_indices(RecordedSteps& steps, int count, const Emission& emission,
                  const ObservationContext& context, LastIndex& last, CurvedLoop* loops = nullptr);

/// The loop over a step's bunches as CERENK has it: every bunch is emitted, counted, drawn for and put into
/// the longitudinal distribution with CERENK's own bits, but only bunches that may hit a telescope are
/// followed to the ground. A bunch may hit where its straight line, shifted by refraction, comes within a
/// bounded error of a footprint and a sphere (docs/cherenkov-bound.md derives the bound). emit() does a step
/// completely, or does nothing and leaves it to CORSIKA.
/// The functions throw what the routines throw; can_hand_over() tells what is left then.
class Emitter {
 public:
  explicit Emitter(const Routines& routines) : Emitter(routines, target_of(routines)) {}
  /// target: copies of numbers and sums, or CORSIKA's own. Of `routines` draw, collect and counters are not
  /// called.
  Emitter(const Routines& routines, LightTarget target)
      : routines_(routines), target_(std::move(target)), event_(routines, target_.bunches) {}

  /// Emits the light of a step, as CERENK's loop does. False, and nothing is done, where CORSIKA must do it.
  bool emit(const Step& step, const ObservationContext& context);

  /// The same with option CURVED. False for steps of more than 16,384 bunches, of more than 100 of which some
  /// emit no light, with a value that is not finite, and where DISTIP is not as CurvedArrival measures it.
  bool emit(const CurvedLoop& loop, const Emission& emission, const ObservationContext& context);

  /// The same of the step that `option` was asked about last.
  bool emit(const LightOption& option, const Emission& emission, const ObservationContext& context);

  /// Emits the light of the first `count` steps, 1 to kChunkSteps, in their order. context: for all of them.
  /// corsika: called for each step that CORSIKA must do, with its number.
  void emit(RecordedSteps& steps, int count, const Emission& emission, const ObservationContext& context,
            const std::function<void(int)>& corsika);

  /// The same in parts, after find_indices(). plan() looks at `count` steps; it draws nothing and changes no
  /// sum. emit_planned() emits the steps from `first` on; it returns the number of the first one that CORSIKA
  /// must do, or `count`. When CORSIKA has done it the rest follows, from the next one on. Sets
  /// context.straight, if there is one, for each step. loops: with option CURVED those of the steps.
  void plan(const RecordedSteps& steps, int count, const Emission& emission,
            const ObservationContext& context);
  int emit_planned(const RecordedSteps& steps, int first, int count, ObservationContext& context,
                   const CurvedLoop* loops = nullptr);

  /// From now on emit() appends bunches that may hit to `later`, in their order; arrive() is to be called for
  /// each. `later` must outlive this, or the next call; null: emit() does all.
  void keep_light(std::vector<Bunch>* later) { kept_light_ = later; }

  /// Takes a bunch to the detection plane, as CERENK does, through RAYBND, THICK, or DISTIP and TOFIP, and
  /// hands it to LightTarget::collect; with option CURVED only if a telescope may be where it arrives. May
  /// run in parallel with emit(), but for an event's first light.
  void arrive(const Bunch& emitted, const ObservationContext& context);

  /// The event of the light: emit() and plan() prepare it themselves.
  [[nodiscard]] Event& event() { return event_; }

  /// Emits the light of the steps from `first` on that a device has answered, which are recorded in `chunks`.
  /// Returns the first one that the host must do, or of which a sum is not known: it is no longer in the
  /// power of two that the device was told, or the next. Sets context.straight.
  std::size_t emit_answered(std::span<const StepAnswer> answers, std::size_t first,
                            std::span<const RecordedSteps> chunks, ObservationContext& context);

  /// Counts a bunch of CORSIKA's own loop for which Event::can_skip() returned true.
  void skip(double photons);

  /// Must be called for every step that CORSIKA emits without a call of emit(), before CORSIKA emits it: else
  /// a new event could be missed (Event::look()).
  void left_to_corsika();

  /// After one of the above has thrown: whether CORSIKA's own code can take over, because nothing of the step
  /// or bunch in hand was drawn or counted.
  [[nodiscard]] bool can_hand_over() const { return !halfway_; }

  [[nodiscard]] Counts counts() const {
    Counts counts = counts_;
    counts.maps = event_.count();
    return counts;
  }
  /// Why emit() left the last such step to CORSIKA, and what to change. The address of a reason stays.
  [[nodiscard]] const char* why_left() const {
    return event_.why_not().empty() ? why_left_ : event_.why_not().c_str();
  }

 private:
  // A step as its light is emitted. step: with option CURVED at apparent heights.
  struct LitStep {
    const Step& step;
    const ObservationContext& context;
    Step::Point half = half_of(step.between);  // of the way from one bunch to the next, as CERLDE has it
  };

  bool leave(const char* why);
  // Runs `work`, which changes sums and appends bunches to bunches_to_follow(), and follows these bunches. If
  // it throws, the step is half done, and CORSIKA cannot take over.
  template <class Work>
  void irrevocably(const ObservationContext& context, Work&& work) {
    halfway_ = true;
    own_light_.clear();
    work();
    const double photons = *target_.photons, bunches = *target_.bunches;
    for (const Bunch& bunch : own_light_) arrive(bunch, context);
    // collect() counts what it is given; the sums are of all bunches.
    *target_.photons = photons;
    *target_.bunches = bunches;
    event_.look();
    halfway_ = false;
  }
  // Of bunches that may hit, in their order.
  std::vector<Bunch>& bunches_to_follow() { return kept_light_ == nullptr ? own_light_ : *kept_light_; }
  void count_step(std::size_t bunches) {
    ++counts_.steps;
    counts_.bunches += bunches;
  }
  // The sum of all light that is counted.
  [[nodiscard]] double& counted(const ObservationContext& context) const {
    return context.grid && !context.by_electron ? *target_.bunches : *target_.photons;
  }
  // A step that no telescope sees. total, in_bin: the sums with its light, that of `bin` where it is not 0.
  void add_skipped_step(int bunches, double total, int bin, double in_bin, const ObservationContext& context);
  void draw_azimuths(int bunches);
  void step_over_azimuths(int bunches) {
    target_.numbers->step_over(static_cast<std::uint64_t>(azimuths_drawn(bunches)));
  }
  [[nodiscard]] Bunch bunch_of(const LitStep& here, const Step::Point& at, const BunchLight& light) const;
  // Takes it to where it arrives. False where no telescope can be there.
  [[nodiscard]] bool arrive_curved(Bunch& bunch, const ObservationContext& context) const;

  // Down to choose(): of bunches in lit_. Places are counted from the first one behind here.step.before.
  // The bin that surely holds the light from one place to another; 0 if none is known.
  int only_bin(const LitStep& here, int first_place, int last_place);
  void add_to_bins(const LitStep& here, const Step::Point& at, double photons) const;
  void fill_bins(const LitStep& here, BunchPlaces& places, std::size_t first, std::size_t count);
  // Adds all to the sums.
  void add_sums(const LitStep& here);
  // Adds them one by one, but for those that the zenith cut drops, and appends those that may hit to
  // bunches_to_follow().
  void add_one_by_one(const LitStep& here);
  // Appends bunches to bunches_to_follow() that may hit: of n from number `first` of the step on, which stand
  // from row `row`. With a DetectorGrid only those that hit; and those that are counted are added to the sum.
  void choose(const LitStep& here, int first, int n, std::size_t row, const Plane& plane, double refraction_k,
              const FootprintMap& ground, const LineUncertainty& uncertainty, BunchPlaces& places);

  // Emits a step whose bounds hold. False, and nothing is done, where they are not good enough.
  bool emit_bounded(const Step& step, const StepBound& bound, const ObservationContext& context);
  // Emits step i where no telescope may see its light and all of it is in one bin, as most steps' is. False,
  // and nothing is done, where that is not known.
  bool try_skip_step(int i, const StepBound& bound, const ObservationContext& context);
  // Emits step i and tests each of its bunches by itself. For steps that are not bounded, for example light
  // near threshold or nearly horizontal, or a vertical particle
  // (docs/cherenkov-bound.md#steps-that-are-not-bounded).
  bool try_each_bunch(const RecordedSteps& steps, int i, const ObservationContext& context);
  // Option CURVED: false where a value is not a number.
  bool find_curved_bunches(const CurvedLoop& loop, const Emission& emission, double plane_height);
  // Emits the steps from `first` on that no telescope sees (kNone, kUnseen). Returns the first other one, or
  // one of which a sum is not known.
  std::size_t skip_steps(std::span<const StepAnswer> answers, std::size_t first,
                         const ObservationContext& context);
  // A step of kDetailed. Tests only bunches whose azimuth is in a sector that is set.
  void emit_detailed(const StepAnswer& answer, const RecordedSteps& steps, int in_chunk,
                     ObservationContext& context);
  void append_sectors(const LitStep& here, std::uint64_t sectors);
  void fill_two_bins(const LitStep& here, const StepAnswer& answer);

  Routines routines_;
  LightTarget target_;
  Event event_;
  const char* why_left_ = kUnbounded;
  Counts counts_;
  std::vector<Bunch> own_light_;
  std::vector<Bunch>* kept_light_ = nullptr;
  LitBunches lit_;
  // Option CURVED, of lit_. range_.all_lit: no bunch is below threshold, or at or below the plane. has_gaps_:
  // one above the plane is below threshold.
  BetaRange range_{};
  bool has_gaps_ = false;
  bool halfway_ = false;  // see irrevocably()
  int likely_bin_ = 0;
  LastIndex last_index_;
  std::array<CurvedLoop, kChunkSteps> loops_{};  // option CURVED
  // Of the steps that are planned.
  StepPlans plans_{};
  Emission emission_{};
  bool is_prepared_ = false;
};

}  // namespace cherenkov::corsika
