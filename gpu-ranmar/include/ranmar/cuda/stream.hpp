// Numbers of one sequence made on a CUDA device and delivered to host memory, ahead of their use.
#pragma once

#include <cstddef>
#include <string>

#include "ranmar/refills.hpp"

namespace ranmar::cuda {

/// How many CUDA devices this process can use; 0, and the reason in one line in `why`, where there is none.
/// Never throws.
RANMAR_API int device_count(std::string* why = nullptr);

/// While the object lives, memory of the caller is pinned, so that copies to it run at full rate and in
/// parallel with other work. The memory is pinned for all devices that the process uses; `device` is one of
/// them, as for a Stream. Throws Error. Leaves the caller's current device as it is.
class RANMAR_API Pinned {
 public:
  Pinned(void* memory, std::size_t bytes, int device = 0);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  void* memory_;
  int device_;
};

/// Refills by a CUDA device. A refill is one call that makes the next n numbers on the device and copies them
/// to host memory, `out`, which should be pinned. Not a CUDA stream, but it uses two.
///
/// All objects of a process on one device share two CUDA streams, one that makes and one that copies, and
/// kStagedPieces pieces of device memory of kPieceBytes that numbers are made into; larger refills go through
/// them piece by piece. So a process takes 24 MiB of memory for pieces on each device that it uses, whatever
/// the number of its sequences, in addition to the driver's own. Waiting sleeps (cudaEventBlockingSync); it
/// does not spin. The caller's current device is left as it is.
template <class Form>
class RANMAR_API Stream : public Refills<Form> {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
  static constexpr int kStagedPieces = 3;

  /// Goes on from `start`, on the device of this number (0 to device_count()-1). Throws Error.
  explicit Stream(const State<Form>& start, int device = 0);
};

}  // namespace ranmar::cuda
