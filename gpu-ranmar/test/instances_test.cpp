// Instances through the C interface: on the host, on a device where there is one, and by turns.

#include "numbers.hpp"
#include "ranmar/ranmar.h"
#ifdef RANMAR_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace {

constexpr int kInstances = 5;

template <class Form>
std::vector<typename Form::Real> expected(std::int32_t ijkl, std::int64_t from, std::size_t n) {
  std::vector<typename Form::Real> all;
  for (std::int64_t k = 0; k < kInstances; ++k) {
    auto state = ranmar::seeded_state<Form>(ijkl);
    for (std::int64_t jumps = 0; jumps < k; ++jumps) ranmar::jump(state, std::int64_t{1} << 60);
    ranmar::jump(state, from);
    const auto numbers = expected_numbers(state, n);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

ranmar_status fill(ranmar_instances* object, double* out, std::size_t n) {
  return ranmar_instances_fill(object, out, n);
}
ranmar_status fill(ranmar_instances* object, float* out, std::size_t n) {
  return ranmar_instances_fill_float(object, out, n);
}

template <class Form>
void expect_instances(ranmar_form form) {
  using Real = typename Form::Real;
  ranmar_instances* object = nullptr;
  ASSERT_EQ(ranmar_instances_create(&object, form, 1802, 9373, kInstances), RANMAR_OK);
  std::int64_t position = 0;
  for (const std::size_t n : {1000, 1000, 77, 0, 4000, 4000}) {
    std::vector<Real> got(kInstances * n);
    bool filled = false;
#ifdef RANMAR_WITH_CUDA
    if (ranmar_device_count() > 0 && n != 77) {
      Real* memory = nullptr;
      ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), std::size_t{kInstances} * 4000 * sizeof(Real)),
                cudaSuccess);
      ASSERT_EQ(fill(object, memory, n), RANMAR_OK) << ranmar_message();
      ASSERT_EQ(cudaMemcpy(got.data(), memory, got.size() * sizeof(Real), cudaMemcpyDeviceToHost),
                cudaSuccess);
      cudaFree(memory);
      filled = true;
    }
#endif
    if (!filled) {
      ASSERT_EQ(fill(object, got.data(), n), RANMAR_OK) << ranmar_message();
    }
    const auto numbers = expected<Form>(1802 * 30082 + 9373, position, n);
    ASSERT_TRUE(same_bits(numbers, got)) << "from " << position;
    position += static_cast<std::int64_t>(n);
  }
  ranmar_instances_destroy(object);
}

TEST(Instances, FillOneArray48) { expect_instances<ranmar::Form48>(RANMAR_48_BIT); }
TEST(Instances, FillOneArray24) { expect_instances<ranmar::Form24>(RANMAR_24_BIT); }
TEST(Instances, FillOneArrayExtended) { expect_instances<ranmar::FormExtended48>(RANMAR_EXTENDED_48_BIT); }

TEST(Instances, TellWhatIsWrong) {
  ranmar_instances* object = nullptr;
  const struct {
    ranmar_instances** object;
    int ij, kl, instances;
  } cases[] = {{nullptr, 0, 0, 1}, {&object, 31329, 0, 1}, {&object, 0, -1, 1}, {&object, 0, 0, 0}};
  for (const auto& one : cases)
    EXPECT_EQ(ranmar_instances_create(one.object, RANMAR_48_BIT, one.ij, one.kl, one.instances),
              RANMAR_BAD_ARGUMENT);
  ASSERT_EQ(ranmar_instances_create(&object, RANMAR_48_BIT, 1802, 9373, 2), RANMAR_OK);
  std::vector<double> numbers(20);
  float single = 0.F;
  EXPECT_EQ(ranmar_instances_fill(object, nullptr, 1), RANMAR_BAD_ARGUMENT);
  EXPECT_EQ(ranmar_instances_fill_float(object, &single, 1), RANMAR_WRONG_FORM);
  // Host memory.
  EXPECT_EQ(ranmar_instances_fill_async(object, numbers.data(), 10, nullptr), RANMAR_BAD_ARGUMENT);
  EXPECT_EQ(ranmar_instances_fill_async(object, nullptr, 10, nullptr), RANMAR_BAD_ARGUMENT);
  EXPECT_EQ(ranmar_instances_fill_async(object, nullptr, 0, nullptr), RANMAR_OK);
  EXPECT_EQ(ranmar_instances_fill_float_async(object, &single, 1, nullptr), RANMAR_WRONG_FORM);
  ASSERT_EQ(ranmar_instances_fill(object, numbers.data(), 10), RANMAR_OK);
  auto state = ranmar::seeded_state<ranmar::Form48>(54217137);
  EXPECT_EQ(numbers[0], expected_numbers(state, 1).front()) << "a refused fill draws nothing";
  ranmar_instances_destroy(object);
}

#ifdef RANMAR_WITH_CUDA
// Two streams by turns, on the last device while the first is current, without waiting in between.
TEST(Instances, AsynchronousFillsFollowEachOther) {
  if (ranmar_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  constexpr std::size_t kFills = 6, kN = 5000;
  ASSERT_EQ(cudaSetDevice(ranmar_device_count() - 1), cudaSuccess);
  double* memory = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), kFills * kInstances * kN * sizeof(double)),
            cudaSuccess);
  cudaStream_t streams[2];
  for (auto& stream : streams)
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ranmar_instances* object = nullptr;
  ASSERT_EQ(ranmar_instances_create(&object, RANMAR_48_BIT, 1802, 9373, kInstances), RANMAR_OK);
  for (std::size_t fill = 0; fill < kFills; ++fill)
    ASSERT_EQ(ranmar_instances_fill_async(object, memory + fill * kInstances * kN, kN, streams[fill % 2]),
              RANMAR_OK)
        << ranmar_message();
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  for (auto& stream : streams) ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  std::vector<double> got(kInstances * kN);
  for (std::size_t fill = 0; fill < kFills; ++fill) {
    ASSERT_EQ(cudaMemcpy(got.data(), memory + fill * kInstances * kN, got.size() * sizeof(double),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(got, expected<ranmar::Form48>(54217137, static_cast<std::int64_t>(fill * kN), kN)) << fill;
  }
  for (auto& stream : streams) cudaStreamDestroy(stream);
  ranmar_instances_destroy(object);
  cudaFree(memory);
}
#endif

}  // namespace
