// Numbers made on a device against the reference, bit for bit.
#include <random>
#include <string>
#include <type_traits>

#include "device.hpp"
#include "ranmar/jump.hpp"
#include "ranmar/opencl/opencl.hpp"
#include "ranmar/ranmar.h"

namespace {

using ranmar::opencl::Exchange;
using ranmar::opencl::Sequence;
using ranmar::opencl::Tuning;

template <class Form>
class OpenClSequence : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  static void expect_fills(Sequence<Form>& sequence, ranmar::State<Form>& state, std::size_t n,
                           std::size_t offset = 0) {
    Guarded<typename Form::Real> out(n, offset);
    sequence.fill(out.memory(), n, out.first());
    ASSERT_TRUE(same_bits(expected_numbers(state, n), out.read())) << n << " numbers, offset " << offset;
    ASSERT_EQ(sequence.state(), state);
  }
};

cl_command_queue queue() { return test_device().queue.get(); }

// Another program to compile, seconds on PoCL: for one form.
template <class Form>
constexpr bool kIntegersToo = std::is_same_v<Form, ranmar::Form48>;

using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(OpenClSequence, Forms);

TYPED_TEST(OpenClSequence, EveryShortLength) {
  auto state = ranmar::seeded_state<TypeParam>(54217137);
  Sequence<TypeParam> sequence(state, queue());
  for (std::size_t n = 0; n <= 400; n += n < 100 ? 1 : 29) this->expect_fills(sequence, state, n, n % 5);
}

TYPED_TEST(OpenClSequence, RandomLengthsAndRepeats) {
  std::mt19937_64 random(2011);
  for (int trial = 0; trial < 4; ++trial) {
    auto state = ranmar::seeded_state<TypeParam>(static_cast<std::int32_t>(random() % 900000000));
    ranmar::jump(state, static_cast<std::int64_t>(random() >> 2));
    Sequence<TypeParam> sequence(state, queue());
    for (int size = 0; size < 4; ++size) {
      const std::size_t n = random() % (std::size_t{1} << (4 + random() % 19));
      for (std::uint64_t repeat = 0; repeat <= random() % 4; ++repeat) {
        this->expect_fills(sequence, state, n, random() % 4);
      }
    }
  }
}

TYPED_TEST(OpenClSequence, AnyCutAndAnyTuningGiveTheSame) {
  for (const Tuning& tuning :
       {Tuning{1, 1}, Tuning{.integers_only = kIntegersToo<TypeParam>}, Tuning{4, 5}}) {
    auto state = ranmar::seeded_state<TypeParam>(77);
    Sequence<TypeParam> sequence(state, queue(), 1, tuning);
    for (std::size_t n : {200001, 200001, 1000, 31, 200001}) this->expect_fills(sequence, state, n, n % 3);
  }
}

// A shuffle where the device has it; of a work-group that is more than one sub-group, local memory.
TYPED_TEST(OpenClSequence, SubGroupsGiveTheSame) {
  const std::string extensions = ranmar::opencl::info<std::string>(
      OPENCL(clGetDeviceInfo), ranmar::opencl::devices().at(0).id, CL_DEVICE_EXTENSIONS);
  if (extensions.find("cl_khr_subgroup_shuffle") == std::string::npos)
    GTEST_SKIP() << "SKIPPED: the device has no cl_khr_subgroup_shuffle";
  auto state = ranmar::seeded_state<TypeParam>(7);
  // PoCL 5 names the extension and does not compile it.
  try {
    const Sequence<TypeParam> compiled(state, queue(), 1, {.exchange = Exchange::kSubGroup});
  } catch (const ranmar::opencl::Error& e) {
    GTEST_SKIP() << "SKIPPED: " << e.what();
  }
  Sequence<TypeParam> sequence(state, queue(), 1, {.exchange = Exchange::kSubGroup});
  for (std::size_t n : {200001, 200001, 31}) this->expect_fills(sequence, state, n);
}

TYPED_TEST(OpenClSequence, LargeFills) {
  auto state = ranmar::seeded_state<TypeParam>(11);
  Sequence<TypeParam> sequence(state, queue());
  for (int i = 0; i < 2; ++i) this->expect_fills(sequence, state, 5000003);
}

TYPED_TEST(OpenClSequence, InterleavedSequencesAreIndependent) {
  std::vector<ranmar::State<TypeParam>> states;
  std::vector<Sequence<TypeParam>> sequences;
  for (int s = 0; s < 5; ++s) {
    states.push_back(ranmar::seeded_state<TypeParam>(s * 1000 + 1));
    sequences.emplace_back(states.back(), queue());
  }
  std::mt19937 random(5);
  for (int draw = 0; draw < 60; ++draw) {
    const std::size_t s = random() % 5;
    this->expect_fills(sequences[s], states[s], random() % 3 == 0 ? 4096 : random() % 70000);
  }
}

TYPED_TEST(OpenClSequence, InstancesAreTheirDistanceApart) {
  for (const int instances : {2, 7, 100}) {
    const auto start = ranmar::seeded_state<TypeParam>(99);
    Sequence<TypeParam> sequence(start, queue(), instances);
    std::uint64_t position = 0;
    for (const std::size_t n : {1001, 1001, 20000}) {
      Guarded<typename TypeParam::Real> out(n * static_cast<std::size_t>(instances));
      std::vector<typename TypeParam::Real> expected;
      for (const int k : {0, 1, instances - 1}) {
        auto state = start;
        for (int jumps = 0; jumps < k; ++jumps) ranmar::jump(state, ranmar::kInstanceDistance);
        ranmar::jump(state, static_cast<std::int64_t>(position));
        ASSERT_EQ(sequence.state(k), state);
      }
      std::vector<ranmar::State<TypeParam>> states;
      for (int k = 0; k < instances; ++k) states.push_back(sequence.state(k));
      for (auto& state : states) {
        const auto numbers = expected_numbers(state, n);
        expected.insert(expected.end(), numbers.begin(), numbers.end());
      }
      sequence.fill(out.memory(), n, out.first());
      position += n;
      ASSERT_TRUE(same_bits(expected, out.read())) << instances << " instances of " << n;
    }
  }
}

TYPED_TEST(OpenClSequence, AZeroBecomesOneUnit) {
  auto state = ranmar::seeded_state<TypeParam>(1);
  using Word = typename TypeParam::Word;
  state.x[0] = static_cast<Word>(state.x[64] + (static_cast<Word>(ranmar::next_arithmetic<TypeParam>(state.c))
                                                << TypeParam::kArithmeticShift));
  ASSERT_TRUE(ranmar::next_is_zero(state));
  for (const Tuning& tuning : {Tuning{}, Tuning{.integers_only = kIntegersToo<TypeParam>}}) {
    Sequence<TypeParam> sequence(state, queue(), 1, tuning);
    Guarded<typename TypeParam::Real> out(100);
    sequence.fill(out.memory(), 100, out.first());
    EXPECT_EQ(out.read()[0], TypeParam::kUnit);
  }
}

TYPED_TEST(OpenClSequence, RefusesBadInput) {
  const auto state = ranmar::seeded_state<TypeParam>(1);
  EXPECT_THROW(Sequence<TypeParam>(state, queue(), 0), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, queue(), (1 << 20) + 1), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, queue(), 1, Tuning{0, 24}), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, queue(), 1, Tuning{4, 0}), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, nullptr), std::invalid_argument);
  Sequence<TypeParam> sequence(state, queue());
  EXPECT_THROW(sequence.fill(nullptr, 1), std::invalid_argument);
  EXPECT_NO_THROW(sequence.fill(nullptr, 0));
  EXPECT_THROW(sequence.fill(reinterpret_cast<cl_mem>(256), std::size_t{1} << 41), std::invalid_argument);
  EXPECT_THROW((void)sequence.state(1), std::invalid_argument);
  EXPECT_EQ(sequence.state(), state);
}

// Through the C interface: a device's fills and the host's by turns, in two queues.
TEST(OpenClInstances, FillMemoryByTurnsWithTheHost) {
  SKIP_WITHOUT_DEVICE();
  constexpr std::size_t kN = 3000, kInstances = 3;
  EXPECT_GT(ranmar_opencl_device_count(), 0);
  const TestDevice other;
  for (const ranmar_form form : {RANMAR_48_BIT, RANMAR_EXTENDED_48_BIT}) {
    ranmar_instances *object = nullptr, *host = nullptr;
    ASSERT_EQ(ranmar_instances_create(&object, form, 1802, 9373, kInstances), RANMAR_OK);
    ASSERT_EQ(ranmar_instances_create(&host, form, 1802, 9373, kInstances), RANMAR_OK);
    for (int turn = 0; turn < 6; ++turn) {
      std::vector<double> expected(kN * kInstances), got(kN * kInstances);
      ASSERT_EQ(ranmar_instances_fill(host, expected.data(), kN), RANMAR_OK);
      if (turn == 2 || turn == 5) {
        ASSERT_EQ(ranmar_instances_fill(object, got.data(), kN), RANMAR_OK);
      } else {
        const TestDevice& at = turn == 4 ? other : test_device();
        const auto memory = ranmar::opencl::buffer_of(at.context.get(), (got.size() + 5) * sizeof(double));
        ASSERT_EQ(ranmar_instances_fill_opencl(object, at.queue.get(), memory.get(), 5, kN), RANMAR_OK)
            << ranmar_message();
        ASSERT_EQ(OPENCL(clEnqueueReadBuffer)(at.queue.get(), memory.get(), CL_TRUE, 5 * sizeof(double),
                                              got.size() * sizeof(double), got.data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
      }
      EXPECT_TRUE(same_bits(expected, got)) << turn;
    }
    EXPECT_EQ(ranmar_instances_fill_opencl(object, nullptr, nullptr, 0, 1), RANMAR_BAD_ARGUMENT);
    EXPECT_EQ(ranmar_instances_fill_opencl(object, nullptr, nullptr, 0, 0), RANMAR_OK);
    ranmar_instances_destroy(object);
    ranmar_instances_destroy(host);
  }
}

}  // namespace
