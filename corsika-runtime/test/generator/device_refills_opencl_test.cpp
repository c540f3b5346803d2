// The draw path with buffers from an OpenCL device, which PoCL is on any machine. draw_path_test.cpp has
// what it does where a device fails.
#include "draws.hpp"
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif

namespace ranmar::corsika {
namespace {

struct OpenClRefills : Draws {
  OpenClRefills() {
    settings.use_device = settings.use_opencl = true;
    settings.device_from = 1000;
    settings.device_buffer = 4096;
  }
  // What standard error got.
  std::string draw_all(int numbers) {
    testing::internal::CaptureStderr();
    start();
    for (int done = 0; done < numbers; done += 10000) {
      draw(10000);
      expect_state();
    }
    return testing::internal::GetCapturedStderr();
  }
};

#ifdef RANMAR_WITH_OPENCL
TEST_F(OpenClRefills, SameNumbersAndStates) {
  if (std::string why; opencl::devices(&why).empty()) GTEST_SKIP() << "SKIPPED: " << why;
  for (const std::int64_t buffer : {512, 4096, 0}) {
    settings.device_buffer = buffer;
    EXPECT_EQ(draw_all(2000000), "");
    const std::string summary = path->summary();
    EXPECT_NE(summary.find("backend=opencl "), std::string::npos) << summary;
    EXPECT_NE(summary.find(" device=0 "), std::string::npos) << summary;
  }
}

TEST_F(OpenClRefills, ANumberThatNoDeviceHasIsOneLine) {
  if (std::string why; opencl::devices(&why).empty()) GTEST_SKIP() << "SKIPPED: " << why;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto run = [&] {
    settings.device = "99";
    std::fprintf(stderr, "%s", draw_all(40000).c_str());
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "numbers come from the CPU: RANMAR_DEVICE cannot be '99'");
}
#else
TEST_F(OpenClRefills, WithoutOpenClTheCpuMakesTheNumbers) {
  EXPECT_NE(draw_all(40000).find("built without OpenCL; install opencl-headers"), std::string::npos);
}
#endif

}  // namespace
}  // namespace ranmar::corsika
