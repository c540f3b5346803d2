// A step of a charged particle in builds with option CURVED, and what CERENK makes of it before its loop over
// bunches. Changes its arguments alone.
#pragma once

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/exponential_air.hpp"
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

/// The loop over the bunches of a step. A bunch has two heights: the one above sea level, for the refractive
/// index, and the apparent one, above the horizontal plane that touches sea level below the detector. They
/// are the same for a step in the detector's frame.
struct CurvedLoop {
  /// z: heights for the refractive index. beta n is exact at the step's two ends and linear between them;
  /// only the check's counts use it.
  Step step;
  double apparent_before, apparent_between;  ///< apparent heights, as Step::before.z and Step::between.z
  bool stops_at_plane;                       ///< the loop ends before the first bunch at or below the plane
  /// Energy at the start of the step (path 0), GeV; its change per cm of path; mass, GeV.
  double energy, energy_slope, mass;
  double half_z;  ///< half of Step::between.z, which CERLDE uses: ZSTEP2
  /// The height of the step's end, cm, and the refractive index less 1 there. Not to be used with
  /// Emission::tables: index_excess is not set then.
  double index_height, index_excess;

  /// The step at apparent heights.
  [[nodiscard]] CHERENKOV_HOST_DEVICE Step apparent() const {
    Step own = step;
    own.before.z = apparent_before;
    own.between.z = apparent_between;
    return own;
  }
  /// Half of the way from one bunch to the next, as CERLDE has it.
  [[nodiscard]] CHERENKOV_HOST_DEVICE Step::Point half() const {
    return {0., 0.5 * step.between.x, 0.5 * step.between.y, half_z, 0.};
  }
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
/// are more bunches than an int holds. kLinear says here only that `loop` is set; with CURVED CERENK's beta n
/// is not linear. Changes the ends of the step in `charged`, as CERENK changes its arguments: CORSIKA goes on
/// with them. `last` serves the steps of a run, one after the other.
LightKind curved_loop_of(ChargedStep& charged, const CurvedFrame& frame, const Emission& emission,
                         LastIndex& last, CurvedLoop& loop);

/// RecordedSteps::cos_earth of a step that is in the detector's frame.
inline constexpr double kInDetectorFrame = 2.;
/// The same of a step outside of the detector's frame whose end find_end() must still compute.
inline constexpr double kWithoutEnd = 3.;

/// Sets x_end and y_end of an electron's step as ELECTR does, bit for bit. On entry x_end holds the length of
/// the step's chord, VSTEP. Returns the cosine of the angle at the Earth's centre, CTEA. earth_radius: cm.
double find_end(ChargedStep& charged, double earth_radius);

/// What find_end() makes of steps, and the angle at the Earth's centre from the detector to their beginnings.
struct ElectronEnds {
  alignas(64) double x[kChunkSteps], y[kChunkSteps], angle[kChunkSteps];
};

/// Of the first `count` steps, of those that are kWithoutEnd, in SIMD lanes; other rows of `steps` must be
/// finite.
void find_ends(const RecordedSteps& steps, int count, double earth_radius, ElectronEnds& ends);

/// curved_loop_of() for the first `count` recorded steps; find_end() before it, where it must be called. Of
/// frame only earth_radius and plane_height are read. Step::bunches is 0 for kNone and -1 for kOther; the
/// rest of that loop is then undefined. Rows of `steps` beyond `count` must be finite.
void curved_loops_of(const RecordedSteps& steps, int count, CurvedFrame frame, const Emission& emission,
                     LastIndex& last, CurvedLoop* loops);

}  // namespace cherenkov::corsika
