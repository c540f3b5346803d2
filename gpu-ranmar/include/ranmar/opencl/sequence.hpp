// Numbers of one sequence, or of many instances of it, made by an OpenCL device into memory of its own. Needs
// no headers of OpenCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ranmar/cuda/error.hpp"
#include "ranmar/engine.hpp"
#include "ranmar/state.hpp"

struct _cl_command_queue;  // a cl_command_queue is a pointer to one
struct _cl_mem;            // a cl_mem is a pointer to one

namespace ranmar::opencl {

using cuda::Error;
using cuda::Fault;

/// How a work-group makes a row of 32 numbers: one item with vectors of eight; or 32 items, which hand a word
/// on through local memory, a sub-group's shuffle (local memory where the group is not one sub-group), or
/// NVIDIA's shuffle. kBest is kVectors on processors, else a shuffle where the device has one.
enum class RANMAR_API Rows { kBest, kVectors, kLocalMemory, kSubGroup, kNvidia };

/// How fills are cut and made.
struct RANMAR_API Tuning {
  int blocks_per_unit =
      0;  ///< blocks of doubles for each compute unit; of floats twice as many; 0: 16, on processors 4
  int least_rows = 0;  ///< rows of 64 numbers that a block gets at least; 0: 24, on processors 256
  Rows rows = Rows::kBest;
  bool integers_only = false;  ///< no arithmetic in double precision, as on devices that have none
};

/// A sequence on the device of a command queue, an in-order one. Fills are asynchronous and bit for bit what
/// `fill_reference` makes, whatever their sizes. They are cut into blocks as those of cuda::Sequence; doubles
/// are made on devices without double precision too.
///
/// With `instances` above 1, instance k (from 0) is the same sequence k*kInstanceDistance numbers further on,
/// and all of them move together.
///
/// The kernels are compiled when a device first needs them, and kept in $XDG_CACHE_HOME/ranmar or
/// ~/.cache/ranmar where that can be written. Not thread-safe. Throws Error, and std::invalid_argument for
/// instances outside 1..2^20 and for sizes and tuning out of range; after an Error the object can be asked
/// for state() and destroyed, no more.
template <class Form>
class RANMAR_API Sequence {
 public:
  /// Keeps the queue until it is destroyed itself.
  Sequence(const State<Form>& start, _cl_command_queue* queue, int instances = 1, const Tuning& tuning = {});
  ~Sequence();
  Sequence(Sequence&&) noexcept;
  Sequence& operator=(Sequence&&) noexcept;

  /// Enqueues the next n numbers of every instance: number i of instance k goes to number offset + k*n + i of
  /// `out`, a buffer of the queue's context. n up to 2^40.
  void fill(_cl_mem* out, std::size_t n, std::size_t offset = 0);

  /// The state of the next number of an instance, on the host; waits for nothing.
  [[nodiscard]] State<Form> state(int instance = 0) const;

  /// How many numbers of each instance have been asked for.
  [[nodiscard]] std::uint64_t position() const;

 private:
  struct RANMAR_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ranmar::opencl
