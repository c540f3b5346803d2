// A CUDA device's streams; and that they leave the caller's device and context.
#include <cuda.h>

#include <thread>

#include "device.hpp"

namespace {

// A CUDA device's sequences.

struct SequencePart {
  template <class Real>
  using Target = Real*;
  static constexpr int kTrials = 12, kMany = 600;
  static constexpr std::size_t kStep = 1, kCut = 3000001, kLarge = 20000003, kLong = 40000;

  template <class Form>
  static std::vector<backend::Tuning> tunings() {
    return {{1, 1}, {16, 4}, {4, 24}, {32, 1}};
  }
  template <class Form>
  static auto make(const ranmar::State<Form>& start, int instances = 1, const backend::Tuning& tuning = {}) {
    return backend::Sequence<Form>(start, instances, tuning);
  }
  static void fill(auto& sequence, const auto& out, std::size_t n) { sequence.fill(out.data(), n); }
};

struct StreamPart {
  static int devices() { return ranmar::cuda::device_count(); }
  static backend::Pinned pinned(void* memory, std::size_t bytes) { return {memory, bytes}; }
  static constexpr const char* kLost = "cuda";
};

}  // namespace

#include "device_cases.hpp"

namespace {

using GetContext = CUresult(CUcontext*);

// A new thread, so that no context is current before.
TEST(DeviceStreams, LeaveTheCallersDeviceAndContext) {
  SKIP_WITHOUT_DEVICE();
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found),
            cudaSuccess);
  auto* const get_context = reinterpret_cast<GetContext*>(entry);
  std::thread([&] {
    const auto expect_untouched = [&](const char* after) {
      CUcontext context = nullptr;
      ASSERT_EQ(get_context(&context), CUDA_SUCCESS);
      EXPECT_EQ(context, nullptr) << after;
    };
    const int last = ranmar::cuda::device_count() - 1;
    auto state = ranmar::seeded_state<Form>(1);
    std::vector<double> numbers(100000);
    {
      Stream<Form> stream(state, last);
      expect_untouched("the constructor");
      const ranmar::cuda::Pinned pinned(numbers.data(), numbers.size() * sizeof(double), last);
      expect_untouched("pinning");
      stream.refill(numbers.data(), numbers.size());
      stream.wait();
      expect_untouched("a refill");
    }
    expect_untouched("the destructor");
    EXPECT_TRUE(same_bits(expected_numbers(state, numbers.size()), numbers));
  }).join();
}

TEST(DeviceStreams, WithoutADeviceIsAnErrorToCatch) {
  std::string why;
  if (ranmar::cuda::device_count(&why) > 0) GTEST_SKIP() << "there is a device";
  EXPECT_NE(why, "");
  try {
    const Stream<Form> stream(ranmar::seeded_state<Form>(1));
    FAIL() << "no error";
  } catch (const ranmar::cuda::Error& e) {
    EXPECT_NE(std::string(e.what()).find("cudaGetDeviceCount"), std::string::npos) << e.what();
  }
}

}  // namespace
