// The kernels behind ranmar::cuda: sequences cut into blocks, a warp a block.
#pragma once

#include <cstdint>

#include "ranmar/cuda/device.cuh"
#include "ranmar/state.hpp"

namespace ranmar::cuda {

/// How one fill is cut: into blocks of `block_numbers` (a multiple of 64; an instance's last may be shorter),
/// the blocks of one instance after those of the other.
struct Layout {
  std::uint64_t instance_numbers;
  std::uint64_t block_numbers;
  std::uint32_t blocks_per_instance;
  std::uint32_t blocks;  // of all instances
};

/// A jump in the words of a form: polynomial, and what it subtracts from c.
template <class Form>
struct Stride {
  typename Form::Word polynomial[kLongLag];
  typename Form::Arithmetic down;
};

inline constexpr int kWideRow = 2 * kRow;     // numbers that fill_blocks makes together
inline constexpr int kWindow = 2 * kLongLag;  // words that a block starts from
inline constexpr int kTableBits = 32;         // jumps by block: 0 to 31; jumps by instance: 32 to 63

// The 97 words that follow window[0..97).
template <class Form>
__device__ __forceinline__ void extend(typename Form::Word* window, unsigned lane) {
  using Word = typename Form::Word;
#pragma unroll
  for (int row = 0; row < 3; ++row) {
    __syncwarp();
    const unsigned i = kLongLag + row * kRow + lane;
    window[i] = static_cast<Word>(window[i - kLongLag] - window[i - kShortLag]);
  }
  __syncwarp();
  constexpr int kNewest = kWindow - 1;
  if (lane == 0)
    window[kNewest] = static_cast<Word>(window[kNewest - kLongLag] - window[kNewest - kShortLag]);
  __syncwarp();
}

// The state `stride` after the one whose words, and the 96 that follow them, are in `window`: word k is the
// sum over i of p_i x_(k+i). In lane l: words l, 32+l, 64+l, and in every lane word 96.
template <class Form>
struct JumpedWords {
  typename Form::Word x[3];
  typename Form::Word last;
};

template <class Form>
__device__ __forceinline__ JumpedWords<Form> jumped(const typename Form::Word* window,
                                                    const typename Form::Word* polynomial, unsigned lane) {
  using Word = typename Form::Word;
  JumpedWords<Form> result{};
#pragma unroll 8
  for (int i = 0; i < kLongLag; ++i) {
    const Word p = polynomial[i];
    result.x[0] += p * window[i + lane];
    result.x[1] += p * window[i + kRow + lane];
    result.x[2] += p * window[i + 2 * kRow + lane];
  }
  Word part = 0;
  for (unsigned i = lane; i < kLongLag; i += kRow) part += polynomial[i] * window[kLongLag - 1 + i];
  for (int step = kRow / 2; step > 0; step /= 2) part += __shfl_xor_sync(kAllLanes, part, step);
  result.last = part;
  return result;
}

template <class Form>
__device__ __forceinline__ void put(typename Form::Word* words, const JumpedWords<Form>& jumped,
                                    unsigned lane) {
  for (int row = 0; row < 3; ++row) words[row * kRow + lane] = jumped.x[row];
  if (lane == 0) words[kLongLag - 1] = jumped.last;
}

/// Aims every block: `start` jumped by the blocks before it, and by as many instance distances as there
/// are instances before its own. table[k] is the jump by 2^k blocks, table[32+k] by 2^k instances. A warp a
/// block, and so below.
template <class Form>
__global__ void __launch_bounds__(kRow)
    aim_blocks(State<Form>* states, const __grid_constant__ State<Form> start, const Stride<Form>* table,
               Layout layout) {
  using Word = typename Form::Word;
  __shared__ Word window[kWindow];
  const unsigned lane = threadIdx.x;
  const unsigned block = blockIdx.x;
  const Word* from = reinterpret_cast<const Word*>(&start);
  for (unsigned i = lane; i < kLongLag; i += kRow) window[i] = from[i];
  typename Form::Arithmetic c = start.c;
  std::uint64_t jumps = block % layout.blocks_per_instance |
                        static_cast<std::uint64_t>(block / layout.blocks_per_instance) << kTableBits;
  for (; jumps != 0; jumps &= jumps - 1) {
    const Stride<Form>& stride = table[__ffsll(static_cast<long long>(jumps)) - 1];
    extend<Form>(window, lane);
    const JumpedWords<Form> words = jumped<Form>(window, stride.polynomial, lane);
    __syncwarp();
    put<Form>(window, words, lane);
    c = arithmetic_down<Form>(c, stride.down);
  }
  __syncwarp();
  Word* to = reinterpret_cast<Word*>(states + block);
  for (unsigned i = lane; i < kLongLag; i += kRow) to[i] = window[i];
  if (lane == 0) states[block].c = c;
}

template <class Real>
struct alignas(2 * sizeof(Real)) Pair {
  Real first, second;
};

/// Rows of 64. The recurrence put into itself, t^194 = (1 - t^64)^2, gives x_n = x_(n-194) - 2 x_(n-130) +
/// x_(n-66): a row depends on the three before it, each turned by two words. With words 2l and 2l+1 in lane l
/// that is one lane, and a lane writes its two numbers at once. Twice the numbers in the time of a row's
/// chain of dependences means half the warps, so half as many places that memory is written at, which is what
/// its rate hangs on.
template <class Form>
class WideRows {
 public:
  using Word = typename Form::Word;
  using Real = typename Form::Real;
  using Arithmetic = typename Form::Arithmetic;

  /// window: the 194 words before the first number; c: that of the number 97 before it.
  __device__ __forceinline__ WideRows(const Word* window, Arithmetic c, unsigned lane)
      : lane_(lane),
        oldest_{window[2 * lane], window[2 * lane + 1]},
        middle_{window[kWideRow + 2 * lane], window[kWideRow + 2 * lane + 1]},
        last_{window[2 * kWideRow + 2 * lane], window[2 * kWideRow + 2 * lane + 1]},
        newest_{window[kWindow - 2], window[kWindow - 1]},
        c_{Down(c, kLongLag + 2 * lane + 1), Down(c, kLongLag + 2 * lane + 2)} {}

  __device__ __forceinline__ Pair<Real> next() {
    const Word a = oldest_[0] - 2 * middle_[0] + last_[0];
    const Word b = oldest_[1] - 2 * middle_[1] + last_[1];
    Turn(0, a);
    Turn(1, b);
    const Pair<Real> numbers{number_on_device<Form>(a, c_[0]), number_on_device<Form>(b, c_[1])};
    c_[0] = arithmetic_down<Form>(c_[0], kRowStep);
    c_[1] = arithmetic_down<Form>(c_[1], kRowStep);
    return numbers;
  }

 private:
  static constexpr auto kRowStep =
      static_cast<Arithmetic>(std::uint64_t{kWideRow} * Form::kStep % Form::kModulus);

  static __device__ __forceinline__ Arithmetic Down(Arithmetic c, unsigned steps) {
    return arithmetic_down<Form>(
        c, static_cast<Arithmetic>(std::uint64_t{steps} * Form::kStep % Form::kModulus));
  }

  __device__ __forceinline__ void Turn(int i, Word made) {
    const Word around = __shfl_sync(kAllLanes, made, (lane_ + kRow - 1) % kRow);
    oldest_[i] = middle_[i];
    middle_[i] = last_[i];
    last_[i] = lane_ == 0 ? newest_[i] : around;
    newest_[i] = around;  // of use in lane 0 alone
  }

  unsigned lane_;
  Word oldest_[2], middle_[2], last_[2];  // turned rows
  Word newest_[2];
  Arithmetic c_[2];
};

template <class Form>
__device__ __forceinline__ void write_rows(WideRows<Form>& rows, typename Form::Real*& to,
                                           std::uint32_t count, unsigned lane) {
  typename Form::Real* mine = to + 2 * lane;
#pragma unroll 3
  for (; count > 0; --count, to += kWideRow, mine += kWideRow) {
    const Pair<typename Form::Real> numbers = rows.next();
    mine[0] = numbers.first;
    mine[1] = numbers.second;
  }
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define RANMAR_BULK_COPIES 1
#endif

/// Writes rows of one warp. From Hopper on they wait in shared memory until kStagedRows of them can go in one
/// bulk copy, while the next are made: memory takes long stretches faster than rows from everywhere in turn.
template <class Form>
class RowWriter {
 public:
  using Real = typename Form::Real;

  __device__ __forceinline__ explicit RowWriter(unsigned lane) : lane_(lane) {}

  __device__ __forceinline__ void write(WideRows<Form>& rows, Real*& to, std::uint32_t count) {
    if (reinterpret_cast<std::uintptr_t>(to) % kAlignment != 0)
      return write_rows<Form>(rows, to, count, lane_);
#ifdef RANMAR_BULK_COPIES
    __shared__ alignas(128) Pair<Real> staged[2][kStagedRows][kRow];
    for (; count >= kStagedRows; count -= kStagedRows, to += kStagedRows * kWideRow, which_ ^= 1) {
      if (lane_ == 0)
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");  // the other may be under way
      __syncwarp();
#pragma unroll 6
      for (std::uint32_t row = 0; row < kStagedRows; ++row) staged[which_][row][lane_] = rows.next();
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      if (lane_ == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                     "r"(static_cast<unsigned>(__cvta_generic_to_shared(staged[which_]))),
                     "n"(kStagedRows * kWideRow * sizeof(Real))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      }
    }
#endif
    auto* pairs = reinterpret_cast<Pair<Real>*>(to) + lane_;
#pragma unroll 3
    for (; count > 0; --count, to += kWideRow, pairs += kRow) *pairs = rows.next();
  }

  /// Before the warp ends.
  __device__ __forceinline__ void finish() const {
#ifdef RANMAR_BULK_COPIES
    if (lane_ == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
  }

 private:
  static constexpr std::uint32_t kStagedRows = 32;
  static constexpr std::uintptr_t kAlignment = 16;  // of bulk copies

  unsigned lane_;
  unsigned which_ = 0;
};

/// Writes the numbers of all blocks. states[b] stands 97 numbers before block b, so that the words of a
/// jump's window are those that the rows start from; it is moved ahead by `stride`, to where the next fill of
/// the same layout finds it. The jump is arithmetic where the rest is memory traffic, so every warp does it
/// at another time.
template <class Form>
__global__ void __launch_bounds__(kRow)
    fill_blocks(State<Form>* states, typename Form::Real* out, Layout layout,
                const __grid_constant__ Stride<Form> stride) {
  using Word = typename Form::Word;
  __shared__ alignas(16) Word window[kWindow];
  const unsigned lane = threadIdx.x;
  const unsigned block = blockIdx.x;
  const std::uint64_t first = block % layout.blocks_per_instance * layout.block_numbers;
  const std::uint64_t numbers = min(layout.block_numbers, layout.instance_numbers - first);
  typename Form::Real* to = out + block / layout.blocks_per_instance * layout.instance_numbers + first;

  State<Form>& state = states[block];
  Word* words = reinterpret_cast<Word*>(&state);
  for (unsigned i = lane; i < kLongLag; i += kRow) window[i] = words[i];
  const typename Form::Arithmetic c = state.c;
  extend<Form>(window, lane);
  WideRows<Form> rows(window, c, lane);
  RowWriter<Form> writer(lane);

  const auto whole = static_cast<std::uint32_t>(numbers / kWideRow);
  const auto before = static_cast<std::uint32_t>(std::uint64_t{whole} * (block % 8 + 1) / 9) / 32 * 32;
  std::uint32_t count = before;
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn, count = whole - before) {
    writer.write(rows, to, count);
    if (turn > 0) break;
    put<Form>(words, jumped<Form>(window, stride.polynomial, lane), lane);
    if (lane == 0) state.c = arithmetic_down<Form>(c, stride.down);
  }
  if (const auto left = static_cast<unsigned>(numbers % kWideRow); left != 0) {
    const Pair<typename Form::Real> last = rows.next();
    if (2 * lane < left) to[2 * lane] = last.first;
    if (2 * lane + 1 < left) to[2 * lane + 1] = last.second;
  }
  writer.finish();
}

}  // namespace ranmar::cuda
