// The kernels behind ranmar::cuda: sequences cut into blocks, a warp a block.
#pragma once

#include <cstdint>

#include "ranmar/cuda/device.cuh"
#include "ranmar/state.hpp"

namespace ranmar::cuda {

/// How one fill is cut, for each instance: into units of `unit_numbers` (a multiple of 64; the last may be
/// shorter), which are dealt out as `large_blocks` blocks of `large_units` units each, then blocks of one
/// unit. Every warp of the grid takes one large block; the rest is for those that are done first.
struct Layout {
  std::uint64_t instance_numbers;
  std::uint64_t unit_numbers;
  std::uint32_t large_blocks;
  std::uint32_t large_units;
  std::uint32_t blocks_per_instance;
  std::uint32_t blocks;  // of all instances

  __host__ __device__ std::uint32_t first_unit(std::uint32_t block) const {
    return block < large_blocks ? block * large_units : large_blocks * large_units + (block - large_blocks);
  }

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A jump in the words of a form: polynomial, and what it subtracts from c.
template <class Form>
struct Stride {
  typename Form::Word polynomial[kLongLag];
  typename Form::Arithmetic down;
};

inline constexpr int kWideRow = 2 * kRow;     // numbers that fill_blocks makes together
inline constexpr int kWindow = 2 * kLongLag;  // words that a block starts from
inline constexpr int kTableBits = 32;         // jumps by unit: 0 to 31; jumps by instance: 32 to 63

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

/// Aims every block: `start` jumped by the units before the block, and by as many instance distances as there
/// are instances before its own. table[k] is the jump by 2^k units, table[32+k] by 2^k instances. A warp a
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
  std::uint64_t jumps = layout.first_unit(block % layout.blocks_per_instance) |
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

template <bool kAligned, class Form>
__device__ __forceinline__ void write_rows(WideRows<Form>& rows, typename Form::Real*& to,
                                           std::uint32_t count) {
#pragma unroll 6
  for (; count > 0; --count, to += kWideRow) {
    const Pair<typename Form::Real> numbers = rows.next();
    if constexpr (kAligned) {
      *reinterpret_cast<Pair<typename Form::Real>*>(to) = numbers;
    } else {
      to[0] = numbers.first;
      to[1] = numbers.second;
    }
  }
}

template <class Form>
__device__ __forceinline__ void write_rows(WideRows<Form>& rows, typename Form::Real*& to,
                                           std::uint32_t count) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Pair<typename Form::Real>) == 0) {
    write_rows<true, Form>(rows, to, count);
  } else {
    write_rows<false, Form>(rows, to, count);
  }
}

/// Writes the numbers of all blocks. states[b] stands 97 numbers before block b, so that the words of a
/// jump's window are those that the rows start from; it is moved ahead by `stride`, to where the next fill of
/// the same layout finds it. The jump is arithmetic where the rest is memory traffic, so every warp does it
/// at another time. Multiprocessors do not reach memory at the same rate, so warps take blocks from `taken`
/// as they get done: it counts to layout.blocks and wraps, and as each block taken takes one more, it is 0
/// again at the end.
template <class Form>
__global__ void __launch_bounds__(kRow)
    fill_blocks(State<Form>* states, typename Form::Real* out, Layout layout,
                const __grid_constant__ Stride<Form> stride, unsigned* taken) {
  using Word = typename Form::Word;
  __shared__ alignas(16) Word window[kWindow];
  const unsigned lane = threadIdx.x;
  unsigned block = blockIdx.x;
  while (block < layout.blocks) {
    unsigned following = 0;
    if (lane == 0) following = gridDim.x + atomicInc(taken, layout.blocks - 1);
    const std::uint32_t within = block % layout.blocks_per_instance;
    const std::uint64_t first = layout.first_unit(within) * layout.unit_numbers;
    const std::uint64_t longest =
        (within < layout.large_blocks ? layout.large_units : 1) * layout.unit_numbers;
    const std::uint64_t numbers = min(longest, layout.instance_numbers - first);
    typename Form::Real* to =
        out + block / layout.blocks_per_instance * layout.instance_numbers + first + 2 * lane;

    State<Form>& state = states[block];
    Word* words = reinterpret_cast<Word*>(&state);
    for (unsigned i = lane; i < kLongLag; i += kRow) window[i] = words[i];
    const typename Form::Arithmetic c = state.c;
    extend<Form>(window, lane);
    WideRows<Form> rows(window, c, lane);

    const auto whole = static_cast<std::uint32_t>(numbers / kWideRow);
    const auto before = static_cast<std::uint32_t>(std::uint64_t{whole} * (block % 8 + 1) / 9);
    write_rows<Form>(rows, to, before);
    put<Form>(words, jumped<Form>(window, stride.polynomial, lane), lane);
    if (lane == 0) state.c = arithmetic_down<Form>(c, stride.down);
    write_rows<Form>(rows, to, whole - before);

    if (const auto left = static_cast<unsigned>(numbers % kWideRow); left != 0) {
      const Pair<typename Form::Real> last = rows.next();
      if (2 * lane < left) to[0] = last.first;
      if (2 * lane + 1 < left) to[1] = last.second;
    }
    __syncwarp();
    block = __shfl_sync(kAllLanes, following, 0);
  }
}

}  // namespace ranmar::cuda
