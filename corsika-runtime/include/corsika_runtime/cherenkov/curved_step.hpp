// A step of a charged particle in builds with option CURVED, and what CERENK makes of it before its loop over
// bunches. Changes its arguments alone.
#pragma once

#include "corsika_runtime/cherenkov/index_table.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"

namespace cherenkov::corsika {

/// The Earth, and the frame that a step is given in.
struct CurvedFrame {
  double earth_radius;     ///< cm: C(1)
  double plane_height;     ///< of the detection plane, cm above sea level: OBSLEV(1)
  double cos_earth;        ///< cosine of the angle at the Earth's centre from the detector to the step: CTEA
  bool in_detector_frame;  ///< the step is in the detector's frame already: DETSYS
  /// cos_earth was computed where the step begins, so it need not be again.
  bool angle_of_begin = false;
};

/// The refractive index at one height, kept: a step often begins where the one before ended.
class LastIndex {
 public:
  double at(const Emission& emission, double height) {
    if (height == height_) return index_;
    height_ = height;
    if (emission.tables) return index_ = emission.index(&height);
    excess_ = emission.index_per_density *
              (emission.air != nullptr ? emission.air->density(height) : emission.density(&height));
    return index_ = 1. + excess_;
  }
  /// The height that at() was called with last, cm, and the index less 1 there; excess() only without tables.
  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] double excess() const { return excess_; }

 private:
  double height_ = NAN, index_ = 0., excess_ = 0.;
};

/// What CERENK does with the step, bit for bit: kNone where it returns before it draws, kOther where there
/// are more bunches than an int holds. kWhole: `loop` is set. Changes the ends of the step in `charged`, as
/// CERENK changes its arguments: CORSIKA goes on with them. `last` serves the steps of a run, one after the
/// other. dispersion: LightOption::dispersion_of_steps().
LightKind curved_loop_of(ChargedStep& charged, const CurvedFrame& frame, const Emission& emission,
                         LastIndex& last, CurvedLoop& loop, double dispersion = 1.);

/// RecordedSteps::cos_earth of a step that is in the detector's frame.
inline constexpr double kInDetectorFrame = 2.;

/// Sets x_end and y_end of an electron's step as ELECTR does, bit for bit. On entry x_end holds the length of
/// the step's chord, VSTEP. Returns the cosine of the angle at the Earth's centre, CTEA. earth_radius: cm.
double find_end(ChargedStep& charged, double earth_radius);

/// curved_loop_of() for the first `count` recorded steps; find_end() before it, where it must be called. Of
/// frame only earth_radius and plane_height are read. Step::bunches is 0 for kNone and -1 for kOther; the
/// rest of that loop is then undefined. Rows of `steps` beyond `count` must be finite.
void curved_loops_of(const RecordedSteps& steps, int count, CurvedFrame frame, const Emission& emission,
                     LastIndex& last, CurvedLoop* loops);

}  // namespace cherenkov::corsika
