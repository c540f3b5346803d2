// Random and adversarial recorded steps, and a check of the answers that step_verdict.hpp gives for them, on
// the CPU or on a device, against the stage's own functions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "event_view.hpp"
#include "plain_cerenk.hpp"
#include "stage_limits.hpp"

namespace cherenkov::test {

// An event: telescopes, air, bins, and recorded steps of its shower, near to telescopes or far from
// them. Tests ask which of them are certainly unseen.
class UnseenSteps {
 public:
  UnseenSteps(std::uint64_t seed, double observed) : random(seed), package(observed, 5) {
    shower = random_shower(random, observed, 1.1);
    package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    shower.context.plane.x_impact = random.uniform(-1e3, 1e3);
    std::vector<Sphere> spheres;
    for (const Telescope& t : shower.telescopes) spheres.push_back({t.x, t.y, t.z, t.radius});
    spheres_ = Spheres(spheres);
    refraction_ = RefractionModel::measured(
        observed, corsika::kTopOfAtmosphere_cm,
        [this](double height, double u, double) { return package.air.arrival(height, u); });
    // More bins than the shower's own, so that light of most steps is in one; few edges are alike.
    const double length = shower.context.profile.start + 1e6;
    const int bins = static_cast<int>(random.logarithmic(10., 500.));
    for (int edge = 0; edge <= bins; ++edge) edges_.push_back(random.uniform(0., length));
    edges_.front() = 0.;
    edges_.back() = edges_[edges_.size() / 2];
    std::sort(edges_.begin(), edges_.end());
    edges_.push_back(1e300);  // not of the profile
    bunch_size_ = random.logarithmic(0.01, 5.);
  }

  // From now on indices are those of the steps' heights, and settings() has a table of them.
  void use_index_table() {
    corsika::Emission emission{};
    emission.tables = true;
    emission.index = index_of;
    emission.excess = excess_of;
    table_ = corsika::IndexTable::of(emission);
    ASSERT_TRUE(table_);
  }

  [[nodiscard]] corsika::EventSettings settings(bool fill_profile = true) const {
    const corsika::DepthProfile& p = shower.context.profile;
    return {{0.1, 400., bunch_size_, shower.context.plane, p.along_x, p.along_y, p.along_z, p.start},
            &spheres_,
            &refraction_,
            fill_profile ? edges_.data() : nullptr,
            fill_profile ? static_cast<int>(edges_.size()) - 2 : 0,
            table_ ? &*table_ : nullptr};
  }

  // Records step i of all `chunks`: near to telescopes or far from them, now and then with an invalid
  // argument.
  void record(std::span<corsika::StepChunk> chunks, int i) {
    double ignored = 0.;
    corsika::ChargedStep c = random_charged_step(random, shower, package, 400., ignored);
    if (random.turn() < 0.7) {  // aside
      const double far = random.logarithmic(1e3, 1e6), x = far * random.uniform(-1., 1.),
                   y = far * random.uniform(-1., 1.);
      c.x_begin += x, c.x_end += x;
      c.y_begin += y, c.y_end += y;
    }
    if (random.turn() < 0.7) {  // short, so that its light is in one bin
      const double part = random.logarithmic(1e-3, 1.);
      c.length *= part;
      c.x_end = c.x_begin + part * (c.x_end - c.x_begin);
      c.y_end = c.y_begin + part * (c.y_end - c.y_begin);
      c.z_end = c.z_begin + part * (c.z_end - c.z_begin);
    }
    if (random.turn() < 0.1) begin_near_edge(c);
    if (random.turn() < 0.1) spoil(c);
    double middle = 0.5 * (c.z_begin + c.z_end), begin = c.z_begin, end = c.z_end;
    auto& [steps, indices] = chunks[static_cast<std::size_t>(i / corsika::kChunkSteps)];
    const int at = i % corsika::kChunkSteps;
    indices.begin[at] = index_of(&begin), indices.middle[at] = index_of(&middle);
    indices.end[at] = index_of(&end);
    if (!table_ && random.turn() < 0.01) indices.middle[at] = std::numeric_limits<double>::quiet_NaN();
    if (random.turn() < 0.05) {  // near threshold, from either side
      const double index = table_ ? indices.begin[at] : 1. + random.logarithmic(1e-16, 1e-7);
      const double off = 1. + random.sign() * random.logarithmic(1e-16, 1e-9);
      c.begin_energy = c.mass / std::sqrt(1. - 1. / (index * index)) * off;
      indices.begin[at] = index;
    }
    steps.set(at, c);
  }

  // Records kDeviceSteps steps of about n bunches each, 5 to 12 km above sea level, and up to 300 m from the
  // origin in x and in y.
  void record_average_steps(std::span<corsika::StepChunk> chunks, const corsika::PlanSettings& plan, int n) {
    for (int i = 0; i < corsika::kDeviceSteps; ++i) {
      record(chunks, i);
      auto& [steps, indices] = chunks[static_cast<std::size_t>(i / corsika::kChunkSteps)];
      const int at = i % corsika::kChunkSteps;
      corsika::ChargedStep c = steps.step(at);
      const Direction to = direction(random.uniform(0.1, 0.4), random.uniform(0., 6.28));
      c.u = to.u, c.v = to.v, c.w = to.w;
      c.begin_energy = random.logarithmic(0.1, 10.);
      c.end_energy = 0.99 * c.begin_energy;
      c.mass = kElectron, c.charge = 1.;
      c.z_begin = random.uniform(5e5, 1.2e6);
      c.x_begin = random.uniform(-3e4, 3e4), c.y_begin = random.uniform(-3e4, 3e4);
      const double ratio = kElectron / c.begin_energy;
      const double excess = 2. * Atmosphere::refractivity(c.z_begin) - ratio * ratio;
      c.length = (n - 0.5) * plan.bunch_size / (plan.yield * std::max(1e-5, excess));
      c.x_end = c.x_begin + c.length * to.u, c.y_end = c.y_begin + c.length * to.v;
      c.z_end = c.z_begin - c.length * to.w;
      steps.set(at, c);
      double begin = c.z_begin, end = c.z_end, middle = 0.5 * (begin + end);
      indices.begin[at] = index_of(&begin), indices.middle[at] = index_of(&middle);
      indices.end[at] = index_of(&end);
    }
  }

  // A power of two that a sum may have: where terms are half-way now and then, or lose most of their bits.
  double power() {
    if (random.turn() < 0.01) return 0.;
    return std::exp2(std::floor(random.turn() < 0.2 ? random.uniform(-3., 12.) : random.uniform(10., 50.)));
  }
  // A sum with that power; often near its ends.
  double sum_of(double power) {
    const double where = random.turn();
    if (where < 0.1) return power;
    if (where < 0.3) return power * (2. - random.logarithmic(1e-15, 1.));
    return std::min(power * (1. + random.turn()), std::nextafter(2. * power, 0.));
  }

  Random random;
  Package package;
  Shower shower;

 private:
  // Its light begins some 0.01 cm of the shower's axis before or after where a bin does.
  void begin_near_edge(corsika::ChargedStep& c) {
    const corsika::DepthProfile& p = shower.context.profile;
    const double edge =
        edges_[static_cast<std::size_t>(random.turn() * static_cast<double>(edges_.size() - 1))];
    const double off = p.distance(c.x_begin, c.y_begin, c.z_begin) - edge + random.uniform(-0.02, 0.02);
    c.z_begin += off / p.along_z, c.z_end += off / p.along_z;
  }
  void spoil(corsika::ChargedStep& c) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    double* const arguments[] = {&c.length,     &c.u,       &c.v,       &c.w,       &c.begin_energy,
                                 &c.end_energy, &c.x_begin, &c.y_begin, &c.z_begin, &c.x_end,
                                 &c.y_end,      &c.z_end,   &c.mass,    &c.charge};
    double& any = *arguments[static_cast<std::size_t>(random.turn() * 14.)];
    switch (static_cast<int>(random.turn() * 9.)) {
      case 0:
        any = nan;
        break;
      case 1:
        any = 0.;
        break;
      case 2:
        any = -any;
        break;
      case 3:
        any = random.turn() < 0.5 ? HUGE_VAL : -HUGE_VAL;
        break;
      case 4:
        any *= random.logarithmic(1e-300, 1e300);
        break;
      case 5:
        c.u = c.v = 0., c.w = 1.;
        break;
      case 6:
        c.w = random.uniform(0., 0.3), c.u = std::sqrt(1. - c.w * c.w), c.v = 0.;
        break;
      case 7: {  // so far that positions are rounded to metres
        const double far = random.logarithmic(1e10, 1e15);
        c.x_begin += far, c.x_end += far;
        break;
      }
      default:
        c.length = 0.;
    }
  }

  Spheres spheres_;
  RefractionModel refraction_;
  std::optional<corsika::IndexTable> table_;
  std::vector<double> edges_;
  double bunch_size_;
};

// What has become of the steps that were compared.
struct StepCounts {
  int steps = 0;       // compared
  int none = 0;        // answered kNone
  int unseen = 0;      // answered kUnseen
  int wanted = 0;      // for which kUnseen is the right answer
  int seen = 0;        // answered kSeen
  int cautious = 0;    // answered kHost or kSeen where another answer is right
  int known = 0;       // pairs of sums that the answers tell, two pairs per step whose light is added
  int only_here = 0;   // pairs of sums that try_add_photons() tells and the answer does not
  int only_there = 0;  // the other way round

  void add(const StepCounts& c) {
    steps += c.steps, none += c.none, unseen += c.unseen, known += c.known;
    wanted += c.wanted, cautious += c.cautious, seen += c.seen;
    only_here += c.only_here, only_there += c.only_there;
  }
  void print() const {
    std::printf(
        "%d steps: %d dark, %d that nobody sees, %d of these answered so; %d seen; %d answered with "
        "caution\n",
        steps, none, wanted, unseen, seen, cautious);
    std::printf("%d sums known, %d of them not on the CPU; %d on the CPU alone\n", known, only_there,
                only_here);
  }
};

// Compares answers with what the stage's own functions on the CPU give.
class AnswerCheck {
 public:
  AnswerCheck(UnseenSteps& event, const corsika::EventSettings& settings)
      : event_(event), settings_(settings) {}

  // answered: for the first steps of `chunks`.
  void check(std::span<const corsika::StepChunk> chunks, const corsika::AnsweredSteps& answered) {
    const int count = static_cast<int>(answered.answers.size());
    for (int first = 0; first < count; first += corsika::kChunkSteps) {
      const int n = std::min(count - first, corsika::kChunkSteps);
      const corsika::StepChunk& chunk = chunks[static_cast<std::size_t>(first / corsika::kChunkSteps)];
      plan_steps(chunk.steps, n, chunk.indices, settings_.plan, plans_);
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(first + i);
        check_one(i, answered.answers[at], answered.total_power, answered.bin_powers);
        if (answered.answers[at].verdict == corsika::Verdict::kSeen) check_seen(i, answered.seen[at], chunk);
        if (testing::Test::HasFatalFailure()) {
          ADD_FAILURE() << "step " << at;
          return;
        }
      }
    }
  }

  StepCounts counts;

 private:
  // Stage::try_unseen(), its bin: 0 where there is none, or the step is not bounded; 1 where no profile is
  // filled.
  [[nodiscard]] int only_bin(int i) const {
    using namespace corsika;
    const StepPlans& p = plans_;
    if (p.kind[i] != static_cast<double>(static_cast<int>(LightKind::kLinear)) || p.bounded[i] == 0. ||
        !(p.bunches[i] <= kMaxDeviceBunches))
      return 0;
    if (settings_.bins == 0) return 1;
    DepthProfile profile = event_.shower.context.profile;
    profile.edge = settings_.edge;
    profile.bins = settings_.bins;
    return profile.only_bin(p.begin_distance[i], p.end_distance[i], 0);
  }

  // Stage::try_unseen(), its test of the light of a bounded step: whether a telescope may see it. Empty where
  // that cannot be told.
  [[nodiscard]] std::optional<bool> is_seen(int i) const {
    using namespace corsika;
    const StepPlans& p = plans_;
    const double plane_height = settings_.plan.plane.height;
    const double bottom = std::min(p.begin_height[i], p.end_height[i]);
    if (!(bottom > plane_height + settings_.spheres->top())) return std::nullopt;
    const double airmass2 = p.airmass[i] * p.airmass[i];
    const double spread = 0.75 * std::max(0., p.short_of_unit[i]) * airmass2;
    const double relative = spread + RefractionModel::relative_error(p.airmass[i]);
    const auto range = settings_.refraction->between(p.begin_height[i], p.end_height[i]);
    const double error =
        p.max_shift_per_k[i] * (std::fabs(range.k) * relative + range.error * (1. + relative)) +
        kChooseRounding_cm + kMaxStepRounding_cm;
    if (!(error <= kFootprintMargin_cm)) return std::nullopt;
    const double tilt =
        p.max_shift_per_k[i] * (RefractionModel::kMaxSlopeChange + std::fabs(p.short_of_unit[i])) + 1e-6;
    const Ring ring{p.ring_x[i],
                    p.ring_y[i],
                    p.ring_height[i],
                    p.ring_u[i],
                    p.ring_v[i],
                    p.ring_w[i],
                    p.tan_theta[i],
                    p.secant[i],
                    p.slack[i] + error + std::fabs(range.k * (1. - spread)) * p.max_shift_per_k[i],
                    p.slack_per_cm[i],
                    tilt,
                    1. + tilt * p.airmass[i]};
    return settings_.spheres->touched_by(ring);
  }

  void check_one(int i, const corsika::StepAnswer& answer, double total_power, const double* bin_powers) {
    using corsika::Verdict;
    ++counts.steps;
    const bool none = plans_.kind[i] == static_cast<double>(static_cast<int>(corsika::LightKind::kNone));
    if (answer.verdict == Verdict::kNone) {
      ASSERT_TRUE(none);
      ++counts.none;
      return;
    }
    const int bin = only_bin(i);
    const std::optional<bool> seen = bin != 0 ? is_seen(i) : std::nullopt;
    const bool unseen = seen && !*seen;
    counts.wanted += unseen ? 1 : 0;
    if (answer.verdict == Verdict::kHost) {
      counts.cautious += none || seen ? 1 : 0;
      return;
    }
    ASSERT_TRUE(seen);
    if (answer.verdict == Verdict::kSeen) {
      ++counts.seen;
      counts.cautious += unseen ? 1 : 0;
    } else {
      ASSERT_EQ(answer.verdict, Verdict::kUnseen);
      ASSERT_TRUE(unseen);
      ++counts.unseen;
    }
    ASSERT_EQ(answer.bunches, plans_.bunches[i]);
    ASSERT_EQ(answer.bin, settings_.bins == 0 ? 0 : bin);
    const double bin_power = settings_.bins == 0 ? total_power : bin_powers[bin];
    const corsika::SumTerms& in_bin = settings_.bins == 0 ? answer.total : answer.in_bin;
    for (int twice = 0; twice < 2; ++twice)
      check_sums(i, answer.total, in_bin, total_power, bin_power, twice == 1);
  }

  // What is told of it has the bits of StepPlans::step(). Its sectors are those of the same formulas here.
  void check_seen(int i, const corsika::SeenStep& seen, const corsika::StepChunk& chunk) {
    const Step step = plans_.step(chunk.steps, i);
    const Step::Point &before = step.before, &between = step.between;
    const double told[] = {seen.path_before,
                           seen.x_before,
                           seen.y_before,
                           seen.z_before,
                           seen.path,
                           seen.x,
                           seen.y,
                           seen.z,
                           seen.beta_n,
                           seen.u,
                           seen.v,
                           seen.w,
                           seen.beta_n_slope,
                           seen.photons_per_sin2};
    const double wanted[] = {
        before.path, before.x,    before.y, before.z, between.path, between.x,         between.y,
        between.z,   step.beta_n, step.u0,  step.v0,  step.w0,      step.beta_n_slope, step.photons_per_sin2};
    for (std::size_t k = 0; k < std::size(told); ++k) ASSERT_EQ(bits(told[k]), bits(wanted[k])) << k;
    const corsika::StepArguments arguments = corsika::arguments_of(chunk, i);
    const corsika::EventView view = view_of(settings_);
    corsika::StepJudge<corsika::OneLane> judge(arguments, view, {});
    static_cast<void>(judge.answer(0., std::vector<double>(static_cast<std::size_t>(view.bins) + 1).data()));
    ASSERT_NE(seen.sectors, 0U);
    ASSERT_EQ(seen.sectors, judge.seen().sectors);
  }

  // What is answered is what adding one by one gives, and is answered where try_add_photons() does.
  void check_sums(int i, const corsika::SumTerms& total, const corsika::SumTerms& in_bin, double total_power,
                  double bin_power, bool twice) {
    const auto start = [&](double power) {
      return power == 0. ? event_.random.uniform(0., 1e3) : event_.sum_of(twice ? 2. * power : power);
    };
    const double sum = start(total_power), bin_sum = start(bin_power);
    const double all = total.added_to(sum, total_power), bin_all = in_bin.added_to(bin_sum, bin_power);
    double plain = sum, bin_plain = bin_sum;
    double path = plans_.path_before[i];
    for (double bunch = 0.; bunch < plans_.bunches[i]; bunch += 1.) {
      path += plans_.path[i];
      const double cosine = 1. / (plans_.beta_n[i] + plans_.beta_n_slope[i] * path);
      const double photons = plans_.photons_per_sin2[i] * ((1. - cosine) * (1. + cosine));
      plain += photons;
      bin_plain += photons;
    }
    ASSERT_TRUE(all != all || bits(all) == bits(plain)) << all << " " << plain;
    ASSERT_TRUE(bin_all != bin_all || bits(bin_all) == bits(bin_plain)) << bin_all << " " << bin_plain;
    const bool known = all == all && bin_all == bin_all;
    const YieldAlongStep line{plans_.beta_n[i], plans_.beta_n_slope[i], plans_.photons_per_sin2[i],
                              plans_.path_before[i], plans_.path[i]};
    double sum_here = sum, bin_here = bin_sum;
    const bool here = total_power != 0. && bin_power != 0. &&
                      try_add_photons(line, 0, static_cast<int>(plans_.bunches[i]), sum_here, &bin_here);
    counts.known += known ? 1 : 0;
    counts.only_here += here && !known ? 1 : 0;
    counts.only_there += known && !here ? 1 : 0;
  }

  UnseenSteps& event_;
  const corsika::EventSettings settings_;
  corsika::StepPlans plans_{};
};

}  // namespace cherenkov::test
