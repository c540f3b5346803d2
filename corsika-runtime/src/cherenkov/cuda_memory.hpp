// Memory of a CUDA device, pinned memory of the host, and a stream; freed with their owners. Functions throw
// std::runtime_error, with CUDA's reason in one line.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace cherenkov::corsika {

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

// Memory of the host, pinned, or of the device; freed with its owner.
template <class T, bool kOnHost>
class Memory {
 public:
  // Room for that many bytes at least; what was there is lost.
  void reserve(std::size_t bytes) {
    if (bytes <= size_) return;
    data_.reset();
    size_ = 0;
    void* memory = nullptr;
    if (kOnHost)
      check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "cudaHostAlloc");
    else
      check(cudaMalloc(&memory, bytes), "cudaMalloc");
    data_.reset(static_cast<T*>(memory));
    size_ = bytes;
  }
  [[nodiscard]] T* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* memory) const { kOnHost ? cudaFreeHost(memory) : cudaFree(memory); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

template <class T>
using OnDevice = Memory<T, false>;
template <class T>
using OnHost = Memory<T, true>;

struct Stream {
  cudaStream_t handle = nullptr;
  explicit Stream(int device) {
    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

// The host's memory, pinned while this lives.
struct Pinned {
  std::byte* host;
  const std::byte* on_device = nullptr;
  explicit Pinned(std::span<std::byte> memory) : host(memory.data()) {
    check(cudaHostRegister(host, memory.size_bytes(), cudaHostRegisterMapped), "cudaHostRegister");
    void* address = nullptr;
    check(cudaHostGetDevicePointer(&address, host, 0), "cudaHostGetDevicePointer");
    on_device = static_cast<const std::byte*>(address);
  }
  ~Pinned() { cudaHostUnregister(host); }
  // Where the device finds what is here.
  [[nodiscard]] const double* seen_from_device(const void* here) const {
    return reinterpret_cast<const double*>(on_device + (static_cast<const std::byte*>(here) - host));
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
};

}  // namespace cherenkov::corsika
