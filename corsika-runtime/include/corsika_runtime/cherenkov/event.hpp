// What is known of an event before its light: the telescopes, and how light gets to them. Calls the routines
// for telescopes and refraction, and DISTIP.
#pragma once

#include <cfenv>
#include <string>

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/curved_arrival.hpp"
#include "corsika_runtime/cherenkov/observation.hpp"

namespace cherenkov::corsika {

// The limits by which the stage classifies a step. docs/cherenkov-bound.md says where they come from.

// With option CURVED: margin of the footprints when bunches are chosen, before DISTIP is called. Where
// positions may be off by more (CurvedBound::error), every bunch is emitted.
inline constexpr double kCurvedMargin_cm = 400.;
inline constexpr double kSqrt2 = 1.4142136;  // turns a bound in x and in y into a distance
inline constexpr int kCherenkovSequence = 3;
// With more spheres, looking at all of them is taken to cost more than following a bunch.
inline constexpr std::size_t kMaxFilteredSpheres = 256;

// Keeps work that CORSIKA itself does not do, such as measuring refraction, from being seen in its
// floating-point flags (which gfortran reports at the end of a program), and from being stopped where it
// traps exceptions.

// As long as one lives nothing traps; its end brings back the flags and traps that there were at its
// beginning.
class KeptFloatingPointState {
 public:
  KeptFloatingPointState() { std::feholdexcept(&state_); }
  ~KeptFloatingPointState() { std::fesetenv(&state_); }
  KeptFloatingPointState(const KeptFloatingPointState&) = delete;
  KeptFloatingPointState& operator=(const KeptFloatingPointState&) = delete;

 private:
  std::fenv_t state_;
};

class Event {
 public:
  /// bunches: the sum of the event's bunches. It must outlive this.
  Event(const Routines& routines, const double* bunches) : routines_(routines), bunches_(bunches) {}

  /// Recognises a new event: the sum of bunches is zero until an event's first bunch, or smaller than at the
  /// last call. To be called before each step, whoever does it: later the sum may not be zero any more.
  void look() {
    if (*bunches_ == 0. || *bunches_ < bunches_seen_) forget();
    bunches_seen_ = *bunches_;
  }
  /// The telescopes are read again before the next light. Needed only where look() is not called before each
  /// step.
  void forget() { known_ = false; }

  /// Reads the telescopes of a new event, and measures refraction, or with option CURVED DISTIP, where that
  /// has not been done for this height of the plane. False where all light is left to CORSIKA.
  bool prepare(const ObservationContext& context);
  /// For CORSIKA's own loop, when it calls RAYBND: true if the bunch, refracted down to `plane_height` (cm),
  /// can hit no telescope. Its photons are not looked at.
  bool can_skip(const Bunch& bunch, double plane_height) {
    look();
    return measure(plane_height, true) && cannot_hit(bunch);
  }
  /// Why all light is left to CORSIKA; empty if it is not.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// What prepare() found, where it returned true.
  [[nodiscard]] const Spheres& spheres() const { return spheres_; }
  [[nodiscard]] const RefractionModel& refraction() const { return *refraction_; }
  [[nodiscard]] const CurvedArrival& curved_arrival() const { return *curved_arrival_; }
  [[nodiscard]] const FootprintMap& ground() const { return ground_; }
  /// With option CURVED: footprints with kCurvedMargin_cm.
  [[nodiscard]] const FootprintMap& wide_ground();
  /// With option CURVED: DepthProfile::curved_bins(); none where no profile is filled.
  [[nodiscard]] const std::vector<DistanceRange>& curved_bins() const { return curved_bins_; }
  /// How many times telescopes were read: once for each event.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The detection plane with the event's impact_offset: Plane::x_impact, y_impact. With option CURVED x0 and
  /// y0 are 0.
  [[nodiscard]] Plane plane_of(const ObservationContext& context) const;
  /// Whether a telescope may see light within the bound.
  [[nodiscard]] bool may_see(const StepBound& bound) const;
  /// With option CURVED: whether one may see this light of a step at apparent heights. Sets `bound`.
  [[nodiscard]] bool may_see(const Step& step, const CurvedRange& light, const ObservationContext& context,
                             CurvedBound& bound) const;
  /// Whether a bunch surely hits no telescope.
  [[nodiscard]] bool cannot_hit(const Bunch& bunch) const;

 private:
  bool measure(double plane_height, bool refracted);
  bool find_curved(const ObservationContext& context);
  bool check_depth_bins(const ObservationContext& context);
  void read_telescopes();
  void disable(const std::string& why);

  Routines routines_;
  const double* bunches_;
  std::string why_not_;
  std::optional<RefractionModel> refraction_;
  std::optional<CurvedArrival> curved_arrival_;
  std::vector<Footprint> footprints_;
  FootprintMap ground_;
  std::optional<FootprintMap> wide_ground_;
  Spheres spheres_;
  std::vector<DistanceRange> curved_bins_;
  double impact_[2] = {0., 0.};  // impact_offset, see Plane::x_impact
  double bunches_seen_ = 0.;
  bool known_ = false, edges_known_ = false;  // the event, its depth bins
  bool is_refracted_ = false;                 // light of refraction_
  std::uint64_t count_ = 0;
};

inline PlanSettings plan_settings(const Event& event, const Emission& emission,
                                  const ObservationContext& context) {
  return {emission.cut_w, emission.yield, emission.bunch_size, event.plane_of(context), context.profile.axis};
}

}  // namespace cherenkov::corsika
