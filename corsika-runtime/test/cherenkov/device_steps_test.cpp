// Batches of steps on a device, against the same formulas on the CPU, which the tests of the pipeline hold
// against CERENK's loop. Skipped, with the reason, where there is no device.

#include "played_steps.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::DeviceSteps;
using corsika::kDeviceSteps;
using corsika::RecordedSteps;

// With steps in memory that the device reads.
template <class Record, int kRecords>
class OnDevice : public CurvedRuns {
 protected:
  void SetUp() override {
    try {
      device = corsika::start_device_steps("auto", std::as_writable_bytes(std::span(memory)));
    } catch (const std::exception& e) {
      GTEST_SKIP() << "SKIPPED: " << e.what();
    }
  }

  template <class View>
  void begin_event(const View& view) {
    device->begin_event(view);
    played.begin_event(view);
  }
  // Of the first `count` steps. With a table of indices the device may take a step for one of the CPU's that
  // the CPU does not, or the other way round: exp() is rounded otherwise there.
  void expect_answers(int count, double power, const std::vector<double>& powers, bool with_table = false) {
    const auto answered = device->answer(memory.data(), count, power, powers.data());
    const auto expected = played.answer(memory.data(), count, power, powers.data());
    ASSERT_EQ(answered.size(), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < answered.size(); ++i) {
      const StepAnswer &a = answered[i], &b = expected[i];
      ++verdicts[static_cast<int>(a.verdict)];
      if (with_table && a.verdict != b.verdict &&
          (a.verdict == Verdict::kHost || b.verdict == Verdict::kHost)) {
        ++unlike;
        continue;
      }
      ASSERT_EQ(a.verdict, b.verdict) << i;
      if (a.verdict == Verdict::kHost || a.verdict == Verdict::kNone) continue;
      known += a.total.at_power == a.total.at_power ? 1 : 0;
      ASSERT_TRUE(a.bunches == b.bunches && a.bin == b.bin) << i;
      ASSERT_TRUE(same(a.total, b.total) && same(a.in_bin, b.in_bin)) << i;
      if (a.verdict != Verdict::kDetailed) continue;
      ASSERT_EQ(std::memcmp(&a.sectors, &b.sectors,
                            offsetof(StepAnswer, in_next_bin) - offsetof(StepAnswer, sectors)),
                0)
          << i;
      ASSERT_TRUE(same(a.in_next_bin, b.in_next_bin) && a.bin_end == b.bin_end &&
                  a.next_begin == b.next_begin && a.next_bin == b.next_bin)
          << i;
    }
  }
  // Of so many that are of these kinds, and whose sums are known.
  void expect_counts(int unseen, int detailed) const {
    const int of_kind[] = {verdicts[static_cast<int>(Verdict::kUnseen)],
                           verdicts[static_cast<int>(Verdict::kDetailed)]};
    std::printf("%d steps that nobody sees, %d detailed, sums of %d known; %d unlike\n", of_kind[0],
                of_kind[1], known, unlike);
    EXPECT_GT(of_kind[0], unseen);
    EXPECT_GE(of_kind[1], detailed);
    EXPECT_GT(known, (of_kind[0] + of_kind[1]) * 2 / 3);
    EXPECT_LT(unlike, of_kind[0] / 1000 + 1);
  }

  std::vector<Record> memory = std::vector<Record>(kRecords);
  std::unique_ptr<DeviceSteps> device;
  StepsScript script;
  PlayedSteps played{script};
  int verdicts[4] = {}, known = 0, unlike = 0;

 private:
  static bool same(double a, double b) { return a == b || (a != a && b != b); }
  // Of what they add to the least sum of each power: beyond the next one the order of terms shows.
  static bool same(const SumTerms& a, const SumTerms& b) {
    return a.power == b.power && same(a.added_to(a.power), b.added_to(a.power)) &&
           same(a.added_to(2. * a.power), b.added_to(2. * a.power));
  }
};

// An event: telescopes, air, bins, and recorded steps of its shower, near to telescopes or far from them,
// random and adversarial.
class FlatDevice : public OnDevice<RecordedSteps, corsika::kDeviceChunks> {
 protected:
  void new_event() {
    CurvedRuns::new_event(1.1, true, 0., 0.);
    shower.context.plane.x_impact = random.uniform(-1e3, 1e3);
    spheres = shower.spheres();
    // More bins than the shower's own, so that light of most steps is in one; few edges are alike.
    const double length = shower.context.profile.axis.start + 1e6;
    edges.assign(static_cast<std::size_t>(random.logarithmic(10., 500.)), 0.);
    for (double& edge : edges) edge = random.uniform(0., length);
    edges.front() = 0.;
    edges.back() = edges[edges.size() / 2];
    std::sort(edges.begin(), edges.end());
    edges.push_back(1e300);  // not of the profile
    bunch_size = random.logarithmic(0.01, 5.);
  }
  [[nodiscard]] EventView view(bool fill_profile) const {
    return {{0.1, 400., bunch_size, shower.context.plane, shower.context.profile.axis},
            view_of(spheres),
            refraction.view(),
            edges.data(),
            fill_profile ? static_cast<int>(edges.size()) - 2 : 0,
            table ? table->view() : IndexTableView{}};
  }

  // Step i, now and then with an invalid argument.
  void record(int i) {
    double ignored = 0.;
    corsika::ChargedStep c = random_charged_step(random, shower, plain, 400., ignored);
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
    RecordedSteps& steps = memory[static_cast<std::size_t>(i / corsika::kChunkSteps)];
    const int at = i % corsika::kChunkSteps;
    steps.index_begin[at] = index_of(&begin), steps.index_middle[at] = index_of(&middle);
    steps.index_end[at] = index_of(&end);
    if (!table && random.turn() < 0.01) steps.index_middle[at] = std::nan("");
    if (random.turn() < 0.05) {  // near threshold, from either side
      const double index = table ? steps.index_begin[at] : 1. + random.logarithmic(1e-16, 1e-7);
      const double off = 1. + random.sign() * random.logarithmic(1e-16, 1e-9);
      c.begin_energy = c.mass / std::sqrt(1. - 1. / (index * index)) * off;
      steps.index_begin[at] = index;
    }
    steps.set(at, c);
  }
  // Its light begins some 0.01 cm of the shower's axis before or after where a bin does.
  void begin_near_edge(corsika::ChargedStep& c) {
    const ShowerAxis& axis = shower.context.profile.axis;
    const double edge =
        edges[static_cast<std::size_t>(random.turn() * static_cast<double>(edges.size() - 1))];
    const double off = axis.distance(c.x_begin, c.y_begin, c.z_begin) - edge + random.uniform(-0.02, 0.02);
    c.z_begin += off / axis.along_z, c.z_end += off / axis.along_z;
  }
  void spoil(corsika::ChargedStep& c) {
    double* const arguments[] = {&c.length,     &c.u,       &c.v,       &c.w,       &c.begin_energy,
                                 &c.end_energy, &c.x_begin, &c.y_begin, &c.z_begin, &c.x_end,
                                 &c.y_end,      &c.z_end,   &c.mass,    &c.charge};
    double& any = *arguments[static_cast<std::size_t>(random.turn() * 14.)];
    const std::function<void()> kWays[] = {
        [&] { any = std::nan(""); },
        [&] { any = 0.; },
        [&] { any = -any; },
        [&] { any = random.turn() < 0.5 ? HUGE_VAL : -HUGE_VAL; },
        [&] { any *= random.logarithmic(1e-300, 1e300); },
        [&] { c.u = c.v = 0., c.w = 1.; },
        [&] { c.w = random.uniform(0., 0.3), c.u = std::sqrt(1. - c.w * c.w), c.v = 0.; },
        [&] {  // so far that positions are rounded to metres
          const double far = random.logarithmic(1e10, 1e15);
          c.x_begin += far, c.x_end += far;
        }};
    kWays[static_cast<std::size_t>(random.turn() * 8.)]();
  }

  // A power of two that a sum may have: where terms are half-way now and then, or lose most of their bits.
  double power() {
    if (random.turn() < 0.01) return 0.;
    return std::exp2(std::floor(random.turn() < 0.2 ? random.uniform(-3., 12.) : random.uniform(10., 50.)));
  }

  Spheres spheres;
  RefractionModel refraction = plain.air.measured();
  std::optional<corsika::IndexTable> table;  // where it is set, indices are those of the steps' heights
  std::vector<double> edges;
  double bunch_size = 0.;
};

TEST_F(FlatDevice, AnswersAreThoseOfTheCpu) {
  for (int event = 0; event < 28; ++event) {
    if (event == 14)
      table = corsika::IndexTable::of({0., 0., 0., 0., true, index_of, nullptr, nullptr, excess_of});
    ASSERT_EQ(table.has_value(), event >= 14);
    new_event();
    if (event % 14 == 7) spheres = {};
    const EventView its = view(event % 4 != 3);
    begin_event(its);
    for (const int count : {kDeviceSteps, 1, 7, kDeviceSteps, 2049, 64, kDeviceSteps, 3000, 4095, 33}) {
      for (int i = 0; i < count; ++i) record(i);
      std::vector<double> powers(static_cast<std::size_t>(its.bins) + 1);
      for (double& any : powers) any = power();
      expect_answers(count, power(), powers, table.has_value());
      if (HasFatalFailure()) FAIL() << "event " << event << ", " << count << " steps";
    }
  }
  expect_counts(100000, 10000);
}

TEST_F(FlatDevice, RefusesWhatItCannotDo) {
  new_event();
  begin_event(view(false));
  for (const int count : {0, kDeviceSteps + 1})
    EXPECT_THROW(device->answer(memory.data(), count, 1., nullptr), std::invalid_argument);
}

using CurvedDevice = OnDevice<CurvedLoop, kDeviceSteps>;

TEST_F(CurvedDevice, AnswersAreThoseOfTheCpu) {
  const auto arrival = corsika::CurvedArrival::measured(kObserved, RayTable::distance);
  for (int event = 0; event < 8; ++event) {
    new_curved_event(event % 2 == 0 ? 1.4 : 0.8);
    const Spheres spheres = shower.spheres();
    const auto bins =
        shower.surroundings().profile.curved_bins([](double* along) { return Package::thickness(*along); });
    begin_event(
        curved_view(spheres, arrival, event % 4 != 3 ? std::span(bins) : std::span<const DistanceRange>()));
    for (CurvedLoop& loop : memory) loop = loop_of(particle());
    std::vector<double> powers(bins.size() + 1);
    for (double& power : powers) power = std::exp2(std::floor(random.uniform(5., 40.)));
    expect_answers(event == 0 ? 777 : kDeviceSteps, 0x1p33, powers);
  }
  expect_counts(5000, 0);
}

}  // namespace
