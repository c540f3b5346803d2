// A check of the answers that step_judge.hpp gives for recorded steps, on the CPU or on a device, against
// the formulas of the stage, and against adding bunch by bunch.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "plain_step.hpp"
#include "played_steps.hpp"

namespace cherenkov::test {

// Random and adversarial recorded steps.

// An event: telescopes, air, bins, and recorded steps of its shower, near to telescopes or far from
// them. Tests ask which of them are certainly untold.
class UnseenSteps {
 public:
  UnseenSteps(std::uint64_t seed, double observed) : random(seed), package(observed, 5) {
    shower = random_shower(random, observed, 1.1);
    package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    shower.context.plane.x_impact = random.uniform(-1e3, 1e3);
    spheres = shower.spheres();
    refraction = package.air.measured();
    // More bins than the shower's own, so that light of most steps is in one; few edges are alike.
    const double length = shower.context.profile.axis.start + 1e6;
    const int bins = static_cast<int>(random.logarithmic(10., 500.));
    for (int edge = 0; edge <= bins; ++edge) edges_.push_back(random.uniform(0., length));
    edges_.front() = 0.;
    edges_.back() = edges_[edges_.size() / 2];
    std::sort(edges_.begin(), edges_.end());
    edges_.push_back(1e300);  // not of the profile
    bunch_size_ = random.logarithmic(0.01, 5.);
  }

  // From now on indices are those of the steps' heights, and view() has a table of them.
  void use_index_table() {
    table_ = corsika::IndexTable::of({0., 0., 0., 0., true, index_of, nullptr, nullptr, excess_of});
    ASSERT_TRUE(table_);
  }

  [[nodiscard]] EventView view(bool fill_profile = true) const {
    return {{0.1, 400., bunch_size_, shower.context.plane, shower.context.profile.axis},
            view_of(spheres),
            refraction.view(),
            edges_.data(),
            fill_profile ? static_cast<int>(edges_.size()) - 2 : 0,
            table_ ? table_->view() : IndexTableView{}};
  }

  // Records step i of all `chunks`: near to telescopes or far from them, now and then with an invalid
  // argument.
  void record(std::span<corsika::RecordedSteps> chunks, int i) {
    double ignored = 0.;
    corsika::ChargedStep c = random_charged_step(random, shower, package, 400., ignored);
    if (random.turn() < 0.7) {  // aside
      const double far = random.logarithmic(1e3, 1e6), x = far * random.uniform(-1., 1.),
                   y = far * random.uniform(-1., 1.);
      c.x_begin += x, c.x_end += x;
      c.y_begin += y, c.y_end += y;
    }
    if (random.turn() < 0.7) {  // short, so that its light is in one bin
      shorten(c, random.logarithmic(1e-3, 1.));
    }
    if (random.turn() < 0.1) begin_near_edge(c);
    if (random.turn() < 0.1) spoil(c);
    double middle = 0.5 * (c.z_begin + c.z_end), begin = c.z_begin, end = c.z_end;
    corsika::RecordedSteps& steps = chunks[static_cast<std::size_t>(i / corsika::kChunkSteps)];
    const int at = i % corsika::kChunkSteps;
    steps.index_begin[at] = index_of(&begin), steps.index_middle[at] = index_of(&middle);
    steps.index_end[at] = index_of(&end);
    if (!table_ && random.turn() < 0.01) steps.index_middle[at] = std::numeric_limits<double>::quiet_NaN();
    if (random.turn() < 0.05) {  // near threshold, from either side
      const double index = table_ ? steps.index_begin[at] : 1. + random.logarithmic(1e-16, 1e-7);
      const double off = 1. + random.sign() * random.logarithmic(1e-16, 1e-9);
      c.begin_energy = c.mass / std::sqrt(1. - 1. / (index * index)) * off;
      steps.index_begin[at] = index;
    }
    steps.set(at, c);
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
  Spheres spheres;
  RefractionModel refraction;

 private:
  // Its light begins some 0.01 cm of the shower's axis before or after where a bin does.
  void begin_near_edge(corsika::ChargedStep& c) {
    const corsika::DepthProfile& p = shower.context.profile;
    const double edge =
        edges_[static_cast<std::size_t>(random.turn() * static_cast<double>(edges_.size() - 1))];
    const double off = p.axis.distance(c.x_begin, c.y_begin, c.z_begin) - edge + random.uniform(-0.02, 0.02);
    c.z_begin += off / p.axis.along_z, c.z_end += off / p.axis.along_z;
  }
  void spoil(corsika::ChargedStep& c) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    double* const arguments[] = {&c.length,     &c.u,       &c.v,       &c.w,       &c.begin_energy,
                                 &c.end_energy, &c.x_begin, &c.y_begin, &c.z_begin, &c.x_end,
                                 &c.y_end,      &c.z_end,   &c.mass,    &c.charge};
    double& any = *arguments[static_cast<std::size_t>(random.turn() * 14.)];
    const std::function<void()> kWays[] = {
        [&] { any = nan; },
        [&] { any = 0.; },
        [&] { any = -any; },
        [&] { any = random.turn() < 0.5 ? HUGE_VAL : -HUGE_VAL; },
        [&] { any *= random.logarithmic(1e-300, 1e300); },
        [&] { c.u = c.v = 0., c.w = 1.; },
        [&] { c.w = random.uniform(0., 0.3), c.u = std::sqrt(1. - c.w * c.w), c.v = 0.; },
        [&] {  // so far that positions are rounded to metres
          const double far = random.logarithmic(1e10, 1e15);
          c.x_begin += far, c.x_end += far;
        },
        [&] { c.length = 0.; }};
    kWays[static_cast<std::size_t>(random.turn() * 9.)]();
  }

  std::optional<corsika::IndexTable> table_;
  std::vector<double> edges_;
  double bunch_size_;
};

// What has become of the steps that were compared.
struct StepCounts {
  int steps = 0;             // compared
  int none = 0;              // answered kNone
  int unseen = 0;            // answered kUnseen
  int seen = 0;              // answered kDetailed, with sectors
  int shared = 0;            // by two bins
  int cautious = 0;          // answered kHost or kDetailed where another answer is right
  int asked = 0, known = 0;  // sums

  void add(const StepCounts& c) {
    steps += c.steps, none += c.none, unseen += c.unseen, seen += c.seen, shared += c.shared;
    cautious += c.cautious, asked += c.asked, known += c.known;
  }
  void expect_all_kinds() const {
    std::printf("%d steps: %d dark, %d that nobody sees, %d seen; %d in two bins; %d answered with caution\n",
                steps, none, unseen, seen, shared, cautious);
    EXPECT_GT(none, steps / 100);
    EXPECT_GT(unseen, steps / 5);
    EXPECT_GT(seen, steps / 100);
    EXPECT_GT(shared, steps / 100);
    EXPECT_GT(known, asked * 2 / 3);  // 0.72 in 8 events, 0.8 in 24: an event's sums begin at random
  }
};

class AnswerCheck {
 public:
  AnswerCheck(UnseenSteps& event, const EventView& view)
      : event_(event), view_(view), profile_(event.shower.context.profile) {
    profile_.edge = view.edge;
    profile_.bins = view.bins;
  }

  // answers: for the first steps of `chunks`.
  void check(std::span<const corsika::RecordedSteps> chunks, std::span<const StepAnswer> answers) {
    const std::size_t count = answers.size();
    for (std::size_t at = 0; at < count && !testing::Test::HasFatalFailure(); ++at) {
      const int own = static_cast<int>(at % corsika::kChunkSteps);
      const corsika::RecordedSteps& chunk = chunks[at / corsika::kChunkSteps];
      if (own == 0)
        plan_steps(chunk, static_cast<int>(std::min(count - at, std::size_t{corsika::kChunkSteps})),
                   view_.plan, plans_);
      check_one(own, chunk, answers[at]);
      if (testing::Test::HasFatalFailure()) ADD_FAILURE() << "step " << at;
    }
  }

  StepCounts counts;

 private:
  // The bin that surely holds the light after so many spacings; 0 if there is none.
  [[nodiscard]] int bin_of(const Step& step, double first, double last) const {
    const auto distance = [&](double spacings) {
      return profile_.axis.distance(step.before.x + spacings * step.between.x,
                                    step.before.y + spacings * step.between.y,
                                    step.before.z + spacings * step.between.z);
    };
    return profile_.only_bin(distance(first), distance(last), 0);
  }

  void check_one(int own, const corsika::RecordedSteps& chunk, const StepAnswer& answer) {
    const LightKind kind = plans_.kind(own);
    ++counts.steps;
    if (answer.verdict == Verdict::kNone) {
      ASSERT_EQ(kind, LightKind::kNone);
      ++counts.none;
      return;
    }
    const bool is_bounded = kind == LightKind::kWhole &&
                            corsika::member(plans_, own, offsetof(StepPlan<double>, bounded)) != 0. &&
                            corsika::step_of(plans_, own).bunches <= kMaxDeviceBunches;
    const StepBound bound = corsika::bound_of(plans_, own, event_.refraction);
    const bool is_told =
        is_bounded && bound.whole.is_known() && bound.lowest > view_.plan.plane.height + view_.spheres.top;
    const bool is_seen = is_told && event_.spheres.touched_by(bound.ring);
    const Step step = is_bounded ? corsika::step_of(plans_, own) : Step{};
    const int n = step.bunches;
    const bool fills = view_.bins != 0;
    const int bin = fills && is_bounded ? bin_of(step, 0.5, n + 0.5) : 0;
    const bool is_one_bin = is_told && (bin != 0 || !fills);
    if (answer.verdict == Verdict::kHost) {
      counts.cautious += kind == LightKind::kNone || is_one_bin ? 1 : 0;
      return;
    }
    ASSERT_TRUE(is_told);
    ASSERT_EQ(answer.bunches, n);
    check_sum(step, answer.total, 0, n);
    int bin_end = n;
    if (answer.verdict == Verdict::kDetailed) {
      bin_end = answer.bin_end;
      counts.seen += answer.sectors != 0 ? 1 : 0;
      counts.cautious += is_one_bin && !is_seen ? 1 : 0;
      ASSERT_TRUE(!is_seen || answer.sectors != 0);
      check_details(step, chunk, own, answer);
      if (answer.next_bin != 0) check_share(step, answer);
    } else {
      ASSERT_EQ(answer.verdict, Verdict::kUnseen);
      ASSERT_TRUE(is_one_bin && !is_seen);
      ++counts.unseen;
    }
    if (bin_end == n) {
      ASSERT_EQ(answer.bin, bin);
    }
    if (fills) check_sum(step, answer.in_bin, 0, bin_end);
  }

  // Of a step in two bins: bunches that are told to be in one surely are, and so many are added.
  void check_share(const Step& step, const StepAnswer& answer) {
    ++counts.shared;
    ASSERT_TRUE(0 <= answer.bin_end && answer.bin_end <= answer.next_begin &&
                answer.next_begin <= step.bunches);
    ASSERT_EQ(std::abs(answer.bin - answer.next_bin), 1);
    for (int k = 0; k < answer.bin_end; ++k) ASSERT_EQ(bin_of(step, k + 0.5, k + 1.5), answer.bin) << k;
    for (int k = answer.next_begin; k < step.bunches; ++k)
      ASSERT_EQ(bin_of(step, k + 0.5, k + 1.5), answer.next_bin) << k;
    check_sum(step, answer.in_next_bin, answer.next_begin, step.bunches);
  }

  // What is told of it has the bits of the plan. Its sectors and bins are those of the same formulas here.
  void check_details(const Step& step, const corsika::RecordedSteps& chunk, int own, const StepAnswer& told) {
    const Step::Point &before = step.before, &between = step.between;
    const double wanted[] = {
        before.path, before.x,  before.y,    before.z,          between.path,          between.x,
        between.y,   between.z, step.beta_n, step.beta_n_slope, step.photons_per_sin2, step.weight,
        step.u0,     step.v0,   step.w0};
    static_assert(offsetof(StepAnswer, w) - offsetof(StepAnswer, path_before) ==
                  sizeof(wanted) - sizeof(double));
    const char* values = reinterpret_cast<const char*>(&told) + offsetof(StepAnswer, path_before);
    ASSERT_EQ(std::memcmp(values, wanted, sizeof(wanted)), 0);
    const StepArguments arguments = arguments_of(chunk, own);
    StepJudge<OneLane> judge(arguments, view_, {});
    StepAnswer here = judge.answer(0., std::vector<double>(static_cast<std::size_t>(view_.bins) + 1).data());
    judge.add_details(here);
    ASSERT_TRUE(here.sectors != 0 || here.next_bin != 0);
    ASSERT_TRUE(told.sectors == here.sectors && told.next_bin == here.next_bin &&
                told.bin_end == here.bin_end && told.next_begin == here.next_begin);
  }

  // A sum of the photons from bunch `begin` to before `end`, in the power of two that was told, and in the
  // next.
  void check_sum(const Step& step, const SumTerms& terms, int begin, int end) {
    for (const double own_power : {terms.power, 2. * terms.power}) {
      if (own_power == 0.) continue;
      const double start = event_.sum_of(own_power);
      const double known = terms.added_to(start);
      double sum = start;
      BunchPlaces places(step.before, step.between);
      for (int k = begin; k < end; ++k) sum += plain_light(step, places.go_to(k).path).photons;
      ASSERT_TRUE(known != known || bits(known) == bits(sum)) << known << " " << sum;
      ++counts.asked;
      counts.known += known == known ? 1 : 0;
    }
  }

  UnseenSteps& event_;
  const EventView view_;
  corsika::DepthProfile profile_;
  corsika::StepPlans plans_{};
};

// Has a device answer batches of so many events, each with its own count and powers, and checks them.
inline void expect_answers(corsika::DeviceSteps& device, std::span<corsika::RecordedSteps> memory, int events,
                           std::initializer_list<int> batches, bool with_table) {
  StepCounts all;
  for (int seed = 0; seed < events && !testing::Test::HasFailure(); ++seed) {
    UnseenSteps event(static_cast<std::uint64_t>(seed), seed % 3 == 0 ? 2.2e5 : 1.27e5);
    if (with_table) event.use_index_table();
    const EventView view = event.view(seed % 4 != 3);
    device.begin_event(view);
    AnswerCheck check(event, view);
    for (const int count : batches) {
      for (int i = 0; i < count; ++i) event.record(memory, i);
      std::vector<double> powers(static_cast<std::size_t>(view.bins) + 1);
      for (double& power : powers) power = event.power();
      check.check(memory, device.answer(memory.data(), count, event.power(), powers.data()));
      if (testing::Test::HasFailure()) FAIL() << "event " << seed << ", " << count << " steps";
    }
    all.add(check.counts);
  }
  all.expect_all_kinds();
  EXPECT_LT(all.cautious, all.steps / (with_table ? 10 : 1000) + 1);
}

}  // namespace cherenkov::test
