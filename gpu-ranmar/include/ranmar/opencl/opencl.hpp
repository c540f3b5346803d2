// Numbers of one sequence, or of many instances of it, made by an OpenCL device: into its own memory, or
// delivered to the host ahead of their use. Needs no headers of OpenCL.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ranmar/engine.hpp"
#include "ranmar/refills.hpp"

struct _cl_command_queue;  // a cl_command_queue is a pointer to one, and so on
struct _cl_device_id;
struct _cl_mem;

namespace ranmar::opencl {

using cuda::Error;

struct RANMAR_API Device {
  std::string platform, name;  ///< with version
  bool processor = false;      ///< it is a CPU
  _cl_device_id* id = nullptr;
};

/// The OpenCL devices of all platforms, CPUs last; none, and the reason in one line in `why`, where
/// there is none. Never throws.
RANMAR_API std::vector<Device> devices(std::string* why = nullptr);

/// The numbers are 1 or more.
struct RANMAR_API Tuning {
  int blocks_per_unit = 16;    ///< blocks of doubles for each compute unit; of floats twice as many
  int least_rows = 24;         ///< rows of 64 numbers that a block gets at least
  bool integers_only = false;  ///< as on devices without double precision: the same bits
};

/// A sequence on the device of a command queue, which must be an in-order one. Fills are asynchronous, bit
/// for bit what `fill_reference` makes, whatever their sizes, and cut into blocks as those of cuda::Sequence.
/// Instance k (from 0) is the same sequence k*kInstanceDistance numbers further on; all of them move
/// together.
///
/// The device's driver compiles the kernels at their first use in a context; objects of the context share
/// them. Not thread-safe. Throws Error, and std::invalid_argument for instances outside 1..2^20 and for sizes
/// and tuning out of range; after an Error the object can be asked for state() and destroyed, no more.
template <class Form>
class RANMAR_API Sequence {
 public:
  Sequence(const State<Form>& start, _cl_command_queue* queue, int instances = 1, const Tuning& tuning = {});

  /// Enqueues the next n numbers of every instance: number i of instance k goes to number offset + k*n + i of
  /// `out`, a buffer of the queue's context. n up to 2^40.
  void fill(_cl_mem* out, std::size_t n, std::size_t offset = 0);

  /// The state before the next number of an instance (from 0 to instances - 1, else std::invalid_argument),
  /// on the host; waits for nothing.
  [[nodiscard]] State<Form> state(int instance = 0) const;

 private:
  struct RANMAR_LOCAL Impl;
  std::shared_ptr<Impl> impl_;
};

/// Refills by an OpenCL device. At its start an object compares some numbers of the device with the CPU's,
/// and throws Error where they differ. Takes kPieceBytes of device memory. Waiting polls every 50 us and
/// sleeps in between.
template <class Form>
class RANMAR_API Stream : public Refills<Form> {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{16} << 20;

  /// Goes on from `start`, on the device of this number in devices().
  explicit Stream(const State<Form>& start, int device = 0);
};

}  // namespace ranmar::opencl
