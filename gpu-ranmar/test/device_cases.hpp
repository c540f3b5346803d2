// Numbers made on a device against the reference, bit for bit: the tests of CUDA's and of OpenCL's sequences
// and streams. The backend's parts_test.cpp includes this once, after `SequencePart`, which says what
// differs:
//   make<Form>(start, instances, tuning)  a sequence;  fill(sequence, out, n)  a fill of a Guarded
//   Target<Real>                          what a sequence is asked to fill
//   kTrials, kStep, kCut, kLarge, kMany, kLong  sizes that the device makes in a few seconds
//   tunings<Form>()                       ways of cutting a fill, all of which give the same
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "ranmar_testing/fault.hpp"

namespace {

template <class Form>
class DeviceSequence : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  static void expect_fills(backend::Sequence<Form>& sequence, ranmar::State<Form>& state, std::size_t n,
                           std::size_t offset = 0) {
    const Guarded<typename Form::Real> out(n, offset);
    SequencePart::fill(sequence, out, n);
    ASSERT_TRUE(same_bits(expected_numbers(state, n), out.read())) << n << " numbers, offset " << offset;
    ASSERT_EQ(sequence.state(), state);
  }
};

#ifdef __SANITIZE_ADDRESS__
using Forms = testing::Types<ranmar::Form48>;  // the host's code is the same for all
#else
using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
#endif
TYPED_TEST_SUITE(DeviceSequence, Forms);

TYPED_TEST(DeviceSequence, EveryShortLengthAndLargeFills) {
  auto state = ranmar::seeded_state<TypeParam>(54217137);
  auto sequence = SequencePart::make(state);
  for (std::size_t n = 0; n <= 400; n += n < 100 ? 1 : SequencePart::kStep)
    this->expect_fills(sequence, state, n, n % 5);
  for (int i = 0; i < 3; ++i) this->expect_fills(sequence, state, SequencePart::kLarge);
}

TYPED_TEST(DeviceSequence, RandomLengthsAndRepeats) {
  std::mt19937_64 random(2011);
  for (int trial = 0; trial < SequencePart::kTrials; ++trial) {
    auto state = ranmar::seeded_state<TypeParam>(static_cast<std::int32_t>(random() % 900000000));
    ranmar::jump(state, static_cast<std::int64_t>(random() >> 2));
    auto sequence = SequencePart::make(state);
    for (int size = 0; size < 4; ++size) {
      const std::size_t n = random() % (std::size_t{1} << (4 + random() % 19));
      for (std::uint64_t repeat = 0; repeat <= random() % 4; ++repeat)
        this->expect_fills(sequence, state, n, random() % 4);
    }
  }
}

TYPED_TEST(DeviceSequence, AnyCutAndAnyTuningGiveTheSame) {
  for (const auto& tuning : SequencePart::tunings<TypeParam>()) {
    auto state = ranmar::seeded_state<TypeParam>(77);
    auto sequence = SequencePart::make(state, 1, tuning);
    for (std::size_t n :
         {SequencePart::kCut, SequencePart::kCut, std::size_t{1000}, std::size_t{31}, SequencePart::kCut})
      this->expect_fills(sequence, state, n, n % 3);
  }
}

TYPED_TEST(DeviceSequence, InstancesAreTheirDistanceApart) {
  for (const int instances : {2, 7, SequencePart::kMany}) {
    const auto start = ranmar::seeded_state<TypeParam>(99);
    auto sequence = SequencePart::make(start, instances);
    std::int64_t position = 0;
    for (const std::size_t n : {std::size_t{1001}, std::size_t{1001}, SequencePart::kLong}) {
      for (const int k : {0, 1, instances - 1}) {
        auto state = start;
        for (int jumps = 0; jumps < k; ++jumps) ranmar::jump(state, ranmar::kInstanceDistance);
        ranmar::jump(state, position);
        ASSERT_EQ(sequence.state(k), state);
      }
      std::vector<typename TypeParam::Real> expected;
      for (int k = 0; k < instances; ++k) {
        auto state = sequence.state(k);
        const auto numbers = expected_numbers(state, n);
        expected.insert(expected.end(), numbers.begin(), numbers.end());
      }
      const Guarded<typename TypeParam::Real> out(expected.size());
      SequencePart::fill(sequence, out, n);
      position += static_cast<std::int64_t>(n);
      ASSERT_TRUE(same_bits(expected, out.read())) << instances << " instances of " << n;
    }
  }
}

TYPED_TEST(DeviceSequence, AZeroBecomesOneUnit) {
  const auto state = before_a_zero<TypeParam>();
  for (const auto& tuning : SequencePart::tunings<TypeParam>()) {
    auto sequence = SequencePart::make(state, 1, tuning);
    const Guarded<typename TypeParam::Real> out(100);
    SequencePart::fill(sequence, out, 100);
    EXPECT_EQ(out.read()[0], TypeParam::kUnit);
  }
}

TYPED_TEST(DeviceSequence, RefusesBadInput) {
  const auto state = ranmar::seeded_state<TypeParam>(1);
  for (const int instances : {0, (1 << 20) + 1})
    EXPECT_THROW(SequencePart::make(state, instances), std::invalid_argument);
  for (const backend::Tuning& tuning : {backend::Tuning{0, 24}, backend::Tuning{4, 0}})
    EXPECT_THROW(SequencePart::make(state, 1, tuning), std::invalid_argument);
  auto sequence = SequencePart::make(state);
  EXPECT_THROW(sequence.fill(nullptr, 1), std::invalid_argument);
  EXPECT_NO_THROW(sequence.fill(nullptr, 0));
  auto* const somewhere = reinterpret_cast<SequencePart::Target<typename TypeParam::Real>>(256);
  EXPECT_THROW(sequence.fill(somewhere, std::size_t{1} << 41), std::invalid_argument);
  EXPECT_THROW((void)sequence.state(1), std::invalid_argument);
  EXPECT_EQ(sequence.state(), state);
}

// Refills: order, devices and every failure. What differs is in `StreamPart`:
//   devices()              how many devices there are
//   pinned(memory, bytes)  what keeps memory ready for copies
//   kLost                  how the calls begin whose error tells of a lost device

using backend::Stream;
using Form = ranmar::Form48;

template <class F>
class DeviceStream : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
TYPED_TEST_SUITE(DeviceStream, Forms);

TYPED_TEST(DeviceStream, SeveralInFlightArriveInOrder) {
  using Real = typename TypeParam::Real;
  auto state = ranmar::seeded_state<TypeParam>(54217137);
  ranmar::jump(state, 1000000000000000);
  constexpr std::size_t kLargest = 3000000;
  constexpr std::size_t kBuffers = 4;
  std::vector<Real> memory(kBuffers * kLargest);
  [[maybe_unused]] const auto pinned = StreamPart::pinned(memory.data(), memory.size() * sizeof(Real));
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
    ASSERT_EQ(stream.state(), state) << "state of the first number not delivered";
    sizes.pop_front();
  }
}

TEST(DeviceStreams, InterleavedSequencesShareADevice) {
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
TEST(DeviceStreams, EveryDeviceDelivers) {
  SKIP_WITHOUT_DEVICE();
  constexpr std::size_t kN = 3000000;
  const int devices = StreamPart::devices();
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

TEST(DeviceStreams, RefusesADeviceThatIsNotThere) {
  SKIP_WITHOUT_DEVICE();
  const auto state = ranmar::seeded_state<Form>(1);
  for (const int device : {StreamPart::devices(), -1})
    EXPECT_THROW(Stream<Form>(state, device), backend::Error) << device;
  Stream<Form> stream(state);
  EXPECT_THROW(stream.refill(nullptr, 1), std::invalid_argument);
  EXPECT_EQ(stream.state(), state);
}

// As many numbers as RANMAR_DEVICE_TEST_NUMBERS says (3e6), every one compared, and the state after every
// refill; two more sequences of a tenth of that, one of them 10^15 numbers in.
TEST(DeviceStreams, ALongSequenceAndItsStates) {
  SKIP_WITHOUT_DEVICE();
  const char* asked = std::getenv("RANMAR_DEVICE_TEST_NUMBERS");
  const double wanted = asked == nullptr ? 3e6 : std::strtod(asked, nullptr);
  constexpr std::size_t kN = 1000003, kBuffers = 3;
  std::vector<double> memory(kBuffers * kN), expected(kN);
  [[maybe_unused]] const auto pinned = StreamPart::pinned(memory.data(), memory.size() * sizeof(double));
  const struct {
    std::int32_t seed;
    std::int64_t skip;
    double numbers;
  } sequences[] = {{54217137, 0, wanted}, {11, 1000000000000000, wanted / 10}, {899999999, 0, wanted / 10}};
  for (const auto& one : sequences) {
    auto state = ranmar::seeded_state<Form>(one.seed);
    ranmar::jump(state, one.skip);
    Stream<Form> stream(state);
    std::uint64_t refills = 0;
    for (std::uint64_t done = 0; static_cast<double>(done) < one.numbers; done += kN) {
      while (stream.in_flight() + 1 < kBuffers) stream.refill(memory.data() + refills++ % kBuffers * kN, kN);
      stream.wait();
      ranmar::fill_simd(state, expected.data(), kN);
      const double* got = memory.data() + done / kN % kBuffers * kN;
      ASSERT_EQ(std::memcmp(expected.data(), got, kN * sizeof(double)), 0) << one.seed << ", after " << done;
      ASSERT_EQ(stream.state_at(stream.delivered()), state) << one.seed << ", after " << done;
    }
  }
}

// Draws `refills` refills of n numbers as a careful user does: after an error, from the CPU at the next
// number. Ends the process with 0 where all numbers are right and the error says `text`.
[[noreturn]] void draw_through_fault(const char* request, const char* text) {
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
    } catch (const backend::Error& e) {
      right = std::string(e.what()).find(text) != std::string::npos;
      std::fprintf(stderr, "caught after %d refills: %s\n", delivered, e.what());
    }
    next = stream.state();
  }
  for (std::size_t i = static_cast<std::size_t>(delivered); i < kRefills; ++i)
    ranmar::fill_simd(next, buffers[i].data(), kN);
  for (const auto& buffer : buffers) right = right && same_bits(expected_numbers(reference, kN), buffer);
  std::_Exit(right ? 0 : 1);
}

class DeviceFault : public testing::TestWithParam<int> {};

// A process each: a lost device stays lost.
TEST_P(DeviceFault, TheSequenceGoesOnFromTheCpu) {
  SKIP_WITHOUT_DEVICE();
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const std::string kind : {"no-driver", "no-device", "out-of-memory", "launch", "copy", "lost"}) {
    const std::string request = kind + ":" + std::to_string(GetParam());
    EXPECT_EXIT(draw_through_fault(request.c_str(), kind == "lost" ? StreamPart::kLost : kind.c_str()),
                testing::ExitedWithCode(0), "caught after")
        << request;
  }
}
INSTANTIATE_TEST_SUITE_P(FirstMiddleLast, DeviceFault, testing::Values(1, 4, 7));

// Without a device, too: that this program has the faults, and the library's unit without them stayed out.
TEST(DeviceFaults, ARequestThatCannotBeReadIsAnError) {
  for (const char* text : {"fire:1", "copy", "copy:0", "copy:x", "copy:1x"}) {
    setenv("RANMAR_FAULT", text, 1);
    EXPECT_THROW(ranmar::loses_device(), std::invalid_argument) << text;
  }
  unsetenv("RANMAR_FAULT");
}

}  // namespace
