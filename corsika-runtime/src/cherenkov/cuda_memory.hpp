// Memory of a CUDA device, pinned memory of the host, and a stream; freed with their owners. Functions throw
// std::runtime_error, with CUDA's reason in one line.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace cherenkov::corsika {

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

// Memory of the device, or of the host pinned, freed with its owner.
template <class T>
class Memory {
 public:
  enum class Where { kDevice, kHost };
  explicit Memory(Where where) : where_(where) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { clear(); }
  // Room for that many bytes at least; what was there is lost.
  void reserve(std::size_t bytes) {
    if (bytes <= size_) return;
    clear();
    void* memory = nullptr;
    if (where_ == Where::kDevice)
      check(cudaMalloc(&memory, bytes), "cudaMalloc");
    else
      check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "cudaHostAlloc");
    data_ = static_cast<T*>(memory);
    size_ = bytes;
  }
  [[nodiscard]] T* get() const { return data_; }

 private:
  void clear() {
    where_ == Where::kDevice ? cudaFree(data_) : cudaFreeHost(data_);
    data_ = nullptr;
    size_ = 0;
  }
  Where where_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
struct OnDevice : Memory<T> {
  OnDevice() : Memory<T>(Memory<T>::Where::kDevice) {}
};
template <class T>
struct OnHost : Memory<T> {
  OnHost() : Memory<T>(Memory<T>::Where::kHost) {}
};

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
