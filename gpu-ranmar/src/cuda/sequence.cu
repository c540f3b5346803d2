// Fills of device memory: cut into blocks, whose start states jumps set, and launched.

#include "ranmar/cuda/device.cuh"
#include "ranmar/cuda/sequence.hpp"
#include "src/blocks.hpp"
#include "src/cuda/runtime.hpp"

namespace ranmar::cuda {

// The kernels: sequences cut into blocks, each made by a thread block of two warps.

constexpr int kWindow = 2 * kLongLag;  // words that a block of kWideRow threads starts from

// The 97 words that follow window[0..97), by all threads of a block.
template <class Form>
__device__ __forceinline__ void extend(typename Form::Word* window, unsigned thread) {
  for (unsigned from = kLongLag; from < kWindow; from += kShortLag) {
    __syncthreads();
    const unsigned i = from + thread;
    if (thread < kShortLag && i < kWindow)
      window[i] = static_cast<typename Form::Word>(window[i - kLongLag] - window[i - kShortLag]);
  }
  __syncthreads();
}

// Of the words of a state, those that thread t has: t and 64+t, the latter where there is one.
template <class Form>
struct JumpedWords {
  typename Form::Word x[2];
};

// The words of the state that the jump of `polynomial` leads to, from the one whose words, and the 96 that
// follow them, are in `window`: word k is the sum over i of p_i x_(k+i).
template <class Form>
__device__ __forceinline__ JumpedWords<Form> jumped(const typename Form::Word* window,
                                                    const typename Form::Word* polynomial, unsigned thread) {
  using Word = typename Form::Word;
  JumpedWords<Form> result{};
  const Word* first = window + thread;
  const Word* second = window + min(kWideRow + thread, kLongLag - 1U);
#pragma unroll 8
  for (int i = 0; i < kLongLag; ++i) {
    const Word p = polynomial[i];
    result.x[0] += p * first[i];
    result.x[1] += p * second[i];
  }
  return result;
}

template <class Form>
__device__ __forceinline__ void put(typename Form::Word* words, const JumpedWords<Form>& jumped,
                                    unsigned thread) {
  words[thread] = jumped.x[0];
  if (thread < kLongLag - kWideRow) words[kWideRow + thread] = jumped.x[1];
}

/// Sets the start state of every block: `start` jumped by the blocks before it, and by as many instance
/// distances as there are instances before its own. table[k] is the jump by 2^k blocks, table[32+k] by 2^k
/// instances. 64 threads per block, and so below.
template <class Form>
__global__ void __launch_bounds__(kWideRow)
    aim_blocks(State<Form>* states, const __grid_constant__ State<Form> start, const Stride<Form>* table,
               Layout layout) {
  using Word = typename Form::Word;
  __shared__ Word window[kWindow];
  const unsigned thread = threadIdx.x;
  const unsigned block = blockIdx.x;
  const Word* from = reinterpret_cast<const Word*>(&start);
  for (unsigned i = thread; i < kLongLag; i += kWideRow) window[i] = from[i];
  typename Form::Arithmetic c = start.c;
  std::uint64_t jumps = block % layout.blocks_per_instance |
                        static_cast<std::uint64_t>(block / layout.blocks_per_instance) << kTableBits;
  for (; jumps != 0; jumps &= jumps - 1) {
    const Stride<Form>& stride = table[__ffsll(static_cast<long long>(jumps)) - 1];
    extend<Form>(window, thread);
    const JumpedWords<Form> words = jumped<Form>(window, stride.polynomial, thread);
    __syncthreads();
    put<Form>(window, words, thread);
    c = arithmetic_down<Form>(c, stride.down);
  }
  __syncthreads();
  Word* to = reinterpret_cast<Word*>(states + block);
  for (unsigned i = thread; i < kLongLag; i += kWideRow) to[i] = window[i];
  if (thread == 0) states[block].c = c;
}

/// Wide rows: of 64 numbers, 32 of each warp. The recurrence put into itself, t^194 = (1 - t^64)^2, gives x_n
/// = x_(n-194) - 2 x_(n-130) + x_(n-66). All lags are even, so the even numbers are a sequence of their own,
/// and so are the odd ones: y_m = y_(m-97) - 2 y_(m-65) + y_(m-33). One warp of a block makes the even
/// numbers and one the odd ones, 32 at a time, and neither needs anything of the other. A warp's half of a
/// row depends on its halves of the three rows before, each rotated by one lane. Both warps write to the same
/// row; the memory rate depends on the number of rows that are written at a time.
template <class Form>
class WideRows : RotatedRows<Form, kWideRow> {
 public:
  using Word = typename Form::Word;
  using Arithmetic = typename Form::Arithmetic;

  /// window: the 194 words before the first number; c: that of the number 97 before it.
  __device__ __forceinline__ WideRows(const Word* window, Arithmetic c, unsigned thread)
      : RotatedRows<Form, kWideRow>(
            thread % kRow, window[place(thread)], window[kWideRow + place(thread)],
            window[2 * kWideRow + place(thread)], window[kWindow - 2 + thread / kRow],
            arithmetic_down<Form>(c, static_cast<Arithmetic>((kLongLag + 1ULL + place(thread)) * Form::kStep %
                                                             Form::kModulus))) {}

  /// Which number of a row a thread makes.
  static __device__ __forceinline__ unsigned place(unsigned thread) {
    return 2 * (thread % kRow) + thread / kRow;
  }

  /// A thread's number of the next row: number place(thread) of the 64.
  __device__ __forceinline__ typename Form::Real next() {
    return this->turn(this->oldest_ - 2 * this->middle_ + this->last_);
  }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define RANMAR_BULK_COPIES 1
#endif

constexpr unsigned kStagedRows = 72;
constexpr unsigned kBuffers = 3;

/// Writes the rows of one block. From Hopper on they wait in shared memory until kStagedRows of them can go
/// in one bulk copy, while the next are made: memory takes long stretches faster than rows from everywhere in
/// turn. The first copies are shorter, so that memory has work soon.
template <class Form>
class RowWriter {
 public:
  using Real = typename Form::Real;
  /// Bytes of one buffer. A block has three (kBuffers); those of two blocks of doubles, or of four of floats,
  /// fit into a multiprocessor's shared memory.
  static constexpr unsigned kBufferBytes = kStagedRows * kWideRow * sizeof(Real);

  __device__ __forceinline__ explicit RowWriter(unsigned thread)
      : thread_(thread), place_(WideRows<Form>::place(thread)) {}

  /// Writes the next `count` rows to `to`, and moves `to` behind them. Called by all threads of the block.
  __device__ __forceinline__ void write(WideRows<Form>& rows, Real*& to, std::uint32_t count) {
#ifdef RANMAR_BULK_COPIES
    if (reinterpret_cast<std::uintptr_t>(to) % kAlignment == 0) {
      extern __shared__ __align__(128) unsigned char staged[];
      while (count > 0) {
        auto* stage = reinterpret_cast<Real*>(staged + which_ * kBufferBytes);
        const std::uint32_t now = min(count, most_);
        most_ = min(2 * most_, kStagedRows);
#pragma unroll 12
        for (std::uint32_t row = 0; row < now; ++row) stage[row * kWideRow + place_] = rows.next();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (thread_ == 0)  // the next buffer may be on its way still
          asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kBuffers - 2) : "memory");
        __syncthreads();
        if (thread_ == 0) {
          asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                       "r"(static_cast<unsigned>(__cvta_generic_to_shared(stage))),
                       "r"(now * static_cast<unsigned>(kWideRow * sizeof(Real)))
                       : "memory");
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        which_ = which_ + 1 == kBuffers ? 0 : which_ + 1;
        count -= now;
        to += now * kWideRow;
      }
      return;
    }
#endif
#pragma unroll 3
    for (; count > 0; --count, to += kWideRow) to[place_] = rows.next();
  }

  /// Before the block ends.
  __device__ __forceinline__ void finish() const {
#ifdef RANMAR_BULK_COPIES
    if (thread_ == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
  }

 private:
  static constexpr std::uintptr_t kAlignment = 16;  // of bulk copies

  unsigned thread_;
  unsigned place_;
  unsigned which_ = 0;
  std::uint32_t most_ = 12;  // rows of the next bulk copy
};

/// Writes the numbers of all blocks. states[b] stands 97 numbers before block b, so that the words of a
/// jump's window are those that the rows start from; it is moved ahead by `stride`, to where the next fill of
/// the same layout finds it. While a block jumps it writes no numbers; so blocks jump at eight
/// different times, and some write while others jump.
template <class Form>
__global__ void __launch_bounds__(kWideRow)
    fill_blocks(State<Form>* states, typename Form::Real* out, Layout layout,
                const __grid_constant__ Stride<Form> stride) {
  using Word = typename Form::Word;
  __shared__ alignas(16) Word window[kWindow];
  const unsigned thread = threadIdx.x;
  const unsigned block = blockIdx.x;
  const std::uint64_t first = block % layout.blocks_per_instance * layout.block_numbers;
  const std::uint64_t numbers = min(layout.block_numbers, layout.instance_numbers - first);
  typename Form::Real* to = out + block / layout.blocks_per_instance * layout.instance_numbers + first;

  State<Form>& state = states[block];
  Word* words = reinterpret_cast<Word*>(&state);
  for (unsigned i = thread; i < kLongLag; i += kWideRow) window[i] = words[i];
  const typename Form::Arithmetic c = state.c;
  extend<Form>(window, thread);
  WideRows<Form> rows(window, c, thread);
  RowWriter<Form> writer(thread);

  const auto whole = static_cast<std::uint32_t>(numbers / kWideRow);
  const auto before =
      static_cast<std::uint32_t>(std::uint64_t{whole} * (block % 8 + 1) / 9) / kStagedRows * kStagedRows;
  std::uint32_t count = before;
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn, count = whole - before) {
    writer.write(rows, to, count);
    if (turn > 0) break;
    put<Form>(words, jumped<Form>(window, stride.polynomial, thread), thread);
    if (thread == 0) state.c = arithmetic_down<Form>(c, stride.down);
  }
  if (const auto left = static_cast<unsigned>(numbers % kWideRow); left != 0) {
    const typename Form::Real last = rows.next();
    if (const unsigned place = WideRows<Form>::place(thread); place < left) to[place] = last;
  }
  writer.finish();
}

template <class Form>
struct Sequence<Form>::Impl {
  Blocks<Form> blocks;
  int staging_bytes = 0;  // shared memory of a block of fill_blocks
  Memory states = {}, table = {};
  std::size_t most_states = 0, longest_table = 0;

  // Sets the start states for this fill, where the last fill has not left them.
  void aim(const typename Blocks<Form>::Plan& plan, cudaStream_t stream) {
    if (blocks.aimed_at == plan.layout.instance_numbers) return;
    if (plan.layout.blocks > most_states || plan.table.size() > longest_table) {
      CUDA_CALL(cudaStreamSynchronize, stream);  // the old ones may be in use
      most_states = std::max<std::size_t>(most_states, plan.layout.blocks);
      longest_table = std::max({longest_table, plan.table.size(), std::size_t{1}});
      states = new_memory(most_states * sizeof(State<Form>));
      table = new_memory(longest_table * sizeof(Stride<Form>));
    }
    if (!plan.table.empty())
      CUDA_CALL(cudaMemcpyAsync, table.get(), plan.table.data(), plan.table.size() * sizeof(Stride<Form>),
                cudaMemcpyHostToDevice, stream);
    const State<Form> before = ranmar::detail::jumped(blocks.state_at(0), -kLongLag);
    aim_blocks<Form>
        <<<plan.layout.blocks, kWideRow, 0, stream>>>(static_cast<State<Form>*>(states.get()), before,
                                                      static_cast<Stride<Form>*>(table.get()), plan.layout);
    check(cudaGetLastError(), "aim_blocks");
    blocks.aimed_at = plan.layout.instance_numbers;
  }
};

template <class Form>
Sequence<Form>::Sequence(const State<Form>& start, int instances, const Tuning& tuning) {
  int device = 0;
  int multiprocessors = 0;
  CUDA_CALL(cudaGetDevice, &device);
  CUDA_CALL(cudaDeviceGetAttribute, &multiprocessors, cudaDevAttrMultiProcessorCount, device);
  impl_.reset(
      new Impl{{start, instances, multiprocessors, tuning.blocks_per_multiprocessor, tuning.least_rows}});
  int capability = 0;
  CUDA_CALL(cudaDeviceGetAttribute, &capability, cudaDevAttrComputeCapabilityMajor, device);
  if (capability >= 9) {  // bulk copies
    impl_->staging_bytes = kBuffers * RowWriter<Form>::kBufferBytes;
    CUDA_CALL(cudaFuncSetAttribute, fill_blocks<Form>, cudaFuncAttributeMaxDynamicSharedMemorySize,
              impl_->staging_bytes);
  }
}

template <class Form>
void Sequence<Form>::fill(typename Form::Real* out, std::size_t n, cudaStream_t stream) {
  if (!Blocks<Form>::wanted(out, n)) return;
  const auto& plan = impl_->blocks.plan(n);
  impl_->aim(plan, stream);
  fill_blocks<Form><<<plan.layout.blocks, kWideRow, impl_->staging_bytes, stream>>>(
      static_cast<State<Form>*>(impl_->states.get()), out, plan.layout, plan.stride);
  check(cudaGetLastError(), "fill_blocks");
  impl_->blocks.position += n;
}

template <class Form>
State<Form> Sequence<Form>::state(int instance) const {
  return impl_->blocks.state_at(instance);
}

template class Sequence<Form48>;
template class Sequence<Form24>;
template class Sequence<FormExtended48>;

}  // namespace ranmar::cuda
