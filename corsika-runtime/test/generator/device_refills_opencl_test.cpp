// The draw path with windows from an OpenCL device, which PoCL is on any machine. draw_path_test.cpp has
// what it does where a device fails.
#include <gtest/gtest.h>

#include "corsika_runtime/generator/draw_path.hpp"
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif

namespace ranmar::corsika {
namespace {

constexpr int kSequence = 2;

Settings settings_of(std::int64_t window) {
  Settings settings;
  settings.use_device = settings.use_opencl = true;
  settings.device_from = 1000;
  settings.device_window = window;
  return settings;
}

// Draws, and compares numbers and the state with the reference's; what stderr got.
std::string draw_all(DrawPath& path, std::size_t draws) {
  constexpr std::size_t kN = 701;
  testing::internal::CaptureStderr();
  path.open(9);
  path.seed(kSequence, {77, 0, 0});
  auto want = seeded_state<Form48>(77);
  std::vector<double> got(kN), expected(kN);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    path.draw(got.data(), kN, kSequence);
    fill_reference(want, expected.data(), kN);
    if (got != expected) ADD_FAILURE() << "draw " << draw;
    if (draw % 16 == 0) {
      const auto state = from_rmmaqd(path.export_sequence(kSequence).state);
      EXPECT_TRUE(state == want) << "state after draw " << draw;
    }
  }
  return testing::internal::GetCapturedStderr();
}

struct OpenClRefills : testing::Test {
  DrawCommon common{{}, 1, 0};
  std::vector<double> pool = std::vector<double>(kPoolNumbers);
};

#ifdef RANMAR_WITH_OPENCL
TEST_F(OpenClRefills, SameNumbersAndStates) {
  if (std::string why; opencl::devices(&why).empty()) GTEST_SKIP() << "SKIPPED: " << why;
  for (const std::int64_t window : {512, 4096, 0}) {
    common = {{}, 1, 0};
    DrawPath path(common, pool.data(), settings_of(window));
    EXPECT_EQ(draw_all(path, 3000), "");
    const std::string summary = path.summary();
    EXPECT_NE(summary.find("backend=opencl "), std::string::npos) << summary;
    EXPECT_NE(summary.find(" device=0 "), std::string::npos) << summary;
  }
}

TEST_F(OpenClRefills, ANumberThatNoDeviceHasIsOneLine) {
  if (std::string why; opencl::devices(&why).empty()) GTEST_SKIP() << "SKIPPED: " << why;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto run = [&] {
    Settings settings = settings_of(4096);
    settings.device = "99";
    DrawPath path(common, pool.data(), settings);
    std::fprintf(stderr, "%s", draw_all(path, 50).c_str());
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "numbers come from the CPU: RANMAR_DEVICE cannot be '99'");
}
#else
TEST_F(OpenClRefills, WithoutOpenClTheCpuMakesTheNumbers) {
  DrawPath path(common, pool.data(), settings_of(4096));
  EXPECT_NE(draw_all(path, 50).find("built without OpenCL; install opencl-headers"), std::string::npos);
}
#endif

}  // namespace
}  // namespace ranmar::corsika
