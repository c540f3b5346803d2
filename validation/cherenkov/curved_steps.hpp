// Random showers and steps of the curved geometry, as CORSIKA hands them to CERENK.
#pragma once

#include <cstddef>
#include <optional>

#include "package.hpp"
#include "ray_table.hpp"

namespace cherenkov::test {

/// A shower whose zenith angle is up to max_zenith (radians); more often than not it is above 60 degrees.
/// observed: height of the detection plane, cm above sea level. The array is one telescope, five copies of
/// VERITAS's four, or 60 telescopes.
Shower random_curved_shower(Random& random, double observed, double max_zenith);

/// A step that emits light, brought before CERENK's loop by curved_loop_of().
struct CurvedStep {
  CurvedLoop loop{};
  corsika::Emission emission{};
  /// Whether light of one bunch was aimed at the rim of a telescope's sphere (or footprint, where the package
  /// counts by these), and how far outside of the rim it then passes, cm; below 0: inside.
  bool aimed = false;
  double outside = 0.;
  /// Whether the particle's direction has length 1 (a mean of two directions is shorter). brute_force uses
  /// `outside` only then.
  bool unit = false;
};

/// Makes steps of one shower. Half of them are aimed: of the cone of light of one bunch, that part grazes the
/// rim of a telescope which is closest to it.
class CurvedSteps {
 public:
  /// shower and package (with the shower's telescopes) live as long as this does. Distances are those of
  /// RayTable::played().
  CurvedSteps(Random& random, const Shower& shower, const Package& package);

  struct Vector {
    double x, y, z;  ///< z downwards where it is a direction
  };

  /// Empty where CERENK returns before its loop.
  std::optional<CurvedStep> next();

 private:
  struct Wanted;  // a step in the telescopes' frame and in apparent heights
  Wanted wanted();
  std::size_t any_telescope();
  [[nodiscard]] double away_per_sine(const Vector& light, double above) const;
  void aim_at_rim(Wanted& wanted);
  void aim_around(Wanted& wanted);
  [[nodiscard]] double height_above_sea(const Wanted& wanted) const;
  corsika::ChargedStep charged_step(const Wanted& wanted, corsika::CurvedFrame& frame);
  void into_corsikas_frame(corsika::ChargedStep& step, corsika::CurvedFrame& frame);

  Random& random_;
  const Shower& shower_;
  const Package& package_;
  bool tables_;  // refractive indices are from tables, not from densities
  corsika::LastIndex last_index_;
};

}  // namespace cherenkov::test
