// An OpenCL device's sequences, also through the C interface, and streams.

#include "numbers.hpp"
#include "ranmar/ranmar.h"
#include "src/opencl/api.hpp"

namespace backend = ranmar::opencl;

/// Skips the test, with the reason, where there is no device.
#define SKIP_WITHOUT_DEVICE() \
  if (std::string why; ranmar::opencl::devices(&why).empty()) GTEST_SKIP() << "SKIPPED: " << why

/// The first device, with a context and a queue as a user of the library has them.
struct TestDevice {
  TestDevice() {
    using namespace ranmar::opencl;
    const auto found = devices();
    cl_device_id id = found.at(0).id;
    cl_int code = CL_SUCCESS;
    context = {OPENCL(clCreateContext)(nullptr, 1, &id, nullptr, nullptr, &code), OPENCL(clReleaseContext)};
    queue = {OPENCL(clCreateCommandQueue)(context.get(), id, 0, &code), OPENCL(clReleaseCommandQueue)};
  }
  ranmar::opencl::Shared<cl_context> context;
  ranmar::opencl::Shared<cl_command_queue> queue;
};

inline TestDevice& test_device() {
  static TestDevice device;
  return device;
}

/// Memory of that device, with these contents.
class DeviceMemory {
 public:
  explicit DeviceMemory(const std::vector<unsigned char>& contents)
      : memory_(ranmar::opencl::buffer_of(test_device().context.get(), contents.size(), contents.data())) {}

  [[nodiscard]] cl_mem get() const { return memory_.get(); }
  void read(void* to, std::size_t bytes) const {
    EXPECT_EQ(OPENCL(clEnqueueReadBuffer)(test_device().queue.get(), get(), CL_TRUE, 0, bytes, to, 0, nullptr,
                                          nullptr),
              CL_SUCCESS);
  }

 private:
  ranmar::opencl::Shared<cl_mem> memory_;
};
template <class T>
using Guarded = GuardedIn<DeviceMemory, T>;

namespace {

cl_command_queue queue() { return test_device().queue.get(); }

struct SequencePart {
  template <class Real>
  using Target = cl_mem;
  static constexpr int kTrials = 4, kMany = 100;
  static constexpr std::size_t kStep = 29, kCut = 200001, kLarge = 5000003, kLong = 20000;

  template <class Form>
  static std::vector<backend::Tuning> tunings() {
    // Whole numbers alone are another program to compile, seconds on PoCL: for one form.
    return {{1, 1}, {.integers_only = std::is_same_v<Form, ranmar::Form48>}, {4, 5}};
  }
  template <class Form>
  static auto make(const ranmar::State<Form>& start, int instances = 1, const backend::Tuning& tuning = {}) {
    return backend::Sequence<Form>(start, queue(), instances, tuning);
  }
  static void fill(auto& sequence, const auto& out, std::size_t n) {
    sequence.fill(out.memory().get(), n, out.first());
  }
};

struct StreamPart {
  static int devices() { return static_cast<int>(ranmar::opencl::devices().size()); }
  static int pinned(void*, std::size_t) { return 0; }  // nothing to keep
  static constexpr const char* kLost = "cl";
};

}  // namespace

#include "device_cases.hpp"

namespace {

TYPED_TEST(DeviceSequence, RefusesNoQueue) {
  const auto state = ranmar::seeded_state<TypeParam>(1);
  EXPECT_THROW(backend::Sequence<TypeParam>(state, nullptr), std::invalid_argument);
}

// Through the C interface: a device's fills and the host's by turns, in two queues. While the second one
// fills, the first waits for an event, so that numbers that go to the wrong queue come too late however slow
// the machine is.
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
        cl_event read = nullptr;
        if (turn == 4) {
          read = OPENCL(clCreateUserEvent)(test_device().context.get(), nullptr);
          ASSERT_EQ(OPENCL(clEnqueueBarrierWithWaitList)(test_device().queue.get(), 1, &read, nullptr),
                    CL_SUCCESS);
        }
        ASSERT_EQ(ranmar_instances_fill_opencl(object, at.queue.get(), memory.get(), 5, kN), RANMAR_OK)
            << ranmar_message();
        ASSERT_EQ(OPENCL(clEnqueueReadBuffer)(at.queue.get(), memory.get(), CL_TRUE, 5 * sizeof(double),
                                              got.size() * sizeof(double), got.data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
        if (read != nullptr) {
          EXPECT_EQ(OPENCL(clSetUserEventStatus)(read, CL_COMPLETE), CL_SUCCESS);
          OPENCL(clReleaseEvent)(read);
        }
      }
      EXPECT_TRUE(same_bits(expected, got)) << turn;
    }
    EXPECT_EQ(ranmar_instances_fill_opencl(object, nullptr, nullptr, 0, 1), RANMAR_BAD_ARGUMENT);
    EXPECT_EQ(ranmar_instances_fill_opencl(object, nullptr, nullptr, 0, 0), RANMAR_OK);
    ranmar_instances_destroy(object);
    ranmar_instances_destroy(host);
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
      std::_Exit(none && e.what() == why ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "caught: (clGetPlatformIDs|no OpenCL)");
}

}  // namespace
