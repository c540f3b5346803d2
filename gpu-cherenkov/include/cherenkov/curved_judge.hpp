/// Light of a step in the curved geometry: where it can arrive, whether a telescope can see it, and what it
/// adds to the sums. Host and device code; docs/cherenkov-bound.md derives the bound. To be compiled without
/// contraction. No side effects.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cherenkov/bunch_light.hpp"
#include "cherenkov/step_judge.hpp"

namespace cherenkov {

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

/// The tables of a CurvedArrival, for host and device.
struct CurvedArrivalView {
  struct Shift {
    double low, high;
  };

  static constexpr int kAngles = 354;         ///< corners, in quarters of a degree from 0 on
  static constexpr int kHeights = 451;        ///< corners, in quarters of a kilometre from 0 on
  static constexpr int kHalfWindow = 7;       ///< ranges[] of a corner is over this many on either side, too
  static constexpr double kCell_cm = 25000.;  ///< of height

  /// The range of sqrt(1 - cosine), 0 to 1, is cut into kCosines cells of equal width, and one more for
  /// cosine 0 alone. A cell is at most 0.06 degrees wide.
  static constexpr int kCosines = 2048;
  static constexpr double kIndexRounding = 1e-6;  ///< of an index of a table, in cells

  double plane;               ///< height above sea level, cm
  const std::int16_t* first;  ///< of each cell of cosines: the corner just below its smallest angle
  const std::int16_t* last;   ///< and that just above its largest
  /// Largest excess of the linear interpolation of tan over tan, for angles up to this corner.
  const double* chord;
  const Shift* ranges;  ///< of each corner: of shifts at neighbouring angles, at its height

  /// As CurvedArrival::shift(). False where the table does not say.
  CHERENKOV_HOST_DEVICE bool shift(double low_w, double high_w, double low, double high, Shift& found) const {
    if (!(low_w > 0. && low_w <= high_w && low > plane && low <= high)) return false;
    constexpr double kCellsPer_cm = 1. / kCell_cm;
    const double highest = high * kCellsPer_cm;
    if (!(highest < kHeights - 2)) return false;
    // The corners around are those of a window, if the window is wide enough.
    const int begin = first[cell_of(high_w)], end = last[cell_of(low_w)];
    const int middle = (begin + end) / 2;
    if (end >= kAngles || end - middle > kHalfWindow || middle - begin > kHalfWindow) return false;
    const int bottom = static_cast<int>(low * kCellsPer_cm - kIndexRounding);
    const int top = static_cast<int>(highest + kIndexRounding) + 1;
    const Shift* const at = ranges + static_cast<std::ptrdiff_t>(middle) * kHeights;
    found = at[bottom];
    for (int h = bottom + 1; h <= top; ++h) {
      found.low = at[h].low < found.low ? at[h].low : found.low;
      found.high = at[h].high > found.high ? at[h].high : found.high;
    }
    found.high += (high - plane) * chord[end];
    return true;
  }

 private:
  CHERENKOV_HOST_DEVICE static int cell_of(double cosine) {
    return static_cast<int>(sqrt(1. - (cosine < 1. ? cosine : 1.)) * kCosines);
  }
};

// Of the bunches of a step that emit light: the smallest and the largest beta n and apparent height
// (CurvedLoop), cm.
struct CurvedRange {
  double least_beta_n, most_beta_n;
  double low, high;
};

// Members but the first are set only where is_bounded. In the telescopes' frame.
struct CurvedBound {
  bool is_bounded;
  double error;             // how far light may arrive from a straight line's place after the shift, cm
  double shift_x, shift_y;  // cm
  double tilt;              // how far slopes may be from those of straight lines
  Ring ring;                // of all the light, shifted
};

// is_bounded is false where a condition of docs/cherenkov-bound.md does not hold. step: at apparent heights.
// plane: with the event's impact_offset; x0 and y0 are 0, for CERENK of CURVED does not subtract XOFF and
// YOFF. cut_w: least w of light. top: Spheres::top(), cm above the plane.
CHERENKOV_HOST_DEVICE inline CurvedBound curved_bound_of(const Step& step, const CurvedRange& light,
                                                         const Plane& plane, double cut_w, double top,
                                                         const CurvedArrivalView& arrival) {
  CurvedBound bound{};
  const double sine = -step.sw;
  if (!(sine > 0.)) return bound;
  const double most = light.most_beta_n;
  const ConeBounds cone = cone_of(light.least_beta_n, most, step.u0, step.v0, step.w0, sine);
  if (!(cone.min_w > kLeastCurvedW && cone.min_w > cut_w + 1e-6 && cone.short_of_unit > -kMaxLengthExcess &&
        cone.short_of_unit < 0.5 && light.low > plane.height + top))
    return bound;
  const double airmass = 1. / cone.min_w;
  CurvedArrivalView::Shift shift{};
  if (!(rounding<double>(step.bunches, step.before, step.between, plane, airmass) < kMaxStepRounding_cm &&
        arrival.shift(cone.min_w, lower(step.w0 + sine * cone.max_tan, 1.), light.low - 1., light.high + 1.,
                      shift)))
    return bound;

  // The shift points along the light's horizontal direction, which is within `turn` of the particle's.
  const double middle = 0.5 * (shift.low + shift.high), half = 0.5 * (shift.high - shift.low);
  const double turn = lower(2. * cone.max_tan / sine, 2.);
  // A direction that is shorter than 1: the straight line goes by u, v and w, DISTIP by w alone.
  const double shortness = higher(cone.short_of_unit, 0.);
  const double least_sine = sine * (1. - cone.max_tan * cone.max_tan) - cone.max_tan;
  const double difference = least_sine > 0. && shortness < 4. * least_sine * least_sine
                                ? shortness / (2. * least_sine)
                                : sqrt(shortness);
  // 1e-8: of what choose() rounds, for paths longer than kChooseRounding_cm allows for.
  bound.error = half + fabs(middle) * turn + (light.high - plane.height) * airmass * (difference + 1e-8) +
                kChooseRounding_cm + kMaxStepRounding_cm;
  bound.tilt = lower(sine + cone.max_tan, 1.) * airmass * airmass * airmass * shortness +
               RefractionBound::kSlopeRounding;
  bound.ring = ring_of(step, plane, cone, bound.error, bound.tilt);
  // (-cv, cu) is the particle's horizontal direction, a unit vector.
  bound.shift_x = middle * (step.cu * plane.sin_turn - step.cv * plane.cos_turn);
  bound.shift_y = middle * (step.cu * plane.cos_turn + step.cv * plane.sin_turn);
  bound.ring.x += bound.shift_x;
  bound.ring.y += bound.shift_y;
  bound.is_bounded = true;
  return bound;
}

// Where the light of some bunches, one behind the other, begins and ends for CERLDE.
struct LightEnds {
  Step::Point from, to;
  double overlap;  // of bunches, or gaps, where apparent heights are spaced in another way

  // Option CURVED: how far the distance of light in between, along the shower's axis, may be outside of those
  // at both ends, cm. The map from a straight line to the axis's frame has second derivatives of at most 3/R,
  // so between its ends, L apart, a coordinate is within L^2/8 of that times the straight line.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double slack(double earth_radius) const {
    const double x = to.x - from.x, y = to.y - from.y, z = to.z - from.z;
    return 3. / (8. * earth_radius) * (x * x + y * y + z * z) + overlap;
  }
};

// From bunch `first` to bunch `last`. half: of the way from one bunch to the next, for CERLDE. The products
// differ from CERENK's running sums by less than kBinRounding_cm allows for.
CHERENKOV_HOST_DEVICE inline LightEnds light_ends(const Step& step, const Step::Point& half, int first,
                                                  int last) {
  const Step::Point &before = step.before, &between = step.between;
  const double to_first = first + 1, to_last = last + 1;
  return {{0., before.x + to_first * between.x - half.x, before.y + to_first * between.y - half.y,
           before.z + to_first * between.z - half.z, 0.},
          {0., before.x + to_last * between.x + half.x, before.y + to_last * between.y + half.y,
           before.z + to_last * between.z + half.z, 0.},
          fabs(2. * half.z - between.z)};
}

/// The four exponential layers, for host and device.
struct AirLayers {
  static constexpr int kLayers = 4;
  /// Of a density: CORSIKA rounds its exponent (at most 16) by 9e-16, at this height and at that of the one
  /// call of RHOF, and makes four more roundings (1.1e-16 each); the polynomial adds 3e-16. Together that is
  /// some 2.5e-15; kError is twice that.
  static constexpr double kError = 5e-15;
  static constexpr double kMaxExponent = 0.125;  ///< largest |ln| of the ratio of two densities of a step

  double boundary[kLayers + 1];  ///< between which kError holds, cm
  double per_cm[kLayers];        ///< 1 over the scale height

  /// per_cm of the layer that holds both heights; 0 where there is none, or they are too far apart.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double per_cm_of(double low, double high) const {
    for (int layer = 0; layer < kLayers; ++layer)
      if (low >= boundary[layer] && high < boundary[layer + 1])
        return (high - low) * per_cm[layer] <= kMaxExponent ? per_cm[layer] : 0.;
    return 0.;
  }
};

/// From `low` to `high`, cm; none where low is above high.
struct DistanceRange {
  double low = HUGE_VAL, high = -HUGE_VAL;
};

/// The number of the range, from 1 on, that surely holds all distances between two, which may be exceeded by
/// `slack`, cm; 0 if none does. Ranges begin in rising order.
CHERENKOV_HOST_DEVICE inline int only_range(const DistanceRange* ranges, int count, double one, double other,
                                            double slack) {
  if (!(one == one && other == other)) return 0;
  const double low = lower(one, other) - slack - kBinRounding_cm;
  const double high = higher(one, other) + slack + kBinRounding_cm;
  // The last range that begins at or below `low`.
  const int begin = first_above(count, [&](int i) { return low < ranges[i].low; });
  return begin != 0 && high <= ranges[begin - 1].high ? begin : 0;
}

/// What all steps of an event share. plane: with this event's impact_offset; x0 and y0 are 0, as XOFF and
/// YOFF are not used. bins: 0 where no profile is filled.
struct CurvedEventView {
  double cut_w;
  Plane plane;
  ShowerAxis axis;
  double earth_radius;
  SpheresView spheres;
  CurvedArrivalView arrival;
  AirLayers air;
  const DistanceRange* bin;  // [0] is of bin 1
  int bins;
};

// Classifies one step. Every lane computes the same but in the loops.
template <class Lanes>
class CurvedJudge {
 public:
  CHERENKOV_HOST_DEVICE CurvedJudge(const CurvedLoop& loop, const CurvedEventView& event, const Lanes& lanes)
      : loop_(loop), event_(event), lanes_(lanes), n_(loop.step.bunches), apparent_(loop.apparent()) {}

  // total_power, bin_powers: as for DeviceSteps::answer().
  CHERENKOV_HOST_DEVICE StepAnswer answer(double total_power, const double* bin_powers) {
    StepAnswer out{};
    if (!(n_ >= 1 && n_ <= kMaxDeviceBunches)) return out;
    // CERENK's running sums at the first and the last bunch.
    const Step& step = loop_.step;
    double last_height = step.before.z, last_apparent = loop_.apparent_before;
    for (int i = 0; i < n_; ++i) {
      last_height += step.between.z;
      last_apparent += loop_.apparent_between;
    }
    const double first_height = step.before.z + step.between.z,
                 first_apparent = loop_.apparent_before + loop_.apparent_between;
    // As ExponentialAir::find_indices(): the layer that holds all heights.
    per_cm_ = event_.air.per_cm_of(lower(lower(first_height, last_height), loop_.index_height),
                                   higher(higher(first_height, last_height), loop_.index_height));
    if (per_cm_ == 0. || !find_range()) return out;
    const double low = lower(first_apparent, last_apparent), high = higher(first_apparent, last_apparent);
    // The step begins above the plane (curved_loop_of()), and heights rise or fall. So all bunches are above
    // if the last one is.
    if (loop_.stops_at_plane && !(last_apparent > event_.plane.height)) return out;
    const CurvedBound bound = curved_bound_of(apparent_, {least_, most_, low, high}, event_.plane,
                                              event_.cut_w, event_.spheres.top, event_.arrival);
    if (!bound.is_bounded || event_.spheres.touched_by(bound.ring, lanes_)) return out;
    int bin = 0;
    if (event_.bins != 0) {
      bin = only_bin();
      if (bin == 0) return out;
    }
    out.verdict = Verdict::kUnseen;
    out.bunches = n_;
    out.bin = static_cast<std::int16_t>(bin);
    add_photons(total_power, bin == 0 ? 0. : bin_powers[bin], out);
    return out;
  }

 private:
  struct BunchLight {
    double beta_n, photons;
    bool certain;  // else beta n may be off by two of its last bits
  };

  [[nodiscard]] CHERENKOV_HOST_DEVICE BunchLight light_at(double path, double height) const {
    const auto index =
        index_at((loop_.index_height - height) * per_cm_, loop_.index_excess, AirLayers::kError);
    const double beta_n = beta_of(loop_.mass, loop_.energy + loop_.energy_slope * path) * index.least;
    return {beta_n, light_angle(beta_n).photons(loop_.step.photons_per_sin2, loop_.step.weight),
            index.is_certain()};
  }

  // Calls work(light) for every bunch; each lane has its own bunches. Each adds up CERENK's running sums for
  // itself.
  template <class Work>
  CHERENKOV_HOST_DEVICE void for_bunches(const Work& work) const {
    const Step& step = loop_.step;
    double path = step.before.path, height = step.before.z;
    int at = -1;
    for (int i = lanes_.index(); i < n_; i += Lanes::kCount) {
      for (; at < i; ++at) {
        path += step.between.path;
        height += step.between.z;
      }
      work(light_at(path, height));
    }
  }

  // The range of beta n; false where a bunch is too near to its threshold, or far above 1.
  CHERENKOV_HOST_DEVICE bool find_range() {
    constexpr double kLeast = 1. + 0x1p-48, kMost = 1.15;
    double least = HUGE_VAL, most = 0.;
    bool good = true;
    for_bunches([&](const BunchLight& light) {
      good = good && light.beta_n > kLeast && light.beta_n < kMost;
      least = lower(light.beta_n, least);
      most = higher(light.beta_n, most);
    });
    // Where indices are not certain beta n may be larger by as much.
    constexpr double kOff = 0x1p-51;
    most_ = lanes_.largest(most) + kOff;
    least_ = -lanes_.largest(-least);
    return !lanes_.any(!good);
  }

  // As DepthProfile::only_curved_bin().
  [[nodiscard]] CHERENKOV_HOST_DEVICE int only_bin() const {
    const LightEnds ends = light_ends(apparent_, loop_.half(), 0, n_ - 1);
    const auto distance = [&](const Step::Point& at) {
      return event_.axis.curved_distance(at.x, at.y, at.z, event_.earth_radius);
    };
    return only_range(event_.bin, event_.bins, distance(ends.from), distance(ends.to),
                      ends.slack(event_.earth_radius));
  }

  // Where an index is not certain, beta n may be off by 2^-51: two of its last bits, one by the index and one
  // by rounding. The cosine is then off by 2^-51 + 2^-53, its sine squared by twice that and two roundings,
  // and the photons, twice more rounded, by less than 2^-49 times the weighted yield.
  CHERENKOV_HOST_DEVICE void add_photons(double total_power, double bin_power, StepAnswer& out) const {
    Sums total(total_power), in_bin(bin_power);
    const double uncertain = fabs(loop_.step.photons_per_sin2 * loop_.step.weight) * 0x1p-49;
    for_bunches([&](const BunchLight& light) {
      const double off = light.certain ? 0. : uncertain;
      total.add(light.photons, off);
      in_bin.add(light.photons, off);
    });
    out.total = total.of_all(lanes_);
    if (event_.bins != 0) out.in_bin = in_bin.of_all(lanes_);
  }

  const CurvedLoop& loop_;
  const CurvedEventView& event_;
  const Lanes lanes_;
  const int n_;
  const Step apparent_;
  double per_cm_ = 0., least_ = 0., most_ = 0.;
};

}  // namespace cherenkov
