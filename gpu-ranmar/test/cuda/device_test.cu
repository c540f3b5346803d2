// Sequences drawn inside kernels, by warps and by threads, against the reference.
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
  ranmar::Engine<Form> sequence(states[thread]);
  for (int i = 0; i < numbers; ++i) out[thread * numbers + i] = sequence();
  sequence.save(states[thread]);
}

// Constructed on the device at two offsets: 32 numbers of each.
template <class Form>
__global__ void construct_as_warps(std::int32_t seed, std::uint64_t offset, std::uint64_t later,
                                   typename Form::Real* out) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  using Sequence = ranmar::cuda::WarpSequence<Form>;
  out[warp * 64 + threadIdx.x % 32] = Sequence(seed, warp, offset).next();
  out[warp * 64 + 32 + threadIdx.x % 32] = Sequence(seed, warp, later).next();
}

template <class Form>
__global__ void construct_as_threads(std::int32_t seed, std::uint64_t offset, std::uint64_t later,
                                     typename Form::Real* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  ranmar::Engine<Form> first(seed, thread, offset), second(seed, thread, later);
  for (int i = 0; i < 32; ++i) out[thread * 64 + i] = first();
  for (int i = 32; i < 64; ++i) out[thread * 64 + i] = second();
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

template <class Form, class Construct>
void expect_constructed(Construct construct) {
  constexpr int kEngines = 8;
  constexpr std::uint64_t kOffset = 1234567;
  constexpr std::uint64_t kLater = (std::uint64_t{1} << 33) + 5;
  const Guarded<typename Form::Real> out(kEngines * 64);
  construct(77, kOffset, kLater, out.data());
  std::vector<typename Form::Real> expected;
  for (std::uint64_t k = 0; k < kEngines; ++k)
    for (const std::uint64_t offset : {kOffset, kLater}) {
      ranmar::Engine<Form> engine(77, k, offset);
      for (int i = 0; i < 32; ++i) expected.push_back(engine());
    }
  ASSERT_TRUE(same_bits(expected, out.read()));
}

using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(CudaDevice, Forms);

TYPED_TEST(CudaDevice, AWarpDrawsItsSequence) {
  this->expect_parity(24, 50 * 32,
                      [](auto* states, auto* out) { draw_as_warps<TypeParam><<<3, 256>>>(states, out, 50); });
}

TYPED_TEST(CudaDevice, AWarpConstructsAnywhere) {
  expect_constructed<TypeParam>(
      [](auto... arguments) { construct_as_warps<TypeParam><<<2, 128>>>(arguments...); });
}

TYPED_TEST(CudaDevice, AThreadConstructsAnywhere) {
  expect_constructed<TypeParam>(
      [](auto... arguments) { construct_as_threads<TypeParam><<<2, 4>>>(arguments...); });
}

TYPED_TEST(CudaDevice, AThreadDrawsItsSequence) {
  this->expect_parity(
      128, 1000, [](auto* states, auto* out) { draw_as_threads<TypeParam><<<2, 64>>>(states, out, 1000); });
}

}  // namespace
