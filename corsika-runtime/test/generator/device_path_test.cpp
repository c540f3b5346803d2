// The draw path with windows made ahead: a 'device' that makes its numbers on the CPU when they are waited
// for, and fails when a test asks it to, stands where a GPU would (device_refills_cuda.cpp has tests of its
// own on one).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corsika_runtime/generator/device_refills.hpp"
#include "corsika_runtime/generator/draw_path.hpp"
#include "ranmar/fill.hpp"
#include "ranmar/state.hpp"

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

constexpr int kSequence = 3;
constexpr std::int32_t kSeed = 13;

struct DevicePath : testing::Test {
  DevicePath() {
    plan = {};
    settings.use_device = true;
    settings.device_from = 1000;
    settings.device_window = 256;
    settings.largest_window = 128;
  }

  void start() {
    path.emplace(common, pool.data(), settings);
    path->open(9);
    path->seed(kSequence, {kSeed, 0, 0});
    want = seeded_state<Form48>(kSeed);
  }

  // Draws of random lengths, some of them straight from the window as CORSIKA's own source does.
  void draw(int numbers) {
    std::vector<double> got(300), expected(300);
    std::uniform_int_distribution<int> lengths(1, 300);
    for (int done = 0; done < numbers;) {
      const int n = done % 3 == 0 ? lengths(random) : 1;
      Window& window = common.window[kSequence - 1];
      if (window.pos + n <= window.end) {
        std::copy_n(pool.data() + window.pos, n, got.data());
        window.pos += n;
      } else {
        path->draw(got.data(), n, kSequence);
      }
      fill_reference(want, expected.data(), static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) ASSERT_EQ(got[i], expected[i]) << "number " << drawn + i;
      done += n;
      drawn += n;
    }
  }

  void expect_state() {
    const ClassicSequence classic = path->export_sequence(kSequence);
    EXPECT_EQ(classic.counters[1], drawn);
    EXPECT_EQ(from_rmmaqd(classic.state).x, want.x);
    EXPECT_EQ(from_rmmaqd(classic.state).c, want.c);
  }

  Settings settings;
  DrawCommon common{{}, 1, 0};
  std::vector<double> pool = std::vector<double>(kPoolNumbers);
  std::optional<DrawPath> path;
  State<Form48> want;
  std::mt19937 random{7};
  int drawn = 0;
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

TEST_F(DevicePath, SmallSequencesStayOnTheCpu) {
  start();
  draw(500);
  EXPECT_EQ(plan.starts, 0);
  EXPECT_EQ(path->summary().find("device="), std::string::npos) << path->summary();
}

TEST_F(DevicePath, GoesOnOnTheCpuAfterAnyFailure) {
  for (int number = 1; number <= 12; ++number) {
    for (int Plan::*fault : {&Plan::fail_at_ask, &Plan::fail_at_wait}) {
      plan = {};
      plan.*fault = number;
      drawn = 0;
      common = {{}, 1, 0};
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
  path->seed(kSequence, {kSeed, 0, 0});
  want = seeded_state<Form48>(kSeed);
  drawn = 0;
  draw(4000);
  expect_state();
}

TEST_F(DevicePath, NumbersSteppedOverCount) {
  start();
  draw(3000);
  for (int step : {3, 200, 5000, 200000}) {
    path->draw(nullptr, step, kSequence);
    drawn += step;
    jump(want, step);
    draw(2000);
    expect_state();
  }
}

TEST_F(DevicePath, NotUsedUnlessAskedFor) {
  settings.use_device = false;
  start();
  draw(60000);
  expect_state();
  EXPECT_EQ(plan.starts, 0);
}

// Devices by number, by rank, and by lock, with processes at the same time.

const std::vector<std::string> kTwo = {"0000:01:00.0", "0000:02:00.0"};

struct DeviceChoice : testing::Test {
  DeviceChoice() {
    std::string name = (std::filesystem::temp_directory_path() / "device-choice-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    folder = name;
  }
  ~DeviceChoice() override {
    std::filesystem::remove_all(folder);
    unsetenv("SLURM_LOCALID");
  }
  std::filesystem::path folder;
};

TEST_F(DeviceChoice, ByNumber) {
  EXPECT_EQ(choose_device("1", kTwo), 1);
  for (const char* wrong : {"2", "-1", "one", "1.5"}) {
    EXPECT_THROW(choose_device(wrong, kTwo), std::invalid_argument) << wrong;
  }
}

TEST_F(DeviceChoice, ByLocalRank) {
  setenv("SLURM_LOCALID", "5", 1);
  EXPECT_EQ(choose_device("auto", kTwo), 1);
  EXPECT_EQ(choose_device("", kTwo), 1);
  EXPECT_EQ(choose_device("0", kTwo), 0);
}

TEST_F(DeviceChoice, ClaimsSpread) {
  for (const int device : {0, 1, 0}) EXPECT_EQ(claim_device(kTwo, folder), device);
}

TEST_F(DeviceChoice, ProcessesAtOnceSpreadEvenly) {
  int start[2], done[2];
  ASSERT_EQ(pipe(start), 0);
  ASSERT_EQ(pipe(done), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      char go = 0;
      close(start[1]);
      const bool eof = read(start[0], &go, 1) == 0;  // all at once, when the parent closes its end
      const char device = static_cast<char>('0' + claim_device(kTwo, folder));
      const bool told = write(done[1], &device, 1) == 1;
      pause();
      _exit(eof && told ? 0 : 1);
    }
    children.push_back(child);
  }
  close(start[1]);
  std::map<char, int> count;
  for (int i = 0; i < 8; ++i) {
    char device = 0;
    ASSERT_EQ(read(done[0], &device, 1), 1);
    ++count[device];
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  EXPECT_EQ(count['0'], 4);
  EXPECT_EQ(count['1'], 4);
  EXPECT_EQ(claim_device(kTwo, folder), 0) << "slots of processes that were killed are free";
}

TEST_F(DeviceChoice, WithoutAFolderTheFirst) { EXPECT_EQ(claim_device(kTwo, folder / "none"), 0); }

}  // namespace
}  // namespace ranmar::corsika
