// Buffers, sequences and what the environment asks for, through DrawPath itself; and buffers made ahead: a
// 'device' that makes its numbers on the CPU when they are waited for, and fails when a test asks it to,
// stands where a GPU would.
#include "draws.hpp"

namespace {

struct Plan {
  int fail_at_start = 0;  // the start of this number, from 1
  int fail_at_ask = 0;
  int fail_at_wait = 0;
  int starts = 0, asks = 0, waits = 0;
} plan;

class HostDevice final : public ranmar::RefillDevice<ranmar::Form48> {
 public:
  explicit HostDevice(const ranmar::State<ranmar::Form48>& start) : next_(start) {}

  Event ask(double* out, std::size_t n) override {
    if (++plan.asks == plan.fail_at_ask) throw std::runtime_error("asked once too often");
    // What is asked for may be written at any time from now on.
    for (std::size_t i = 0; i < n; ++i) out[i] = -1.;
    asked_.emplace_back(out, n);
    return nullptr;
  }

  void wait_for(const Event& /*delivered*/) override {
    if (++plan.waits == plan.fail_at_wait) throw std::runtime_error("gone");
    const auto [out, n] = asked_.front();
    asked_.pop_front();
    ranmar::fill_reference(next_, out, n);
  }

  [[nodiscard]] bool is_over(const Event& /*delivered*/) const override { return false; }

 private:
  ranmar::State<ranmar::Form48> next_;
  std::deque<std::pair<double*, std::size_t>> asked_;
};

}  // namespace

namespace ranmar::corsika {

std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& start, double* /*pool*/,
                                                    std::size_t /*numbers*/, const std::string& /*device*/) {
  if (++plan.starts == plan.fail_at_start) throw std::runtime_error("no such thing here");
  auto refills = std::make_unique<Refills<Form48>>(start, std::make_unique<HostDevice>(start));
  return std::unique_ptr<DeviceRefills>(new DeviceRefills{1, nullptr, std::move(refills)});
}

namespace {

struct Path : Draws {
  Path() { plan = {}; }
};

TEST_F(Path, BuffersStartSmallAndGrowToTheirBound) {
  settings.largest_buffer = 100;
  start();
  Buffer& buffer = common.buffer[kSequence - 1];
  for (const std::int64_t size : {32, 64, 100, 100}) {
    path->draw(&number, 1, kSequence);
    EXPECT_EQ(buffer.end - buffer.pos + 1, size);
    buffer.pos = buffer.end;
  }
}

TEST_F(Path, BuffersThatThePoolCannotHold) {
  settings.largest_buffer = kPoolNumbers;
  start();
  draw(5 * kPoolNumbers);
  expect_state();
  const std::int64_t at = common.buffer[kSequence - 1].pos;
  EXPECT_TRUE(at < 0 || at > kPoolNumbers);
}

TEST_F(Path, AnyNumberOfSequencesUpTo64) {
  for (int kseq : {1, 8, 9, 16, 64}) {
    common = {{}, 1, 0};
    path.emplace(common, pool.data(), settings);
    path->open(kseq);
    path->seed(kseq, {kseq, 0, 0});
    path->draw(&number, 1, kseq);
    auto state = seeded_state<Form48>(kseq);
    double first = 0.;
    fill_reference(state, &first, 1);
    EXPECT_EQ(number, first);
    EXPECT_THROW(path->seed(kseq + 1, {1, 0, 0}), std::out_of_range);
  }
  for (const int kseq : {0, 65})
    EXPECT_THROW(DrawPath(common, pool.data(), settings).open(kseq), std::invalid_argument);
}

TEST_F(Path, RefusesADrawWithoutASeedOrAfterADamagedState) {
  EXPECT_THROW(DrawPath(common, pool.data(), settings).draw(&number, 1, 1), std::logic_error);
  start();
  EXPECT_THROW(path->draw(&number, 1, 1), std::logic_error);
  const auto none = path->export_sequence(1);
  EXPECT_EQ(none.state.i97, 0);
  path->import_sequence(1, none);
  EXPECT_THROW(path->draw(&number, 1, 1), std::logic_error);
  draw(10);
  const auto good = path->export_sequence(kSequence);
  auto damaged = good;
  damaged.state.u[5] = 1.;
  path->import_sequence(kSequence, damaged);
  EXPECT_THROW(path->draw(&number, 1, kSequence), std::logic_error);
  EXPECT_EQ(path->export_sequence(kSequence).state.u, damaged.state.u);
  path->import_sequence(kSequence, good);
  draw(10);
}

// By buffers, and by a jump.
TEST_F(Path, IndicesTurnWithWhatIsSteppedOver) {
  for (const int numbers : {1, 97, 5000, 1000003}) {
    start();
    step_over(numbers);
    const auto expected = to_rmmaqd(want, 97 - numbers % 97), got = path->export_sequence(kSequence).state;
    EXPECT_EQ(got.i97, expected.i97) << numbers;
    EXPECT_EQ(got.j97, expected.j97) << numbers;
    EXPECT_EQ(got.u, expected.u) << numbers;
  }
}

TEST_F(Path, SummaryCountsDrawnNumbersOnly) {
  start();
  draw(100);
  EXPECT_NE(path->summary().find(" sequences=1 draws=" + std::to_string(drawn) + " "), std::string::npos)
      << path->summary();
}

struct DevicePath : Path {
  DevicePath() {
    settings.use_device = true;
    settings.device_from = 1000;
    settings.device_buffer = 256;
    settings.largest_buffer = 128;
  }
};

TEST_F(DevicePath, SameNumbersAndStatesAsTheCpus) {
  start();
  for (int turn = 0; turn < 50; ++turn) {
    draw(777);
    expect_state();
  }
  EXPECT_EQ(plan.starts, 1);
  EXPECT_GT(plan.waits, 50);
  EXPECT_NE(path->summary().find(" device=1 "), std::string::npos) << path->summary();
}

TEST_F(DevicePath, SmallSequencesStayOnTheCpuAndAllWhereNoneIsAskedFor) {
  for (const int numbers : {500, 60000}) {
    settings.use_device = numbers == 500;
    start();
    draw(numbers);
    expect_state();
    EXPECT_EQ(plan.starts, 0);
    EXPECT_EQ(path->summary().find("device="), std::string::npos) << path->summary();
  }
}

TEST_F(DevicePath, GoesOnOnTheCpuAfterAnyFailure) {
  for (int at = 1; at <= 12; ++at) {
    for (int Plan::*fault : {&Plan::fail_at_ask, &Plan::fail_at_wait}) {
      plan = {};
      plan.*fault = at;
      start();
      draw(5000);
      expect_state();
      EXPECT_EQ(plan.starts, 1) << "a device that failed is not tried again";
    }
  }
}

TEST_F(DevicePath, GoesOnOnTheCpuWithoutADevice) {
  plan.fail_at_start = 1;
  start();
  testing::internal::CaptureStderr();
  draw(5000);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("no such thing here"), std::string::npos);
  expect_state();
  EXPECT_EQ(plan.starts, 1);
}

TEST_F(DevicePath, ReseededAndReadBackInTheMiddle) {
  start();
  draw(3000);
  const ClassicSequence kept = path->export_sequence(kSequence);
  const State<Form48> then = want;
  const int drawn_then = drawn;
  draw(2000);
  path->import_sequence(kSequence, kept);
  want = then;
  drawn = drawn_then;
  draw(4000);
  expect_state();
  seed();
  draw(4000);
  expect_state();
}

TEST_F(DevicePath, NumbersSteppedOverCount) {
  start();
  draw(3000);
  for (int step : {3, 200, 5000, 200000}) {
    step_over(step);
    draw(2000);
    expect_state();
  }
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
    Backend backend;
    bool device, opencl;
  } cases[] = {{"", Backend::kSimd, false, false},     {"auto", Backend::kSimd, false, false},
               {"simd", Backend::kSimd, false, false}, {"reference", Backend::kReference, false, false},
               {"cuda", Backend::kSimd, true, false},  {"opencl", Backend::kSimd, true, true}};
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
  EXPECT_EQ(settings.largest_buffer, 4096);
  EXPECT_TRUE(settings.summary);
  EXPECT_EQ(settings.device, "1");
}

TEST_F(Environment, NonsenseIsRefused) {
  const std::pair<const char*, const char*> kValues[] = {
      {"RANMAR_BACKEND", "quick"}, {"RANMAR_BUFFER", "31"},  {"RANMAR_BUFFER", "99999999999999999999"},
      {"RANMAR_BUFFER", "-5"},     {"RANMAR_BUFFER", "64k"}, {"RANMAR_BUFFER", "many"}};
  for (const auto& [name, value] : kValues) {
    setenv(name, value, 1);
    EXPECT_THROW(Settings::from_environment(), std::invalid_argument) << value;
    unsetenv(name);
  }
}

}  // namespace
}  // namespace ranmar::corsika
