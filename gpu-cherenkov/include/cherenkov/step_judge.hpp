/// Whether a telescope can see the light of one step, and what that light adds to the sums: host and device
/// code, from one source. Only a device decides how two bins share light (find_share()). To be
/// compiled without contraction (-ffp-contract=off, -fmad=false); where lanes of the CPU fuse, in bounds
/// alone, fma() is written. No side effects.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "cherenkov/flat_step.hpp"
#include "cherenkov/rounded_sum.hpp"
#include "cherenkov/running_sum.hpp"
#include "cherenkov/spheres_view.hpp"

namespace cherenkov {

/// Steps of more bunches are left to the host.
inline constexpr int kMaxDeviceBunches = 2048;

/// What the photons of a step's bunches, added one by one, add to a sum: each rounded to a multiple of the
/// ulp of the sum's power of two, and these added up, exactly. at_power: for the power that was asked for,
/// `power`; at_twice: for twice that. Not a number where the result is not certain: a term is half-way
/// between two multiples, for example.
struct SumTerms {
  double power, at_power, at_twice;

  /// `sum` after the addition, one by one, of the step's photons; not a number where it is not known here.
  /// As long as a sum stays within [p, 2p), p a power of two, it is a multiple of ulp(p), and adding a term
  /// adds that term's rounded value, whatever the sum is; all of that is exact.
  [[nodiscard]] double added_to(double sum) const {
    const double own = power_of_sum(sum);
    if (own == 0. || (own != power && own != 2. * power)) return std::numeric_limits<double>::quiet_NaN();
    const double all = sum + (own == power ? at_power : at_twice);
    return all < 2. * own ? all : std::numeric_limits<double>::quiet_NaN();
  }
};

enum class Verdict : std::int8_t {
  kHost,    ///< the CPU does the step: none of the following is certain. What an answer says by default
  kNone,    ///< CERENK returns without light
  kUnseen,  ///< LightKind::kWhole, bounds hold, no sphere touched, all light in one bin of the profile
  /// LightKind::kWhole, and bounds hold, but the light may touch a sphere, or is in two neighbouring bins,
  /// or both. The CPU finishes the step with the details of the answer.
  kDetailed
};

/// What a device says of a step. Lengths in cm.
struct alignas(64) StepAnswer {
  static constexpr int kSectors = SpheresView::kSectors;

  // Of kUnseen and kDetailed:
  SumTerms total, in_bin;  ///< for the event's photons, for those of the bunches that are surely in `bin`
  std::int32_t bunches;
  std::int16_t bin;  ///< from 1 on; of two the one of the first bunches; 0 where no profile is filled
  Verdict verdict;

  // Of kDetailed alone. The members of Step have CERENK's bits; its times are in the chunk.
  /// Bit i is set if a telescope may see light whose azimuth (phi of Step's frame) over 2 pi is from
  /// i / kSectors to (i + 1) / kSectors.
  std::uint64_t sectors;
  double path_before, x_before, y_before, z_before;  ///< of Step::before
  double path, x, y, z;                              ///< of Step::between
  double beta_n, beta_n_slope, photons_per_sin2, weight;
  double u, v, w;        ///< the particle's direction, w downwards
  SumTerms in_next_bin;  ///< for the photons of the bunches that are surely in `next_bin`
  /// Bunches are numbered from 0. Those below bin_end are surely in `bin`, those from next_begin on
  /// in `next_bin`. Each of those between is in either bin, or in both. In one bin, or none: bin_end and
  /// next_begin are the number of bunches, and next_bin is 0.
  std::int16_t bin_end, next_begin, next_bin;
};

/// An IndexTable as plain pointers. Between neighbouring heights n - 1 is linear or exponential.
struct IndexTableView {
  const double* excess;  ///< n - 1 at low + i * width
  /// Of cell i: excess[i + 1] - excess[i], or ln(excess[i + 1] / excess[i]). NaN where n is not known.
  const double* change;
  bool is_exponential;
  double error;       ///< how far n - 1 may be from REFIDX's, relative, beside kAbsoluteError
  int cells;          ///< 0: no table
  double low, width;  ///< cm

  struct Index {
    double n;
    bool is_certain;  ///< n has REFIDX's bits; else it is off by its last bit at most, or not known: NaN
  };

  /// High up, where n - 1 is small, and its relative error large.
  static constexpr double kAbsoluteError = 1e-20;
  [[nodiscard]] CHERENKOV_HOST_DEVICE double error_of(double excess) const {
    return excess * error + kAbsoluteError;
  }

  /// At a height above sea level, cm. n - 1 is 3e-4 at most, and the last bit of n is 2^-52. So n is certain
  /// but for 2 * error * 3e-4 / 2^-52 of the heights: 0.6% where n - 1 is linear, 3.3% where it is
  /// exponential, and less higher up.
  [[nodiscard]] CHERENKOV_HOST_DEVICE Index at(double height) const {
    const double place = (height - low) / width;
    if (!(place >= 0. && place < cells)) return {NAN, false};
    const int cell = static_cast<int>(place);
    const double excess_here = excess_in(cell, (height - (low + cell * width)) / width);
    const double n = 1. + (excess_here - error_of(excess_here));
    return {n, n == 1. + (excess_here + error_of(excess_here))};
  }

  /// n - 1 at a fraction, 0 to 1, of a cell.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double excess_in(int cell, double fraction) const {
    const double changed = fraction * change[cell];
    return is_exponential ? excess[cell] * exp(changed) : excess[cell] + changed;
  }
};

/// What all steps of an event share. plan: the plane has this event's impact_offset (Plane::x_impact);
/// refraction: from the plane's height up; edge: of bins along the shower's axis, [0] to [bins], rising;
/// bins: 0 where no profile is filled; indices: no cells where each step has its own; else the table
/// gives them, and a step that emits light and whose index is not certain is the CPU's.
struct EventView {
  PlanSettings plan;
  SpheresView spheres;
  RefractionModel::View refraction;
  const double* edge;
  int bins;
  IndexTableView indices{};
};

// What is read of one step, in the order of RecordedSteps.
using StepArguments = StepInput<double>;

// SumTerms of a power, in the making.
struct Sums {
  double power;
  RoundedSum<double> at_power, at_twice;
  CHERENKOV_HOST_DEVICE explicit Sums(double of) : power(of), at_power{of}, at_twice{2. * of} {}
  CHERENKOV_HOST_DEVICE void add(double term, double uncertain) {
    at_power.add(term, uncertain);
    at_twice.add(term, uncertain);
  }
  template <class Lanes>
  [[nodiscard]] CHERENKOV_HOST_DEVICE SumTerms of_all(const Lanes& lanes) const {
    return {power, at_power.of_all(lanes), at_twice.of_all(lanes)};
  }
};

// Classifies one step. Every lane computes the same but in the loops.
template <class Lanes>
class StepJudge {
 public:
  CHERENKOV_HOST_DEVICE StepJudge(const StepArguments& step, const EventView& event, const Lanes& lanes)
      : in_(step), event_(event), lanes_(lanes) {}

  // Without what is of kDetailed alone. total_power, bin_powers: as for DeviceSteps::answer().
  CHERENKOV_HOST_DEVICE StepAnswer answer(double total_power, const double* bin_powers) {
    StepAnswer out{};
    const LightKind light = find_light();
    if (light == LightKind::kNone) out.verdict = Verdict::kNone;
    if (light != LightKind::kWhole || !(p_.n <= kMaxDeviceBunches)) return out;
    p_.find_spacing(in_);
    p_.find_bounds(in_, event_.plan);
    if (!p_.bound.holds) return out;
    bin_end_ = next_begin_ = static_cast<int>(p_.n);
    if (event_.bins != 0 && !find_bins()) return out;
    if (!find_sectors()) return out;
    out.verdict = sectors_ != 0 || next_bin_ != 0 ? Verdict::kDetailed : Verdict::kUnseen;
    out.bunches = static_cast<std::int32_t>(p_.n);
    out.bin = static_cast<std::int16_t>(bin_);
    const auto power_of = [&](int bin) { return bin == 0 ? 0. : bin_powers[bin]; };
    add_photons(total_power, power_of(bin_), power_of(next_bin_), out);
    return out;
  }

  // Adds what is of kDetailed alone to what answer() returned.
  CHERENKOV_HOST_DEVICE void add_details(StepAnswer& out) const {
    out.sectors = sectors_;
    const auto &before = p_.before, &between = p_.between;
    out.path_before = before.path, out.x_before = before.x, out.y_before = before.y, out.z_before = before.z;
    out.path = between.path, out.x = between.x, out.y = between.y, out.z = between.z;
    out.beta_n = p_.beta_n, out.beta_n_slope = p_.slope, out.photons_per_sin2 = p_.photons_per_sin2;
    out.weight = in_.weight;
    out.u = in_.u, out.v = in_.v, out.w = in_.w;
    out.in_next_bin = in_next_bin_;
    out.bin_end = static_cast<std::int16_t>(bin_end_);
    out.next_begin = static_cast<std::int16_t>(next_begin_);
    out.next_bin = static_cast<std::int16_t>(next_bin_);
  }

 private:
  CHERENKOV_HOST_DEVICE LightKind find_light() {
    StepArguments in = in_;
    bool is_certain = true;  // that the indices have CORSIKA's bits; else each is off by its last bit at most
    if (event_.indices.cells != 0) {
      const IndexTableView::Index begin = event_.indices.at(in.z_begin), end = event_.indices.at(in.z_end),
                                  middle = event_.indices.at(0.5 * (in.z_begin + in.z_end));
      is_certain = begin.is_certain && middle.is_certain && end.is_certain;
      in.index_begin = begin.n;
      in.index_middle = middle.n;
      in.index_end = end.n;
    }
    p_.find_ends(in, event_.plan.cut_w);
    const auto is_near = [](double beta_n) { return !(fabs(beta_n - 1.) > 1e-6); };
    if (!is_certain && (!p_.dark || is_near(p_.begin) || is_near(p_.end))) return LightKind::kOther;
    if (p_.dark) return LightKind::kNone;
    p_.find_light(in, event_.plan);
    return static_cast<LightKind>(static_cast<int>(p_.kind));
  }

  // Emitter::try_skip_step(), by the azimuths of light: sets those sectors whose light may pass a sphere.
  // False where that cannot be told.
  CHERENKOV_HOST_DEVICE bool find_sectors() {
    const LightBound<double>& b = p_.bound;
    const StepBound bound({b.airmass, b.max_shift_per_k, b.cone.short_of_unit}, b.top, b.bottom,
                          p_.ring(in_, event_.plan.plane),
                          event_.refraction.between(b.top, b.bottom, lanes_));
    if (!(bound.lowest > event_.plan.plane.height + event_.spheres.top && bound.whole.is_known()))
      return false;
    sectors_ = event_.spheres.sectors_of(bound.ring, lanes_);
    return true;
  }

  [[nodiscard]] CHERENKOV_HOST_DEVICE double distance(double spacings) const {
    return p_.distance(spacings, event_.plan.axis);
  }

  // DepthProfile::only_bin(), or two neighbouring bins: sets which bunches are surely in which. False where
  // there are more bins, or many bunches near the edge.
  CHERENKOV_HOST_DEVICE bool find_bins() {
    const double from = distance(0.5), to = distance(p_.n + 0.5);
    const double low = lower(from, to) - kBinRounding_cm;
    const double high = higher(from, to) + kBinRounding_cm;
    bin_ = first_above(event_.bins + 1, [&](int i) { return low < event_.edge[i]; });
    if (bin_ < 1 || bin_ > event_.bins || !(event_.edge[bin_ - 1] <= low)) return false;
    if (event_.edge[bin_] > high) return true;
    if (bin_ == event_.bins || !(event_.edge[bin_ + 1] > high)) return false;
    return find_share(from, to, event_.edge[bin_]);
  }

  // Which bunches are surely in bin_, and which in the next bin; `edge` is between the two. from, to: along
  // the axis, where the light begins and ends. On return bin_ is the bin of the first bunches.
  CHERENKOV_HOST_DEVICE bool find_share(double from, double to, double edge) {
    constexpr int kMostBetween = 4;  // bunches that are surely in neither; with more, the CPU does the step
    const double per_bunch = (to - from) / p_.n;
    const double edge_bunch = (edge - from) / per_bunch;                  // with its fraction
    const double uncertainty = fabs(kBinRounding_cm / per_bunch) + 1e-6;  // bunches
    if (!(uncertainty < kMostBetween)) return false;
    const auto bunch = [&](double place) { return static_cast<int>(lower(higher(place, 0.), p_.n)); };
    bin_end_ = bunch(floor(edge_bunch - uncertainty));
    next_begin_ = bunch(ceil(edge_bunch + uncertainty));
    const bool rises = from < to;
    next_bin_ = rises ? bin_ + 1 : bin_;
    bin_ = rises ? bin_ : bin_ + 1;
    // Whether the light after so many spacings is surely in the lower bin, or in the upper one.
    const auto is_in = [&](bool upper, double spacings) {
      const double place = distance(spacings);
      return upper ? edge <= place - kBinRounding_cm : edge > place + kBinRounding_cm;
    };
    return next_begin_ - bin_end_ <= kMostBetween && (bin_end_ == 0 || is_in(!rises, bin_end_ + 0.5)) &&
           (next_begin_ == static_cast<int>(p_.n) || is_in(rises, next_begin_ + 0.5));
  }

  // The light of every bunch, as emit() computes it. The path is CERENK's own running sum, which every lane
  // adds up for itself: from a product it would differ by a bit now and then, and where n is odd the middle
  // bunch's beta*n is half-way between two numbers in every second step, so that the bit shows. Terms are not
  // negative, as beta*n is above 1.
  CHERENKOV_HOST_DEVICE void add_photons(double total_power, double bin_power, double next_power,
                                         StepAnswer& out) {
    Sums total(total_power), in_bin(bin_power), in_next(next_power);
    double path = p_.before.path;
    const auto advance = [&](int spacings) {
      for (int i = 0; i < spacings; ++i) path += p_.between.path;
    };
    const int n = static_cast<int>(p_.n);
    advance(lanes_.index() + 1);
    for (int i = lanes_.index(); i < n; i += Lanes::kCount) {
      const double photons =
          light_angle(p_.beta_n + p_.slope * path).photons(p_.photons_per_sin2, in_.weight);
      total.add(photons, 0.);
      if (i < bin_end_) {
        in_bin.add(photons, 0.);
      } else if (i >= next_begin_) {
        in_next.add(photons, 0.);
      }
      advance(Lanes::kCount);
    }
    out.total = total.of_all(lanes_);
    if (bin_ != 0) out.in_bin = in_bin.of_all(lanes_);
    if (next_bin_ != 0) in_next_bin_ = in_next.of_all(lanes_);
  }

  const StepArguments& in_;
  const EventView& event_;
  const Lanes lanes_;
  FlatStep<double> p_;
  std::uint64_t sectors_ = 0;
  int bin_ = 0, next_bin_ = 0, bin_end_ = 0, next_begin_ = 0;
  SumTerms in_next_bin_{};
};

}  // namespace cherenkov
