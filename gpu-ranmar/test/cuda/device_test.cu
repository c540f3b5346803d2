#include "device.hpp"
#include "ranmar/cuda/device.cuh"

namespace {

template <class Form>
__global__ void draw_as_warps(ranmar::State<Form>* states, typename Form::Real* out, int rows) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  ranmar::cuda::WarpSequence<Form> sequence(states[warp]);
  for (int row = 0; row < rows; ++row) out[(warp * rows + row) * 32 + threadIdx.x % 32] = sequence.next();
  sequence.save(states[warp]);
}

template <class Form>
__global__ void draw_as_threads(ranmar::State<Form>* states, typename Form::Real* out, int numbers) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  ranmar::cuda::ThreadSequence<Form> sequence(states[thread]);
  for (int i = 0; i < numbers; ++i) out[thread * numbers + i] = sequence.next();
  sequence.save(states[thread]);
}

template <class Form>
class CudaDevice : public testing::Test {
 protected:
  using Real = typename Form::Real;

  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  // Runs `draw` twice on `count` sequences of `n` numbers each.
  template <class Draw>
  static void expect_parity(std::size_t count, std::size_t n, Draw draw) {
    std::vector<ranmar::State<Form>> states;
    for (std::size_t i = 0; i < count; ++i)
      states.push_back(ranmar::seeded_state<Form>(static_cast<std::int32_t>(i * 17)));
    ranmar::State<Form>* on_device = nullptr;
    const std::size_t bytes = count * sizeof(states[0]);
    ASSERT_EQ(cudaMalloc(&on_device, bytes), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(on_device, states.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
    for (int time = 0; time < 2; ++time) {
      const Guarded<Real> out(count * n);
      draw(on_device, out.data());
      std::vector<Real> expected;
      for (auto& state : states) {
        const auto numbers = expected_numbers(state, n);
        expected.insert(expected.end(), numbers.begin(), numbers.end());
      }
      ASSERT_TRUE(same_bits(expected, out.read()));
      std::vector<ranmar::State<Form>> saved(count);
      ASSERT_EQ(cudaMemcpy(saved.data(), on_device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(saved[i], states[i]) << "saved state " << i;
    }
    cudaFree(on_device);
  }
};

using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(CudaDevice, Forms);

TYPED_TEST(CudaDevice, AWarpDrawsItsSequence) {
  this->expect_parity(24, 50 * 32,
                      [](auto* states, auto* out) { draw_as_warps<TypeParam><<<3, 256>>>(states, out, 50); });
}

TYPED_TEST(CudaDevice, AThreadDrawsItsSequence) {
  this->expect_parity(
      128, 1000, [](auto* states, auto* out) { draw_as_threads<TypeParam><<<2, 64>>>(states, out, 1000); });
}

}  // namespace
