// Refills: order, devices, the caller's device, and every failure.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <thread>

#include "device.hpp"
#include "ranmar/jump.hpp"
#include "ranmar/opencl/opencl.hpp"
#include "src/fault.hpp"

namespace {

using ranmar::opencl::Fault;
using ranmar::opencl::Stream;
using Form = ranmar::Form48;

template <class F>
class OpenClStream : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(OpenClStream, Forms);

TYPED_TEST(OpenClStream, SeveralInFlightArriveInOrder) {
  using Real = typename TypeParam::Real;
  auto state = ranmar::seeded_state<TypeParam>(54217137);
  ranmar::jump(state, 1000000000000000);
  constexpr std::size_t kLargest = 3000000;
  constexpr std::size_t kBuffers = 4;
  std::vector<Real> memory(kBuffers * kLargest);
  Stream<TypeParam> stream(state);
  std::mt19937 random(1);
  std::deque<std::size_t> sizes;
  std::size_t asked = 0;
  for (std::size_t done = 0; done < 40; ++done) {
    while (sizes.size() < kBuffers) {
      sizes.push_back(asked % 3 == 0 ? 65536 : random() % (asked % 5 == 0 ? kLargest : 5000));
      stream.refill(memory.data() + asked++ % kBuffers * kLargest, sizes.back());
    }
    EXPECT_EQ(stream.in_flight(), kBuffers);
    stream.wait();
    const Real* got = memory.data() + done % kBuffers * kLargest;
    ASSERT_TRUE(
        same_bits(expected_numbers(state, sizes.front()), std::vector<Real>(got, got + sizes.front())));
    ASSERT_EQ(stream.state_at(stream.delivered()), state) << "state of the first number not delivered";
    sizes.pop_front();
  }
}

// As many numbers as RANMAR_OPENCL_TEST_NUMBERS says (3 10^6), every one compared, and the state after every
// refill.
TEST(OpenClStreams, ALongSequenceAndItsStates) {
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

TEST(OpenClStreams, InterleavedSequencesShareADevice) {
  SKIP_WITHOUT_DEVICE();
  constexpr std::size_t kN = 70000;
  std::vector<std::unique_ptr<Stream<Form>>> streams;
  std::vector<ranmar::State<Form>> states;
  std::vector<std::vector<double>> buffers(9, std::vector<double>(kN));
  for (int s = 0; s < 9; ++s) {
    states.push_back(ranmar::seeded_state<Form>(s + 1));
    streams.push_back(std::make_unique<Stream<Form>>(states.back()));
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t s = 0; s < 9; ++s) streams[s]->refill(buffers[s].data(), kN - s);
    for (std::size_t s = 9; s-- > 0;) {
      streams[s]->wait();
      buffers[s].resize(kN - s);
      ASSERT_TRUE(same_bits(expected_numbers(states[s], kN - s), buffers[s]));
      buffers[s].resize(kN);
    }
  }
}

// The last device first, so that on a machine with several none finds another's leavings.
TEST(OpenClStreams, EveryDeviceDelivers) {
  SKIP_WITHOUT_DEVICE();
  constexpr std::size_t kN = 3000000;
  const int devices = static_cast<int>(ranmar::opencl::devices().size());
  std::vector<std::unique_ptr<Stream<Form>>> streams;
  std::vector<std::vector<double>> buffers(static_cast<std::size_t>(devices), std::vector<double>(kN));
  for (int device = devices - 1; device >= 0; --device) {
    streams.push_back(std::make_unique<Stream<Form>>(ranmar::seeded_state<Form>(device + 1), device));
    streams.back()->refill(buffers[static_cast<std::size_t>(device)].data(), kN);
  }
  for (int device = 0; device < devices; ++device) {
    auto state = ranmar::seeded_state<Form>(device + 1);
    streams[static_cast<std::size_t>(devices - 1 - device)]->wait();
    EXPECT_TRUE(same_bits(expected_numbers(state, kN), buffers[static_cast<std::size_t>(device)])) << device;
  }
}

TEST(OpenClStreams, RefusesADeviceThatIsNotThere) {
  SKIP_WITHOUT_DEVICE();
  const auto state = ranmar::seeded_state<Form>(1);
  EXPECT_THROW(Stream<Form>(state, static_cast<int>(ranmar::opencl::devices().size())),
               ranmar::opencl::Error);
  EXPECT_THROW(Stream<Form>(state, -1), ranmar::opencl::Error);
  Stream<Form> stream(state);
  EXPECT_THROW(stream.refill(nullptr, 1), std::invalid_argument);
  EXPECT_EQ(stream.state_at(stream.delivered()), state);
}

// A process that finds no driver: the loader is told of a folder without any.
TEST(OpenClStreams, WithoutADeviceIsAnErrorToCatch) {
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

// Draws `refills` refills of n numbers as a careful user does: after an error, from the CPU at the next
// number. Ends the process with 0 where all numbers are right and the fault was the one expected.
[[noreturn]] void draw_through_fault(const char* request, Fault expected, const char* call) {
  constexpr std::size_t kN = 10000;
  constexpr int kRefills = 7;
  setenv("RANMAR_FAULT", request, 1);
  auto reference = ranmar::seeded_state<Form>(5);
  std::vector<std::vector<double>> buffers(kRefills, std::vector<double>(kN));
  int delivered = 0;
  bool right = false;
  ranmar::State<Form> next;
  {
    Stream<Form> stream(reference);
    try {
      stream.refill(buffers[0].data(), kN);
      for (int i = 0; i < kRefills; ++i) {
        if (i + 1 < kRefills) stream.refill(buffers[static_cast<std::size_t>(i) + 1].data(), kN);
        stream.wait();
        ++delivered;
      }
    } catch (const ranmar::opencl::Error& e) {
      right = e.fault() == expected && std::string(e.what()).find(call) != std::string::npos;
      std::fprintf(stderr, "caught after %d refills: %s\n", delivered, e.what());
    }
    next = stream.state_at(stream.delivered());
  }
  for (std::size_t i = static_cast<std::size_t>(delivered); i < kRefills; ++i) {
    ranmar::fill_simd(next, buffers[i].data(), kN);
  }
  for (const auto& buffer : buffers) right = right && same_bits(expected_numbers(reference, kN), buffer);
  std::_Exit(right ? 0 : 1);
}

class OpenClFault : public testing::TestWithParam<int> {};

// A process each: a lost device stays lost.
TEST_P(OpenClFault, TheSequenceGoesOnFromTheCpu) {
  SKIP_WITHOUT_DEVICE();
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  struct Case {
    const char* name;
    Fault fault;
    const char* call;
  };
  for (const Case& c :
       {Case{"no-driver", Fault::kNoDriver, "clGetPlatformIDs"},
        Case{"no-device", Fault::kNoDevice, "clGetDeviceIDs"},
        Case{"out-of-memory", Fault::kOutOfMemory, "clCreateBuffer"},
        Case{"launch", Fault::kLaunch, "fill_blocks"}, Case{"copy", Fault::kCopy, "clEnqueueReadBuffer"},
        Case{"lost", Fault::kLost, "cl"}}) {
    const std::string request = std::string(c.name) + ":" + std::to_string(GetParam());
    EXPECT_EXIT(draw_through_fault(request.c_str(), c.fault, c.call), testing::ExitedWithCode(0),
                "caught after")
        << request;
  }
}
INSTANTIATE_TEST_SUITE_P(FirstMiddleLast, OpenClFault, testing::Values(1, 4, 7));

// Without a device, too: that this program has the faults, and the library's unit without them stayed out.
TEST(OpenClFaults, ARequestThatCannotBeReadIsAnError) {
  for (const char* text : {"fire:1", "copy", "copy:0", "copy:x", "copy:1x"}) {
    setenv("RANMAR_FAULT", text, 1);
    EXPECT_THROW(ranmar::next_refill(), std::invalid_argument) << text;
  }
  unsetenv("RANMAR_FAULT");
}

}  // namespace
