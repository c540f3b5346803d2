// Whether a telescope can see the light of one recorded step, and what that light adds to the sums. Host and
// device code, from one source: the formulas of step_plan.cpp, Stage::try_unseen and emit(), each with the
// same operations; and how two bins share light (find_share()), which has no counterpart. To be compiled
// without contraction (-ffp-contract=off, -fmad=false); where lanes of the CPU fuse, in bounds alone, fma()
// is written. No side effects.
#pragma once

#include <cmath>

#include "arrival_shift.hpp"
#include "cherenkov/bunches.hpp"
#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "host_device_math.hpp"
#include "rounded_sum.hpp"
#include "spheres_view.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

// EventSettings as plain pointers, for host and device.
struct EventView {
  PlanSettings plan;
  SpheresView spheres;
  const double *k, *k_error;  // of RefractionModel
  int heights;
  double low, heights_per_cm;
  const double* edge;  // of bins, from [0] to [bins]
  int bins;
  IndexTableView indices{};
};

// Lanes that work on one step together: all have the same step, and share loops. Here there is one.
struct OneLane {
  static constexpr int kCount = 1;
  static constexpr int index() { return 0; }
  static bool any(bool mine) { return mine; }
  static double largest(double mine) { return mine; }
  static double sum(double mine) { return mine; }
  static std::uint64_t united(std::uint64_t mine) { return mine; }
};

// What is read of one step, in the order of StepChunk.
struct StepArguments {
  double length, u, v, w, begin_energy, end_energy, x_begin, y_begin, z_begin, x_end, y_end, z_end, mass,
      charge, index_begin, index_middle, index_end;
};

// Of step i.
inline StepArguments arguments_of(const StepChunk& chunk, int i) {
  const RecordedSteps& s = chunk.steps;
  const StepIndices& n = chunk.indices;
  return {s.length[i],  s.u[i],       s.v[i],       s.w[i],      s.begin_energy[i], s.end_energy[i],
          s.x_begin[i], s.y_begin[i], s.z_begin[i], s.x_end[i],  s.y_end[i],        s.z_end[i],
          s.mass[i],    s.charge[i],  n.begin[i],   n.middle[i], n.end[i]};
}

// Classifies one step. Every lane computes the same but in the loops.
template <class Lanes>
class StepJudge {
 public:
  CHERENKOV_HOST_DEVICE StepJudge(const StepArguments& step, const EventView& event, const Lanes& lanes)
      : in_(step), event_(event), lanes_(lanes) {}

  // total_power, bin_powers: as for DeviceSteps::submit().
  CHERENKOV_HOST_DEVICE StepAnswer answer(double total_power, const double* bin_powers) {
    StepAnswer out{{0., 0.}, {0., 0.}, 0, 0, Verdict::kHost};
    const LightKind light = find_light();
    if (light == LightKind::kNone) out.verdict = Verdict::kNone;
    if (light != LightKind::kLinear || !(n_ <= kMaxDeviceBunches)) return out;
    find_spacing();
    if (!find_cone()) return out;
    bin_end_ = next_begin_ = static_cast<int>(n_);
    if (event_.bins != 0 && !find_bins()) return out;
    find_ring();
    if (!find_sectors()) return out;
    const bool is_detailed = sectors_ != 0 || next_bin_ != 0;
    if (is_detailed && !is_certain_) return out;
    out.verdict = is_detailed ? Verdict::kDetailed : Verdict::kUnseen;
    out.bunches = static_cast<std::int32_t>(n_);
    out.bin = static_cast<std::int16_t>(bin_);
    const auto power_of = [&](int bin) { return bin == 0 ? 0. : bin_powers[bin]; };
    if (is_certain_)
      add_photons(total_power, power_of(bin_), power_of(next_bin_), out);
    else
      out.total = out.in_bin = {NAN, NAN};
    return out;
  }

  // After answer(), of a step whose verdict is kDetailed.
  [[nodiscard]] CHERENKOV_HOST_DEVICE StepDetails details() const {
    return {sectors_,
            path_before_,
            x_,
            y_,
            z_,
            path_,
            dx_,
            dy_,
            dz_,
            beta_n_,
            slope_,
            per_sin2_,
            u_,
            v_,
            w_,
            in_next_bin_,
            static_cast<std::int16_t>(bin_end_),
            static_cast<std::int16_t>(next_begin_),
            static_cast<std::int16_t>(next_bin_)};
  }

  // What the photons depend on, of a step whose verdict is kUnseen.
  CHERENKOV_HOST_DEVICE YieldAlongStep yields() {
    find_light();
    find_spacing();
    return {beta_n_, slope_, per_sin2_, path_before_, path_};
  }

 private:
  CHERENKOV_HOST_DEVICE IndicesOfStep indices() {
    if (event_.indices.cells == 0) return {in_.index_begin, in_.index_middle, in_.index_end};
    const double begin = in_.z_begin, end = in_.z_end;
    const IndexTableView::Index of[] = {event_.indices.at(begin), event_.indices.at(0.5 * (begin + end)),
                                        event_.indices.at(end)};
    is_certain_ = of[0].is_certain && of[1].is_certain && of[2].is_certain;
    return {of[0].n, of[1].n, of[2].n};
  }

  // Where an index may be off by its last bit: whether that may decide a comparison with `limit`. beta n is
  // compared with 1 first; where it is further than 1e-6 from it, a number of bunches up to 2048 is off by
  // less than 5e-7.
  [[nodiscard]] CHERENKOV_HOST_DEVICE bool is_near(double value, double limit) const {
    return !is_certain_ && !(fabs(value - limit) > 1e-6);
  }

  [[nodiscard]] CHERENKOV_HOST_DEVICE double beta_n(double energy, double index) const {
    const double ratio = in_.mass / energy;
    return sqrt((1. - ratio) * (1. + ratio)) * index;
  }

  // Planner::kinds(): beta*n, the number of bunches, and which of CERENK's loops.
  CHERENKOV_HOST_DEVICE LightKind find_light() {
    w_ = in_.w;
    length_ = in_.length;
    u_ = in_.u;
    v_ = in_.v;
    if (w_ < event_.plan.cut_w || length_ <= 0.) return LightKind::kNone;
    const double begin_energy = in_.begin_energy, end_energy = in_.end_energy;
    const IndicesOfStep index = indices();
    const double begin = beta_n(begin_energy, index.begin);
    const double end = beta_n(end_energy, index.end);
    if (is_near(begin, 1.) || is_near(end, 1.)) return LightKind::kOther;
    if (begin < 1. && end < 1.) return LightKind::kNone;
    if (!(begin == begin && end == end))
      return LightKind::kOther;  // not numbers: whatever CERENK makes of it
    const double half = in_.mass * 2. / (begin_energy + end_energy);
    const double middle = sqrt(1. - half * half) * index.middle;
    const double charge = in_.charge;
    per_cm_ = event_.plan.yield * (charge * charge);
    const double largest = higher(begin, end);
    const double photons = per_cm_ * length_ * (1. - 1. / (largest * largest));
    const double bunches = photons / event_.plan.bunch_size + 1.;
    if (!(bunches < 2e9)) return LightKind::kOther;
    n_ = trunc(bunches);
    if (is_near(middle, 1.) || is_near(bunches, rint(bunches))) return LightKind::kOther;
    if (n_ < 1.) return LightKind::kNone;
    sin2_ = higher(1e-20, u_ * u_ + v_ * v_);
    if (!(sin2_ > kVerticalSin2)) return LightKind::kOther;
    if (n_ == 1.) {
      beta_n_ = middle;
      slope_ = 0.;
      return LightKind::kLinear;
    }
    const double bend = (2. - 1. / (begin * begin) - 1. / (end * end)) / (1. - 1. / (middle * middle));
    if (is_near(fabs(bend - 2.), 2e-3 * w_)) return LightKind::kOther;
    if (!(begin > 1. && end > 1. && middle > 1. && fabs(bend - 2.) < 2e-3 * w_)) return LightKind::kOther;
    beta_n_ = begin;
    slope_ = (end - begin) / length_;
    return LightKind::kLinear;
  }

  // Planner::bunches(): where they leave.
  CHERENKOV_HOST_DEVICE void find_spacing() {
    const double part = 1. / n_;
    path_ = length_ * part;
    path_before_ = -0.5 * path_;
    const double x = in_.x_begin, y = in_.y_begin, z = in_.z_begin;
    dx_ = (in_.x_end - x) * part;
    dy_ = (in_.y_end - y) * part;
    dz_ = (in_.z_end - z) * part;
    x_ = x - 0.5 * dx_;
    y_ = y - 0.5 * dy_;
    z_ = z - 0.5 * dz_;
    per_sin2_ = per_cm_ * path_;
  }

  // Planner::cone(), with Planner::frame()'s sine: sets the bounds, and says whether they hold.
  CHERENKOV_HOST_DEVICE bool find_cone() {
    const double sine = sqrt(sin2_);
    const double first = fma(slope_, path_before_ + path_, beta_n_);
    const double last = fma(slope_, fma(n_, path_, path_before_), beta_n_);
    const double least = lower(first, last);
    secant_ = higher(first, last);
    min_tan_ = sqrt(higher(0., (least - 1.) * (least + 1.)));
    max_tan_ = sqrt(higher(0., (secant_ - 1.) * (secant_ + 1.)));
    min_w_ = fma(-sine, max_tan_, w_ * (2. - secant_));
    const double length2 = fma(u_, u_, fma(v_, v_, w_ * w_));
    short_ = 1. - length2;
    // Written so that a value that is not a number is not bounded.
    if (!(least > 1. + kThresholdMargin && short_ > -kMaxLengthExcess && min_w_ > RefractionModel::kMinW &&
          min_w_ > event_.plan.cut_w + 1e-6))
      return false;
    airmass_ = 1. / min_w_;
    const double max_sin = lower(1., sine + max_tan_);
    max_shift_per_k_ = max_sin * (airmass_ * (airmass_ * airmass_));
    const Plane& p = event_.plan.plane;
    const double plane_size = fabs(p.x0) + fabs(p.y0) + fabs(p.height) + fabs(p.x_impact) + fabs(p.y_impact);
    const double size = (fma(n_, fabs(dx_), fabs(x_)) + fma(n_, fabs(dy_), fabs(y_))) +
                        (fma(n_, fabs(dz_), fabs(z_)) + plane_size);
    const double rounding = (fma(2., n_, 64.) * (kUnitRoundoff * size)) * (airmass_ * airmass_);
    top_ = fma(0.5, dz_, z_);
    bottom_ = fma(n_, dz_, top_);
    return rounding < kMaxStepRounding_cm && lower(top_, bottom_) >= p.height &&
           higher(top_, bottom_) <= kTopOfAtmosphere_cm;
  }

  // Planner::ring(). Without refraction's part.
  CHERENKOV_HOST_DEVICE void find_ring() {
    const Plane& p = event_.plan.plane;
    const double half = 0.5 * n_;
    const double middle = half + 0.5;
    const double x = fma(middle, dx_, x_) - p.x0;
    const double y = fma(middle, dy_, y_) - p.y0;
    const double per_length = 1. / sqrt(higher(1e-3, 1. - short_));
    const double ax = u_ * per_length, ay = v_ * per_length, aw = w_ * per_length;
    const double along = fma(-dz_, aw, fma(dx_, ax, dy_ * ay));
    const double forward = half * fabs(along);
    const double aside =
        half * (fabs(fma(-along, ax, dx_)) + (fabs(fma(-along, ay, dy_)) + fabs(fma(along, aw, dz_))));
    ring_.x = fma(x, p.cos_turn, y * p.sin_turn) - p.x_impact;
    ring_.y = fma(-x, p.sin_turn, y * p.cos_turn) - p.y_impact;
    ring_.height = fma(middle, dz_, z_) - p.height;
    ring_.u = fma(ax, p.cos_turn, ay * p.sin_turn);
    ring_.v = fma(-ax, p.sin_turn, ay * p.cos_turn);
    ring_.w = aw;
    ring_.tan_theta = 0.5 * (max_tan_ + min_tan_);
    ring_.secant = secant_;
    ring_.slack = fma(forward, max_tan_, aside);
    ring_.slack_per_cm = fma(secant_, per_length - 1., fma(0.5, max_tan_ - min_tan_, 1e-9));
  }

  // RefractionModel::between().
  CHERENKOV_HOST_DEVICE RefractionModel::RefractionRange refraction() const {
    const auto at = [&](double height) {
      const double place = (height - event_.low) * event_.heights_per_cm;
      return static_cast<int>(lower(higher(place, 0.), event_.heights - 1.));
    };
    const int first = at(lower(top_, bottom_)), last = at(higher(top_, bottom_));
    const double k = 0.5 * (event_.k[first] + event_.k[last]);
    double error = 0.;
    for (int i = first + lanes_.index(); i <= last; i += Lanes::kCount)
      error = higher(fabs(event_.k[i] - k) + event_.k_error[i], error);
    return {k, lanes_.largest(error)};
  }

  // Stage::try_unseen(), by the azimuths of light: sets those sectors whose light may pass a sphere. False
  // where that cannot be told.
  CHERENKOV_HOST_DEVICE bool find_sectors() {
    const double plane_height = event_.plan.plane.height;
    if (!(lower(top_, bottom_) > plane_height + event_.spheres.top)) return false;
    const double spread = 0.75 * higher(0., short_) * (airmass_ * airmass_);
    const double relative = spread + RefractionModel::relative_error(airmass_);
    const RefractionModel::RefractionRange range = refraction();
    const double error = max_shift_per_k_ * (fabs(range.k) * relative + range.error * (1. + relative)) +
                         kChooseRounding_cm + kMaxStepRounding_cm;
    if (!(error <= kFootprintMargin_cm)) return false;
    ring_.slack = ring_.slack + error + fabs(range.k * (1. - spread)) * max_shift_per_k_;
    ring_.tilt = max_shift_per_k_ * (RefractionModel::kMaxSlopeChange + fabs(short_)) + kSlopeRounding;
    ring_.radius_scale = 1. + ring_.tilt * airmass_;
    sectors_ = event_.spheres.sectors_of(ring_, lanes_);
    return true;
  }

  // Along the shower's axis, of the light after so many spacings: Planner::ends().
  [[nodiscard]] CHERENKOV_HOST_DEVICE double distance(double spacings) const {
    const PlanSettings& s = event_.plan;
    const double x = fma(spacings, dx_, x_), y = fma(spacings, dy_, y_), z = fma(spacings, dz_, z_);
    return fma(x, s.along_x, fma(y, s.along_y, fma(-z, s.along_z, s.start)));
  }

  // DepthProfile::only_bin(), or two neighbouring bins: sets which bunches are surely in which. False where
  // there are more bins, or many bunches near the edge.
  CHERENKOV_HOST_DEVICE bool find_bins() {
    const double from = distance(0.5), to = distance(n_ + 0.5);
    const double low = lower(from, to) - kBinRounding_cm;
    const double high = higher(from, to) + kBinRounding_cm;
    int begin = 0, end = event_.bins + 1;  // the first edge above `low` is among these
    while (begin < end) {
      const int middle = (begin + end) / 2;
      if (low < event_.edge[middle])
        end = middle;
      else
        begin = middle + 1;
    }
    bin_ = begin;
    if (bin_ < 1 || bin_ > event_.bins || !(event_.edge[bin_ - 1] <= low)) return false;
    if (event_.edge[bin_] > high) return true;
    if (bin_ == event_.bins || !(event_.edge[bin_ + 1] > high)) return false;
    return find_share(from, to, event_.edge[bin_]);
  }

  // Which bunches are surely in bin_, and which in the next bin; `edge` is between the two. from, to: along
  // the axis, where the light begins and ends. On return bin_ is the bin of the first bunches.
  CHERENKOV_HOST_DEVICE bool find_share(double from, double to, double edge) {
    constexpr int kMostBetween = 4;  // bunches that are surely in neither; with more, the CPU does the step
    const double per_bunch = (to - from) / n_;
    const double edge_bunch = (edge - from) / per_bunch;                  // with its fraction
    const double uncertainty = fabs(kBinRounding_cm / per_bunch) + 1e-6;  // bunches
    if (!(uncertainty < kMostBetween)) return false;
    const auto bunch = [&](double place) { return static_cast<int>(lower(higher(place, 0.), n_)); };
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
           (next_begin_ == static_cast<int>(n_) || is_in(rises, next_begin_ + 0.5));
  }

  // The light of every bunch, as emit() computes it. The path is CERENK's own running sum, which every lane
  // adds up for itself: from a product it would differ by a bit now and then, and where n is odd the middle
  // bunch's beta*n is half-way between two numbers in every second step, so that the bit shows. Terms are not
  // negative, as beta*n is above 1.
  CHERENKOV_HOST_DEVICE void add_photons(double total_power, double bin_power, double next_power,
                                         StepAnswer& out) {
    RoundedSum total{total_power}, total_twice{2. * total_power};
    RoundedSum in_bin{bin_power}, in_bin_twice{2. * bin_power};
    RoundedSum in_next{next_power}, in_next_twice{2. * next_power};
    double path = path_before_;
    const auto advance = [&](int spacings) {
      for (int i = 0; i < spacings; ++i) path += path_;
    };
    const int n = static_cast<int>(n_);
    advance(lanes_.index() + 1);
    for (int i = lanes_.index(); i < n; i += Lanes::kCount) {
      const double cosine = 1. / (beta_n_ + slope_ * path);
      const double photons = per_sin2_ * ((1. - cosine) * (1. + cosine));
      total.add(photons);
      total_twice.add(photons);
      if (i < bin_end_) {
        in_bin.add(photons);
        in_bin_twice.add(photons);
      } else if (i >= next_begin_) {
        in_next.add(photons);
        in_next_twice.add(photons);
      }
      advance(Lanes::kCount);
    }
    out.total = {total.of_all(lanes_), total_twice.of_all(lanes_)};
    if (bin_ != 0) out.in_bin = {in_bin.of_all(lanes_), in_bin_twice.of_all(lanes_)};
    if (next_bin_ != 0) in_next_bin_ = {in_next.of_all(lanes_), in_next_twice.of_all(lanes_)};
  }

  const StepArguments& in_;
  const EventView& event_;
  const Lanes lanes_;
  bool is_certain_ = true;  // that the indices have CORSIKA's bits
  double u_ = 0., v_ = 0., w_ = 0., length_ = 0., n_ = 0., sin2_ = 0., per_cm_ = 0.;
  double beta_n_ = 0., slope_ = 0., per_sin2_ = 0., path_ = 0., path_before_ = 0.;
  double x_ = 0., y_ = 0., z_ = 0., dx_ = 0., dy_ = 0., dz_ = 0., top_ = 0., bottom_ = 0.;
  double min_tan_ = 0., max_tan_ = 0., secant_ = 0., min_w_ = 0., short_ = 0., airmass_ = 0.,
         max_shift_per_k_ = 0.;
  Ring ring_{};
  std::uint64_t sectors_ = 0;
  int bin_ = 0, next_bin_ = 0, bin_end_ = 0, next_begin_ = 0;
  SumTerms in_next_bin_{0., 0.};
};

}  // namespace cherenkov::corsika
