// An OpenCL device's streams.
#include "device.hpp"

namespace {

struct Part {
  static int devices() { return static_cast<int>(ranmar::opencl::devices().size()); }
  static int pinned(void*, std::size_t) { return 0; }  // nothing to keep
  static constexpr const char* kCalls[] = {"clGetPlatformIDs", "clGetDeviceIDs",      "clCreateBuffer",
                                           "fill_blocks",      "clEnqueueReadBuffer", "cl"};
};

}  // namespace

#include "stream_cases.hpp"

namespace {

// As many numbers as RANMAR_OPENCL_TEST_NUMBERS says (3 10^6), every one compared, and the state after every
// refill.
TEST(DeviceStreams, ALongSequenceAndItsStates) {
  SKIP_WITHOUT_DEVICE();
  const char* asked = std::getenv("RANMAR_OPENCL_TEST_NUMBERS");
  const std::uint64_t total = asked == nullptr ? 3000000 : std::strtoull(asked, nullptr, 10);
  constexpr std::size_t kN = 1000003, kBuffers = 3;
  auto state = ranmar::seeded_state<Form>(54217137);
  std::vector<std::vector<double>> buffers(kBuffers, std::vector<double>(kN));
  std::vector<double> expected(kN);
  Stream<Form> stream(state);  // gone before the buffers, of which some are asked for still
  std::uint64_t refills = 0;
  for (std::uint64_t done = 0; done < total; done += kN) {
    while (stream.in_flight() + 1 < kBuffers) stream.refill(buffers[refills++ % kBuffers].data(), kN);
    stream.wait();
    ranmar::fill_simd(state, expected.data(), kN);
    ASSERT_TRUE(same_bits(expected, buffers[done / kN % kBuffers])) << "after " << done;
    ASSERT_EQ(stream.state_at(stream.delivered()), state) << "after " << done;
  }
}

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
      std::_Exit(none && e.what() == why && e.fault() == Fault::kNoDevice ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "caught: (clGetPlatformIDs|no OpenCL)");
}

}  // namespace
