// An OpenCL device's streams.
#include "device.hpp"

namespace {

struct StreamPart {
  static int devices() { return static_cast<int>(ranmar::opencl::devices().size()); }
  static int pinned(void*, std::size_t) { return 0; }  // nothing to keep
  static constexpr const char* kLost = "cl";
};

}  // namespace

#include "stream_cases.hpp"

namespace {

// A process that finds no driver: the loader is told of a folder without any.
TEST(DeviceStreams, WithoutADeviceIsAnErrorToCatch) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto start = [] {
    setenv("OCL_ICD_VENDORS", "/nowhere", 1);
    unsetenv("OCL_ICD_FILENAMES");  // which Khronos's loader adds
    std::string why;
    const bool none = ranmar::opencl::devices(&why).empty();
    try {
      const Stream<Form> stream(ranmar::seeded_state<Form>(1));
    } catch (const ranmar::opencl::Error& e) {
      std::fprintf(stderr, "caught: %s\n", e.what());
      std::_Exit(none && e.what() == why ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "caught: (clGetPlatformIDs|no OpenCL)");
}

}  // namespace
