// A check of the answers that step_verdict.hpp gives for recorded steps, on the CPU or on a device, against
// the stage's own functions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "event_view.hpp"
#include "unseen_steps.hpp"

namespace cherenkov::test {

// What has become of the steps that were compared.
struct StepCounts {
  int steps = 0;        // compared
  int none = 0;         // answered kNone
  int unseen = 0;       // answered kUnseen
  int wanted = 0;       // for which kUnseen is the right answer
  int seen = 0;         // answered kDetailed, with sectors
  int shared = 0;       // by two bins
  int parts_known = 0;  // sums of these that the answers tell, of six a step
  int cautious = 0;     // answered kHost or kDetailed where another answer is right
  int known = 0;        // pairs of sums that the answers tell, two pairs per step whose light is added
  int only_here = 0;    // pairs of sums that try_add_photons() tells and the answer does not
  int only_there = 0;   // the other way round

  void add(const StepCounts& c) {
    steps += c.steps, none += c.none, unseen += c.unseen, known += c.known;
    wanted += c.wanted, cautious += c.cautious, seen += c.seen;
    shared += c.shared, parts_known += c.parts_known;
    only_here += c.only_here, only_there += c.only_there;
  }
  void print() const {
    std::printf(
        "%d steps: %d dark, %d that nobody sees, %d of these answered so; %d seen; %d in two bins, "
        "with %d sums; %d answered with caution\n",
        steps, none, wanted, unseen, seen, shared, parts_known, cautious);
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
        const auto at = static_cast<std::size_t>(first) + static_cast<std::size_t>(i);
        const corsika::StepDetails none{};
        const bool is_detailed = answered.answers[at].verdict == corsika::Verdict::kDetailed;
        check_one(i, answered, at, is_detailed ? answered.details[at] : none);
        if (is_detailed) check_details(i, answered.details[at], chunk);
        if (testing::Test::HasFatalFailure()) {
          ADD_FAILURE() << "step " << at;
          return;
        }
      }
    }
  }

  StepCounts counts;

 private:
  [[nodiscard]] bool is_bounded(int i) const {
    const StepPlan<double> p = plan_of(plans_, i);
    return plans_.kind(i) == corsika::LightKind::kLinear && p.bounded != 0. &&
           p.bunches <= corsika::kMaxDeviceBunches;
  }

  [[nodiscard]] corsika::DepthProfile profile() const {
    corsika::DepthProfile profile = event_.shower.context.profile;
    profile.edge = settings_.edge;
    profile.bins = settings_.bins;
    return profile;
  }

  // Where the light of step i is after so many spacings, along the shower's axis, cm.
  [[nodiscard]] double distance(int i, double spacings) const {
    const StepPlan<double> p = plan_of(plans_, i);
    return profile().distance(p.before.x + spacings * p.between.x, p.before.y + spacings * p.between.y,
                              p.before.z + spacings * p.between.z);
  }

  // The stage's bin: 0 where there is none, or the step is not bounded; 1 where no profile is filled.
  [[nodiscard]] int only_bin(int i) const {
    if (!is_bounded(i)) return 0;
    if (settings_.bins == 0) return 1;
    return profile().only_bin(distance(i, 0.5), distance(i, plan_of(plans_, i).bunches + 0.5), 0);
  }

  // Whether a telescope may see the light of a bounded step. Empty where that cannot be told.
  [[nodiscard]] std::optional<bool> is_seen(int i) const {
    const StepBound bound(plan_of(plans_, i), *settings_.refraction);
    if (!(bound.lowest > settings_.plan.plane.height + settings_.spheres->top() && bound.whole.is_known()))
      return std::nullopt;
    return settings_.spheres->touched_by(bound.ring);
  }

  // details: of kDetailed.
  void check_one(int i, const corsika::AnsweredSteps& answered, std::size_t at,
                 const corsika::StepDetails& details) {
    using corsika::Verdict;
    const corsika::StepAnswer& answer = answered.answers[at];
    ++counts.steps;
    const bool none = plans_.kind(i) == corsika::LightKind::kNone;
    if (answer.verdict == Verdict::kNone) {
      ASSERT_TRUE(none);
      ++counts.none;
      return;
    }
    const int bin = only_bin(i);
    const std::optional<bool> seen = is_bounded(i) ? is_seen(i) : std::nullopt;
    const bool unseen = bin != 0 && seen && !*seen;
    counts.wanted += unseen ? 1 : 0;
    if (answer.verdict == Verdict::kHost) {
      counts.cautious += none || (bin != 0 && seen) ? 1 : 0;
      return;
    }
    ASSERT_TRUE(seen);
    ASSERT_EQ(answer.bunches, plan_of(plans_, i).bunches);
    if (answer.verdict == Verdict::kDetailed) {
      counts.seen += details.sectors != 0 ? 1 : 0;
      counts.cautious += unseen ? 1 : 0;
      ASSERT_TRUE(!*seen || details.sectors != 0);
      if (details.next_bin != 0) return check_share(i, answered, answer, details);
      ASSERT_NE(bin, 0);
      ASSERT_EQ(details.bin_end, answer.bunches);
    } else {
      ASSERT_EQ(answer.verdict, Verdict::kUnseen);
      ASSERT_TRUE(unseen);
      ++counts.unseen;
    }
    ASSERT_EQ(answer.bin, settings_.bins == 0 ? 0 : bin);
    const double total_power = answered.total_power;
    const double bin_power = settings_.bins == 0 ? total_power : answered.bin_powers[bin];
    const corsika::SumTerms& in_bin = settings_.bins == 0 ? answer.total : answer.in_bin;
    for (int twice = 0; twice < 2; ++twice)
      check_sums(i, answer.total, in_bin, total_power, bin_power, twice == 1);
  }

  // Of a step in two bins: bunches that are told to be in one surely are, and so many are added.
  void check_share(int i, const corsika::AnsweredSteps& answered, const corsika::StepAnswer& answer,
                   const corsika::StepDetails& details) {
    ++counts.shared;
    ASSERT_TRUE(0 <= details.bin_end && details.bin_end <= details.next_begin &&
                details.next_begin <= answer.bunches);
    ASSERT_EQ(std::abs(answer.bin - details.next_bin), 1);
    const auto is_in = [&](int bunch, int bin) {
      return profile().only_bin(distance(i, bunch + 0.5), distance(i, bunch + 1.5), 0) == bin;
    };
    for (int k = 0; k < details.bin_end; ++k) ASSERT_TRUE(is_in(k, answer.bin)) << k;
    for (int k = details.next_begin; k < answer.bunches; ++k) ASSERT_TRUE(is_in(k, details.next_bin)) << k;
    check_part(i, answer.total, answered.total_power, 0, answer.bunches);
    check_part(i, answer.in_bin, answered.bin_powers[answer.bin], 0, details.bin_end);
    check_part(i, details.in_next_bin, answered.bin_powers[details.next_bin], details.next_begin,
               answer.bunches);
  }

  // Of the bunches from `begin` to before `end`.
  void check_part(int i, const corsika::SumTerms& terms, double power, int begin, int end) {
    for (const double own_power : {power, 2. * power}) {
      if (power == 0.) continue;
      const double sum = event_.sum_of(own_power);
      const double known = terms.added_to(sum, power);
      const double plain = added_one_by_one(i, sum, begin, end);
      ASSERT_TRUE(known != known || bits(known) == bits(plain)) << known << " " << plain;
      counts.parts_known += known == known ? 1 : 0;
    }
  }

  [[nodiscard]] double added_one_by_one(int i, double sum, int begin, int end) const {
    const Step step = plan_of(plans_, i).step();
    double path = step.before.path;
    for (int bunch = 0; bunch < end; ++bunch) {
      path += step.between.path;
      if (bunch >= begin) sum += plain_light(step, path).photons;
    }
    return sum;
  }

  // What is told of it has the bits of StepPlan::step(). Its sectors are those of the same formulas here.
  void check_details(int i, const corsika::StepDetails& told, const corsika::StepChunk& chunk) {
    const Step step = plan_of(plans_, i).step();
    const Step::Point &before = step.before, &between = step.between;
    const double values[] = {told.path_before,
                             told.x_before,
                             told.y_before,
                             told.z_before,
                             told.path,
                             told.x,
                             told.y,
                             told.z,
                             told.beta_n,
                             told.u,
                             told.v,
                             told.w,
                             told.beta_n_slope,
                             told.photons_per_sin2};
    const double wanted[] = {
        before.path, before.x,    before.y, before.z, between.path, between.x,         between.y,
        between.z,   step.beta_n, step.u0,  step.v0,  step.w0,      step.beta_n_slope, step.photons_per_sin2};
    for (std::size_t k = 0; k < std::size(values); ++k) ASSERT_EQ(bits(values[k]), bits(wanted[k])) << k;
    const corsika::StepArguments arguments = corsika::arguments_of(chunk, i);
    const corsika::EventView view = view_of(settings_);
    corsika::StepJudge<OneLane> judge(arguments, view, {});
    static_cast<void>(judge.answer(0., std::vector<double>(static_cast<std::size_t>(view.bins) + 1).data()));
    const corsika::StepDetails here = judge.details();
    ASSERT_TRUE(here.sectors != 0 || here.next_bin != 0);
    ASSERT_EQ(told.sectors, here.sectors);
    ASSERT_EQ(told.next_bin, here.next_bin);
    ASSERT_EQ(told.bin_end, here.bin_end);
    ASSERT_EQ(told.next_begin, here.next_begin);
  }

  // What is answered is what adding one by one gives, and is answered where try_add_photons() does.
  void check_sums(int i, const corsika::SumTerms& total, const corsika::SumTerms& in_bin, double total_power,
                  double bin_power, bool twice) {
    const auto start = [&](double power) {
      return power == 0. ? event_.random.uniform(0., 1e3) : event_.sum_of(twice ? 2. * power : power);
    };
    const double sum = start(total_power), bin_sum = start(bin_power);
    const double all = total.added_to(sum, total_power), bin_all = in_bin.added_to(bin_sum, bin_power);
    const Step step = plan_of(plans_, i).step();
    const double plain = added_one_by_one(i, sum, 0, step.bunches);
    const double bin_plain = added_one_by_one(i, bin_sum, 0, step.bunches);
    ASSERT_TRUE(all != all || bits(all) == bits(plain)) << all << " " << plain;
    ASSERT_TRUE(bin_all != bin_all || bits(bin_all) == bits(bin_plain)) << bin_all << " " << bin_plain;
    const bool known = all == all && bin_all == bin_all;
    const YieldAlongStep line{step.beta_n, step.beta_n_slope, step.photons_per_sin2, step.before.path,
                              step.between.path};
    double sum_here = sum, bin_here = bin_sum;
    const bool here =
        total_power != 0. && bin_power != 0. && try_add_photons(line, 0, step.bunches, sum_here, &bin_here);
    counts.known += known ? 1 : 0;
    counts.only_here += here && !known ? 1 : 0;
    counts.only_there += known && !here ? 1 : 0;
  }

  UnseenSteps& event_;
  const corsika::EventSettings settings_;
  corsika::StepPlans plans_{};
};

}  // namespace cherenkov::test
