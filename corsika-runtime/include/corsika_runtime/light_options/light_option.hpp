// An option of CORSIKA that changes the light of a step: what CERENK draws for each bunch or photon, and what
// becomes of it. Each option has a header of this folder. Each operation in CERENK's order, for sources
// compiled with -ffp-contract=off.
#pragma once

#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "corsika_runtime/cherenkov/light_numbers.hpp"

namespace cherenkov::corsika {

/// How many azimuths CORSIKA draws for a step of n bunches: what it needs, and beyond 100 bunches 100 at a
/// time.
constexpr int azimuths_drawn(int n) {
  return n <= kMaxBunches ? n : (n + kMaxBunches - 1) / kMaxBunches * kMaxBunches;
}

/// Light of a build with such an option. Steps are done one by one, as they come. One object a run.
class LightOption {
 public:
  virtual ~LightOption() = default;

  /// What CERENK does with the step, bit for bit: kNone where it returns before it draws, kOther where
  /// CORSIKA must do it, kWhole where the stage may, and loop() is set. Is called for every step of the
  /// run that may emit light, in order, also for those that CORSIKA does. An option that leaves CERENK's loop
  /// over bunches as it is takes light_of() or bunch_loop_of(), as Efficiency::look_at does. In flat air.
  virtual LightKind look_at(const ChargedStep& charged, const Emission& emission) = 0;

  /// In its place with option CURVED, where CERENK computes index and energy of each bunch: the loop, of
  /// curved_loop_of() with dispersion_of_steps().
  void set(const CurvedLoop& its) {
    curved_ = its;
    loop_ = {its.step, BunchLoop::Index::kAtBunch, 0., 0., its.energy, its.energy_slope, its.mass};
  }

  /// Of the step that was looked at last: its bunches, and with option CURVED their apparent heights.
  [[nodiscard]] const BunchLoop& loop() const { return loop_; }
  [[nodiscard]] const std::optional<CurvedLoop>& curved() const { return curved_; }

  /// Why CORSIKA must do this step; null: it need not. Draws nothing. Refuses all that may fail, such as
  /// values that are not finite: afterwards CORSIKA cannot take over. What it leaves in `lit`, draw() finds
  /// there.
  [[nodiscard]] virtual const char* why_left(const Emission& emission, const ObservationContext& context,
                                             LitBunches& lit) const = 0;

  /// Draws what CERENK draws for the step (azimuths alone, where all bunches emit light: azimuths_drawn()),
  /// and puts the bunches that are not lost into `lit`, in CERENK's order: number (the bunch's place),
  /// beta_n, cosine, sine2, photons (of all sums, and of the bunch), azimuth; wavelength may wait for
  /// set_wavelengths(). It or why_left() calls lit.begin(). The stage drops bunches with w below C(29)
  /// (Emission::cut_w); draw() need look at that only where CERENK draws after the test, or where a value
  /// below it would not be finite.
  virtual void draw(const Emission& emission, const ObservationContext& context, LightNumbers& sequence,
                    LitBunches& lit) const = 0;

  /// Sets the wavelengths of bunches that a telescope may see, where draw() did not.
  virtual void set_wavelengths(LitBunches& /*lit*/) const {}

  /// The factor of n - 1 with which CERENK asks whether a step emits light.
  [[nodiscard]] virtual double dispersion_of_steps() const { return 1.; }

 protected:
  /// Bunches or photons of a step that an option takes; longer steps are left to CORSIKA.
  static constexpr int kMost = 65536;

  BunchLoop loop_{};
  std::optional<CurvedLoop> curved_;
};

}  // namespace cherenkov::corsika
