// Numbers of one sequence, or of many instances of it, made by a whole CUDA device into device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ranmar/engine.hpp"
#include "ranmar/refills.hpp"
#include "ranmar/state.hpp"

struct CUstream_st;  // a cudaStream_t is a pointer to one

namespace ranmar::cuda {

using ranmar::kInstanceDistance;

/// How fills are cut into blocks, two warps per block. The defaults are what was fastest on an H100
/// (tag notebook-2026-11). Both are 1 or more.
struct RANMAR_API Tuning {
  int blocks_per_multiprocessor = 2;  ///< of doubles; of floats twice as many
  /// Rows that a block gets at least, so that small fills use few blocks. A row here is 64 numbers, 32 of
  /// each warp of the block.
  int least_rows = 24;
};

/// A sequence on the current device, which must stay current for the object's calls. Fills are asynchronous
/// and bit for bit what `fill_reference` makes, whatever their sizes.
///
/// The sequence is cut into blocks by jump-ahead (Haramoto and Suzuki, arXiv:2512.00093), two warps per
/// block; each fill leaves its blocks with the start states of the next fill of the same size, so that a
/// series of equal fills costs the host only the launches. A fill of another size than the last also costs
/// the host jumps, a copy to the device, and one more launch, which sets the start states.
///
/// With `instances` above 1, instance k (from 0) is the same sequence k*kInstanceDistance numbers further on,
/// and all of them move together.
///
/// Needs device memory for one State<Form> per block of a fill and for a table of strides (jumps) of 784
/// bytes each, 392 of the 24-bit form: bit_width(blocks - 1) strides, which are 6.9 KiB at 264 blocks; with
/// instances 32 + bit_width(instances - 1), 25 to 40 KiB. Not thread-safe. Throws Error, and
/// std::invalid_argument for instances outside 1..2^20 and for sizes and tuning out of range; after an Error
/// the object can be asked for state() and destroyed, no more. A copy is the same sequence, not another.
template <class Form>
class RANMAR_API Sequence {
 public:
  explicit Sequence(const State<Form>& start, int instances = 1, const Tuning& tuning = {});

  /// The next n numbers of every instance, in `stream`: number i of instance k goes to out[k*n + i]. `out` is
  /// memory that the device can write. n up to 2^40. Fills of one object must follow each other in one stream
  /// or be ordered otherwise.
  void fill(typename Form::Real* out, std::size_t n, CUstream_st* stream = nullptr);

  /// The state before the next number of an instance (from 0 to instances - 1, else std::invalid_argument),
  /// on the host; waits for nothing.
  [[nodiscard]] State<Form> state(int instance = 0) const;

 private:
  struct RANMAR_LOCAL Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ranmar::cuda
