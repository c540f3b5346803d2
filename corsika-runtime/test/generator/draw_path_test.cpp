// Windows, sequences and what the environment asks for, through DrawPath itself.
#include "corsika_runtime/generator/draw_path.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "ranmar/state.hpp"

namespace {

using ranmar::corsika::DrawCommon;
using ranmar::corsika::DrawPath;
using ranmar::corsika::kPoolNumbers;
using ranmar::corsika::Settings;

struct Path : testing::Test {
  DrawPath make(const Settings& settings = {}) { return {common, pool.data(), settings}; }
  DrawCommon common{{}, 1, 0};
  std::vector<double> pool = std::vector<double>(kPoolNumbers);
};

TEST_F(Path, WindowsStartSmallAndGrowToTheirBound) {
  Settings settings;
  settings.largest_window = 100;
  DrawPath path = make(settings);
  path.open(9);
  path.seed(3, {1, 0, 0});
  double number = 0.;
  std::vector<std::int64_t> windows;
  for (int refill = 0; refill < 4; ++refill) {
    path.draw(&number, 1, 3);
    windows.push_back(common.window[2].end - common.window[2].pos + 1);
    common.window[2].pos = common.window[2].end;
  }
  EXPECT_EQ(windows, (std::vector<std::int64_t>{32, 64, 100, 100}));
}

// Numbers outside of the pool, at positions from its begin.
TEST_F(Path, WindowsThatThePoolCannotHold) {
  Settings settings;
  settings.largest_window = kPoolNumbers;
  DrawPath path = make(settings);
  path.open(9);
  path.seed(2, {7, 0, 0});
  auto state = ranmar::seeded_state<ranmar::Form48>(7);
  ranmar::corsika::Window& window = common.window[1];
  for (std::int64_t drawn = 0; drawn < 5 * kPoolNumbers; ++drawn) {
    double got = 0., want = 0.;
    if (window.pos < window.end)
      got = *reinterpret_cast<const double*>(reinterpret_cast<std::intptr_t>(pool.data()) + 8 * window.pos++);
    else
      path.draw(&got, 1, 2);
    ranmar::fill_reference(state, &want, 1);
    ASSERT_EQ(got, want) << drawn;
  }
  EXPECT_TRUE(window.pos < 0 || window.pos > kPoolNumbers);
  EXPECT_EQ(path.counters(2)[1], 5 * kPoolNumbers);
}

TEST_F(Path, AnyNumberOfSequencesUpTo64) {
  for (int kseq : {1, 8, 9, 16, 64}) {
    common = {{}, 1, 0};
    DrawPath path = make();
    path.open(kseq);
    path.seed(kseq, {kseq, 0, 0});
    double number = 0.;
    path.draw(&number, 1, kseq);
    auto state = ranmar::seeded_state<ranmar::Form48>(kseq);
    double want = 0.;
    ranmar::fill_reference(state, &want, 1);
    EXPECT_EQ(number, want);
    EXPECT_THROW(path.seed(kseq + 1, {1, 0, 0}), std::out_of_range);
  }
  EXPECT_THROW(make().open(65), std::invalid_argument);
  EXPECT_THROW(make().open(0), std::invalid_argument);
}

TEST_F(Path, RefusesADrawWithoutASeed) {
  DrawPath path = make();
  double number = 0.;
  EXPECT_THROW(path.draw(&number, 1, 1), std::logic_error);
  path.open(9);
  EXPECT_THROW(path.draw(&number, 1, 1), std::logic_error);
  auto classic = path.export_sequence(1);
  EXPECT_EQ(classic.state.i97, 0);
  path.import_sequence(1, classic);
  EXPECT_THROW(path.draw(&number, 1, 1), std::logic_error);
}

TEST_F(Path, RefusesADrawAfterADamagedState) {
  DrawPath path = make();
  path.open(9);
  path.seed(1, {1, 0, 0});
  double number = 0.;
  path.draw(&number, 1, 1);
  const auto good = path.export_sequence(1);
  auto damaged = good;
  damaged.state.u[5] = 1.;
  path.import_sequence(1, damaged);
  EXPECT_THROW(path.draw(&number, 1, 1), std::logic_error);
  EXPECT_EQ(path.export_sequence(1).state.u, damaged.state.u);
  path.import_sequence(1, good);
  EXPECT_NO_THROW(path.draw(&number, 1, 1));
}

// By windows, and by a jump.
TEST_F(Path, IndicesTurnWithWhatIsSteppedOver) {
  for (const int numbers : {1, 97, 5000, 1000003}) {
    DrawPath path = make();
    path.open(9);
    path.seed(1, {1, 0, 0});
    path.draw(nullptr, numbers, 1);
    auto state = ranmar::seeded_state<ranmar::Form48>(1);
    ranmar::jump(state, numbers);
    const auto want = ranmar::to_rmmaqd(state, 97 - numbers % 97);
    const auto got = path.export_sequence(1).state;
    EXPECT_EQ(got.i97, want.i97) << numbers;
    EXPECT_EQ(got.j97, want.j97) << numbers;
    EXPECT_EQ(got.u, want.u) << numbers;
  }
}

TEST_F(Path, SummaryCountsDrawnNumbersOnly) {
  DrawPath path = make();
  path.open(9);
  path.seed(2, {5, 0, 0});
  std::vector<double> numbers(100);
  path.draw(numbers.data(), 100, 2);
  EXPECT_NE(path.summary().find("draws=100 "), std::string::npos) << path.summary();
  EXPECT_NE(path.summary().find("sequences=1 "), std::string::npos) << path.summary();
}

struct Environment : testing::Test {
  void TearDown() override {
    for (const char* name : {"RANMAR_BACKEND", "RANMAR_BUFFER", "RANMAR_DEVICE", "RANMAR_SUMMARY"})
      unsetenv(name);
  }
};

TEST_F(Environment, IsRead) {
  const struct {
    const char* name;
    ranmar::Backend backend;
    bool device, opencl;
  } cases[] = {{"", ranmar::Backend::kSimd, false, false},
               {"auto", ranmar::Backend::kSimd, false, false},
               {"simd", ranmar::Backend::kSimd, false, false},
               {"reference", ranmar::Backend::kReference, false, false},
               {"cuda", ranmar::Backend::kSimd, true, false},
               {"opencl", ranmar::Backend::kSimd, true, true}};
  for (const auto& one : cases) {
    setenv("RANMAR_BACKEND", one.name, 1);
    const Settings settings = Settings::from_environment();
    EXPECT_EQ(settings.backend, one.backend) << one.name;
    EXPECT_EQ(settings.use_device, one.device) << one.name;
    EXPECT_EQ(settings.use_opencl, one.opencl) << one.name;
  }
  setenv("RANMAR_BUFFER", "4096", 1);
  setenv("RANMAR_SUMMARY", "1", 1);
  setenv("RANMAR_DEVICE", "1", 1);
  const Settings settings = Settings::from_environment();
  EXPECT_EQ(settings.largest_window, 4096);
  EXPECT_TRUE(settings.summary);
  EXPECT_EQ(settings.device, "1");
}

TEST_F(Environment, NonsenseIsRefused) {
  setenv("RANMAR_BACKEND", "quick", 1);
  EXPECT_THROW(Settings::from_environment(), std::invalid_argument);
  unsetenv("RANMAR_BACKEND");
  for (const char* buffer : {"31", "-5", "many", "99999999999999999999", "64k"}) {
    setenv("RANMAR_BUFFER", buffer, 1);
    EXPECT_THROW(Settings::from_environment(), std::invalid_argument) << buffer;
  }
}

}  // namespace
