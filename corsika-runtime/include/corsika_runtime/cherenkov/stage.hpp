// The Cherenkov stage of CORSIKA: takes over the loop over a step's bunches.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cherenkov/bunches.hpp"
#include "cherenkov/refraction_model.hpp"
#include "cherenkov/ring.hpp"
#include "corsika_runtime/cherenkov/curved_arrival.hpp"
#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "corsika_runtime/cherenkov/depth_profile.hpp"
#include "corsika_runtime/cherenkov/light_numbers.hpp"
#include "corsika_runtime/cherenkov/observation.hpp"
#include "corsika_runtime/cherenkov/routines.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"
#include "corsika_runtime/cherenkov/unrefracted_timing.hpp"
#include "corsika_runtime/cherenkov/wavelength_step.hpp"

namespace cherenkov::corsika {

class PhotonLosses;    // efficiency/photon_losses.hpp
struct AnsweredSteps;  // device_steps.hpp
struct CurvedBound;

/// What was done so far. A step is bounded if the bounds that are derived for a whole step hold for it
/// (docs/cherenkov-bound.md#steps-that-are-not-bounded).
struct Counts {
  std::uint64_t steps = 0;            ///< that the stage did
  std::uint64_t each_bunch = 0;       ///< of these, steps not bounded: each bunch was tested by itself
  std::uint64_t left_to_corsika = 0;  ///< steps that CORSIKA emits
  std::uint64_t bunches = 0;          ///< of the steps that the stage did
  std::uint64_t traced = 0;           ///< of those, the ones that were followed to the ground
  /// Bounded steps whose bunches were tested one by one, because by the test of the whole step (by its Ring)
  /// the light may pass through a sphere, or because they are too low for that test. With CURVED all steps
  /// whose bunches were tested one by one.
  std::uint64_t rings = 0;
  std::uint64_t skipped = 0;  ///< bunches skipped one by one, in steps not bounded and in CORSIKA's own loop
  std::uint64_t maps = 0;     ///< how many FootprintMaps were made: one per event
};

/// A bunch as CERENK hands it to RAYBND, in the telescopes' frame. With option CURVED before it is turned
/// into that frame: (x, y) is where it is emitted, and height its apparent height.
struct Bunch {
  double photons;
  double x, y;                      ///< where a straight line arrives, cm
  double u, v, w;                   ///< direction, w downwards
  double height;                    ///< of emission, cm above sea level
  double time;                      ///< of emission, ns; with option CURVED s
  double wavelength = 0.;           ///< nm; 0 where it is not known
  UnrefractedTiming::Way way = {};  ///< where light goes straight
};

/// The light of one bunch.
struct BunchYield {
  double cos_theta, sin2_theta, photons;
};

/// The loop over a step's bunches as CERENK has it: every bunch is emitted, counted, drawn for and put into
/// the longitudinal distribution with CERENK's own bits, but only bunches that may hit a telescope are
/// followed to the ground. A bunch may hit where its straight line, shifted by refraction, comes within a
/// bounded error of a footprint and a sphere (docs/cherenkov-bound.md derives the bound). emit() does a step
/// completely, or does nothing and leaves it to CORSIKA.
/// The functions throw what the routines throw; can_hand_over() tells what is left then.
class Stage {
 public:
  static const char* const kUnbounded;  ///< why single steps are left

  explicit Stage(const Routines& routines) : Stage(routines, target_of(routines)) {}
  /// For copies, or CORSIKA's own. Of `routines` draw, collect and, where the target has sums, counters are
  /// not called.
  Stage(const Routines& routines, LightTarget target)
      : routines_(routines),
        target_(std::move(target)),
        numbers_(target_.numbers.get()),
        photons_(target_.photons),
        bunches_(target_.bunches) {}

  /// Emits the light of a step, as CERENK's loop does. False, and nothing is done, where CORSIKA must do it.
  bool emit(const Step& step, const ObservationContext& context);

  /// The same with option CURVED. False for steps of more than 16,384 bunches, of more than 100 of which some
  /// emit no light, with a value that is not finite, and where DISTIP is not as CurvedArrival measures it.
  bool emit(const CurvedLoop& loop, const Emission& emission, const ObservationContext& context);

  /// The same with option CERWLEN. False also for a step of one bunch: CERENK must see it, to know the change
  /// of energy for steps to come; and where light is not refracted.
  bool emit(const WavelengthLoop& loop, const WavelengthBand& band, const Emission& emission,
            const ObservationContext& context);

  /// The same with option CEFFIC, also together with CERWLEN (then not for a step of one bunch). last_number:
  /// set to the number drawn last for wavelength or loss of a photon.
  bool emit(const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
            const ObservationContext& context, double& last_number);

  /// Emits the light of the first `count` steps, 1 to kChunkSteps, in their order. context: for all of them;
  /// sin_particle is not read. corsika: called for each step that CORSIKA must do, with its number.
  void emit(const RecordedSteps& steps, const StepIndices& indices, int count, const Emission& emission,
            const ObservationContext& context, const std::function<void(int)>& corsika);

  /// The same in parts. plan() looks at `count` steps; it draws nothing and changes no sum. It keeps the
  /// address of `indices`, which emit_planned() reads. emit_planned() emits the steps from `first` on; it
  /// returns the number of the first one that CORSIKA must do, or `count`. When CORSIKA has done it the rest
  /// follows, from the next one on.
  void plan(const RecordedSteps& steps, const StepIndices& indices, int count, const Emission& emission,
            const ObservationContext& context);
  int emit_planned(const RecordedSteps& steps, int first, int count, ObservationContext context);

  /// From now on emit() appends bunches that may hit to `later`, in their order; arrive() is to be called for
  /// each. `later` must outlive this, or the next call; null: emit() does all.
  void keep_light(std::vector<Bunch>* later) { kept_ = later; }

  /// Takes a bunch to the detection plane, as CERENK does, through RAYBND, THICK, or DISTIP and TOFIP, and
  /// hands it to LightTarget::collect; with option CURVED only if a telescope may be where it arrives. May
  /// run in parallel with emit(), but for an event's first light.
  void arrive(const Bunch& emitted, const ObservationContext& context);

  /// The telescopes are read again before the next light. Needed only where not all steps of an event come
  /// here: else a new event is known by its number of bunches.
  void forget_event() { event_known_ = false; }

  /// Reads the telescopes at a new event, and measures refraction, or with option CURVED DISTIP, if that has
  /// not been done for this height of the plane; emit() and plan() do so themselves. False where all light is
  /// left to CORSIKA.
  bool prepare(const ObservationContext& context);

  /// What prepare() found, where it returned true.
  [[nodiscard]] const Spheres& spheres() const { return spheres_; }
  [[nodiscard]] const RefractionModel& refraction() const { return *refraction_model_; }
  [[nodiscard]] const CurvedArrival& curved_arrival() const { return *curved_arrival_; }
  /// The detection plane with the event's impact_offset: Plane::x_impact, y_impact. With option CURVED x0 and
  /// y0 are 0.
  [[nodiscard]] Plane plane_of(const ObservationContext& context) const;

  /// Emits the light of a step whose answer is kUnseen: answer i. False, and nothing is done, where it is not
  /// kUnseen, or a sum is not known: it is no longer in the power of two that the device was told, or the
  /// next.
  bool try_add(const AnsweredSteps& answered, std::size_t i, const ObservationContext& context);

  /// Emits the light of a step whose answer is kDetailed: answer i of `answered`, recorded as step `in_chunk`
  /// of `steps`. Tests only bunches whose azimuth is in a sector that is set.
  void emit_detailed(const AnsweredSteps& answered, std::size_t i, const RecordedSteps& steps, int in_chunk,
                     ObservationContext context);

  /// For CORSIKA's own loop, when it calls RAYBND: true if the bunch, refracted down to `plane_height`, can
  /// hit no telescope; it is then only to be counted, with skip(). The bunch's photons are not looked at.
  bool can_skip(const Bunch& bunch, double plane_height);

  /// Counts a bunch for which can_skip() returned true.
  void skip(double photons);

  /// Must be called for every step that CORSIKA emits without a call of emit(), before CORSIKA emits it. The
  /// stage recognises a new event because the IACT package's counter of bunches is zero, as it is until an
  /// event's first bunch. If CORSIKA did an event's first steps without this call, the counter would not be
  /// zero any more, and the stage could miss the new event.
  void left_to_corsika();

  /// After one of the above has thrown: whether CORSIKA's own code can take over, because nothing of the step
  /// or bunch in hand was drawn or counted.
  [[nodiscard]] bool can_hand_over() const { return !halfway_; }

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Why every step is left to CORSIKA; empty if it is not.
  [[nodiscard]] const std::string& disabled_reason() const { return disabled_reason_; }
  /// Why emit() left the last such step to CORSIKA, and what to change. The address of a reason stays.
  [[nodiscard]] const char* why_left() const {
    return disabled_reason_.empty() ? why_left_ : disabled_reason_.c_str();
  }

 private:
  void detect_new_event();
  // False where all light is left to CORSIKA. refracted: refraction is measured, if that has not been done.
  bool prepare_event(double plane_height, bool refracted);
  bool check_depth_bins(const ObservationContext& context);
  bool find_curved_arrival(const ObservationContext& context);
  void find_refraction(double plane_height, bool refracted);
  void read_telescopes();
  void disable(const std::string& why);
  [[nodiscard]] bool cannot_hit(const Bunch& bunch) const;
  bool try_step(const Step& step, const ObservationContext& context);
  // Emits step i of plans_ where no telescope can see it and all of it falls into one bin, as most steps do.
  bool try_unseen(int i, const ObservationContext& context);
  // Emits step i and tests each of its bunches by itself. For steps that are not bounded, for example light
  // near threshold or nearly horizontal, or a vertical particle
  // (docs/cherenkov-bound.md#steps-that-are-not-bounded).
  bool try_each_bunch(const RecordedSteps& steps, int i, const ObservationContext& context);
  // A bunch that emits light: where, how much, and its azimuth over 2 pi. wavelength: as of Bunch.
  struct LitBunch {
    Step::Point at;
    BunchYield light;
    double azimuth;
    double wavelength = 0.;
  };
  [[nodiscard]] Bunch bunch_of(const Step& step, const LitBunch& lit,
                               const ObservationContext& context) const;
  // Of a bunch that may hit: now, or later.
  void follow(const Bunch& bunch, const ObservationContext& context);
  // Takes it to where it arrives. False where no telescope can be there.
  [[nodiscard]] bool arrive_curved(Bunch& bunch, const ObservationContext& context) const;
  // Emits `count` bunches of a step as CERENK does, and tests each by itself. lit(k): bunch k of them, a
  // LitBunch; called in rising order.
  template <class Lit>
  void emit_one_by_one(const Step& step, std::size_t count, const ObservationContext& context,
                       const Lit& lit) {
    const Step::Point half = half_of(step.between);
    double total = *photons_, bunches = *bunches_;
    for (std::size_t k = 0; k < count; ++k) {
      const LitBunch one = lit(k);
      const Bunch bunch = bunch_of(step, one, context);
      if (bunch.w < context.cut_w) continue;
      if (context.fill_profile) context.profile.add(one.at, half, bunch.photons, routines_.thickness);
      total += bunch.photons;
      bunches += 1.;
      if (cannot_hit(bunch))
        ++counts_.skipped;
      else
        follow(bunch, context);
    }
    *photons_ = total;
    *bunches_ = bunches;
  }
  struct Plan;
  std::optional<Plan> plan_of(const Step& step, const ObservationContext& context);
  void set_step(const RecordedSteps& steps, int i, ObservationContext& context) const;
  static void set_straight(const RecordedSteps& steps, int i, ObservationContext& context);
  void emit_bunches(const Step& step, const ObservationContext& context, const Plan& plan);
  // Runs `work`. If it throws, the step is half done, and CORSIKA cannot take over.
  template <class Work>
  void irrevocably(Work&& work) {
    halfway_ = true;
    work();
    halfway_ = false;
  }
  // Option CURVED: the bunches of a step that emit light, at their apparent heights, with CERENK's bits.
  struct CurvedBunches {
    // With padding. path, height, index: of all bunches of the step; the others of those that emit light.
    std::vector<double> path, height, index, apparent, beta_n, cosine, sine2, photons;
    int count = 0;
    bool all_lit = true;           // no bunch is below threshold, and none at or below the plane
    double least = 0., most = 0.;  // of beta n
    // Where the bunches are emitted, z is the apparent height. Made by find_points(), for few steps need it.
    std::vector<Step::Point> at;
    bool points_known = false;
    bool some_unlit = false;  // a bunch above the plane is below threshold, so the others have gaps
    std::vector<int> number;  // where some are not lit: of each lit one, how many bunches come before it

    // Apparent heights, cm; of at least one bunch.
    [[nodiscard]] double lowest() const {
      return std::min(apparent[0], apparent[static_cast<std::size_t>(count - 1)]);
    }
    [[nodiscard]] double highest() const {
      return std::max(apparent[0], apparent[static_cast<std::size_t>(count - 1)]);
    }
    [[nodiscard]] int number_of(int lit) const {
      return some_unlit ? number[static_cast<std::size_t>(lit)] : lit;
    }
    void make_room(std::size_t n);
    // Takes out the bunches that emit nothing; false where a value is not a number.
    bool keep_lit(std::size_t n);
    void find_points(const Step& step);
  };
  bool find_curved_bunches(const CurvedLoop& loop, const Emission& emission, double plane_height);
  // Where the light of the bunches in curved_ can arrive.
  [[nodiscard]] CurvedBound bound_of(const CurvedLoop& loop, const ObservationContext& context) const;
  [[nodiscard]] int only_curved_bin(const CurvedLoop& loop, const ObservationContext& context, int first,
                                    int count);
  // The next three emit the bunches in curved_. emit_unseen() follows none of them, emit_chosen() those that
  // may hit by `bound`, and emit_each() tests all where they arrive.
  void emit_unseen(const CurvedLoop& loop, const ObservationContext& context);
  void emit_chosen(const CurvedLoop& loop, const ObservationContext& context, const CurvedBound& bound);
  void emit_each(const CurvedLoop& loop, const ObservationContext& context);
  // Of bunch k of curved_, before it is turned into the telescopes' frame; (x, y) is where it is emitted.
  [[nodiscard]] Bunch curved_bunch(const Step& step, std::size_t k, double azimuth, double two_pi) const;
  void add_curved_sums(const CurvedLoop& loop, const ObservationContext& context);
  void fill_curved(const CurvedLoop& loop, const ObservationContext& context, int first, int count);
  // Option CERWLEN: the bunches of a step that emit light, with CERENK's bits.
  struct WavelengthBunches {
    std::vector<double> path, height, index, beta;  // of all bunches of the step
    std::vector<int> number;                        // which of the step's bunches it is, from 0
    std::vector<double> random, azimuth;            // CERENK's numbers for wavelength and azimuth
    std::vector<double> beta_n, cosine, sine2;
    std::vector<double> photons;  // with padding
    std::size_t count = 0;
    double least = 0., most = 0.;  // of beta n

    void make_room(std::size_t n);
  };
  // The numbers that CERENK draws for a step, and its rule.
  class WavelengthDraws;
  // What does not depend on wavelengths. False where a value is not a number; nothing is drawn.
  bool find_betas(const WavelengthLoop& loop, const Emission& emission);
  // Draws, and finds the bunches that emit light.
  void draw_wavelengths(const WavelengthLoop& loop, const WavelengthBand& band);
  // The test of a whole step, by the least and the most beta n of its bunches. Bunches may be missing.
  [[nodiscard]] bool surely_unseen(const Step& step, double least, double most,
                                   const ObservationContext& context) const;
  // Adds `count` bunches to the sums. They stand at some of the step's first `places` places (PhotonLoop), in
  // rising order; number: at which, from 0.
  void add_bunches(const Step& step, int places, const int* number, const double* photons, std::size_t count,
                   const ObservationContext& context);
  void follow_wavelengths(const WavelengthLoop& loop, const WavelengthBand& band,
                          const ObservationContext& context);
  // Option CEFFIC: the photons of a step that mirror and photocathode detect.
  struct DetectedPhotons {
    std::vector<Step::Point> at;
    std::vector<int> number;      // of its place (PhotonLoop)
    std::vector<double> numbers;  // that were drawn
    std::vector<double> wavelength, azimuth, beta_n, cosine, sine2;
    // For absorption in air: ATABSO's number, coefficient, and the least and the most w.
    std::vector<double> random, extinction, low_w, high_w, passage;  // with padding
    std::vector<double> photons;                                     // with padding
    std::size_t count = 0;
    int places = 0;

    void make_room(std::size_t n);
    void move(std::size_t from, std::size_t to);
  };
  // The numbers that CERENK draws for a step, and its rule.
  class PhotonDraws;
  void draw_photons(const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
                    const ObservationContext& context, double& last_number);
  // Takes out the photons that air absorbs.
  void absorb_in_air(const Step& step, const PhotonLosses& losses, const ObservationContext& context);
  void step_over_azimuths(int bunches);
  // Emits a step of n bunches that no telescope sees. total, in_bin: the event's photons, and those of `bin`
  // of the longitudinal distribution (0: none), both with the step's light.
  void add_unseen(int n, double total, int bin, double in_bin, const ObservationContext& context);
  // Computes light_ for n bunches. path: that of the bunch before the first of them.
  void emit_along(const Step& step, double path, int n);
  void fill_profile(const Step& step, const ObservationContext& context, const Step::Point& from, int n);
  // Draws azimuths, and follows what may hit of the light in `sectors` (StepDetails).
  void follow_sectors(const Step& step, std::uint64_t sectors, const ObservationContext& context);
  // Puts the light of a step of kDetailed into the bins: answer i.
  void fill_profile(const Step& step, const AnsweredSteps& answered, std::size_t i,
                    const ObservationContext& context);

  alignas(64) double path_[kPaddedBunches] = {};
  alignas(64) double azimuth_[kPaddedBunches] = {};
  BunchYields light_{};
  StepPlans plans_{};
  Routines routines_;
  LightTarget target_;
  LightNumbers* numbers_;
  std::string disabled_reason_;
  const char* why_left_ = kUnbounded;
  std::optional<RefractionModel> refraction_model_;
  std::optional<CurvedArrival> curved_arrival_;
  std::vector<Bunch>* kept_ = nullptr;
  CurvedBunches curved_;
  BinDistances curved_bins_;  // of the event
  WavelengthBunches waves_;
  DetectedPhotons detected_;
  FootprintMap ground_;
  std::vector<Footprint> footprints_;  // of the event
  FootprintMap wide_ground_;           // option CURVED: the same with kCurvedMargin_cm
  Spheres spheres_;
  Plane plane_{};
  double impact_[2] = {0., 0.};  // the event's impact_offset, see Plane::x_impact
  double* photons_ = nullptr;    // of the event so far, in the IACT package
  double* bunches_ = nullptr;
  double bunches_seen_ = 0.;
  bool halfway_ = false;  // see irrevocably()
  bool event_known_ = false;
  bool edges_known_ = false;  // of the event's depth bins
  bool wide_ground_is_known_ = false;
  Counts counts_;
  int candidates_[kPaddedBunches] = {};
  const StepIndices* indices_ = nullptr;  // of the steps that plans_ are of
  Emission emission_{};
  bool planned_for_event_ = false;
  int likely_bin_ = 0;
};

}  // namespace cherenkov::corsika
