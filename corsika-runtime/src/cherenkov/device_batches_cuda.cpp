// DeviceBatches on a CUDA device: numbers made there, in a ring, and two batches.
#include <cuda_runtime_api.h>

#include <array>
#include <deque>
#include <optional>
#include <stdexcept>

#include "cherenkov/cuda/chooser.hpp"
#include "corsika_runtime/cherenkov/device_batches.hpp"
#include "corsika_runtime/generator/device_choice.hpp"
#include "ranmar/cuda/sequence.hpp"

namespace cherenkov::corsika {
namespace {

constexpr std::uint64_t kFill = std::uint64_t{1}
                                << 18;  // numbers made at once: the device is then busy all over
constexpr std::uint64_t kRing = std::uint64_t{1} << 21;  // numbers that the device holds
static_assert(kBatchNumbers + kFill <= kRing);
constexpr int kMaxCandidates = 1 << 17;  // of a batch

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

class CudaBatches final : public DeviceBatches {
 public:
  explicit CudaBatches(int device) : device_(device) {
    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    void* memory = nullptr;
    check(cudaMalloc(&memory, kRing * sizeof(double)), "cudaMalloc");
    ring_ = static_cast<double*>(memory);
    for (auto& batch : batches_) batch.emplace(kBatchSegments, kMaxCandidates);
  }
  ~CudaBatches() override {
    cudaStreamSynchronize(stream_);
    cudaFree(ring_);
    cudaStreamDestroy(stream_);
  }

  void begin_event(const ranmar::State<ranmar::Form48>& start, const ArrayGeometry& geometry) override {
    sequence_.emplace(start);
    chooser_.set_geometry(geometry, stream_);
  }

  StepSegment* segments() override { return batches_[filling_]->segments(); }

  void submit(int n, std::uint64_t /*first*/, std::uint64_t end) override {
    while (sequence_->position() < end)
      sequence_->fill(ring_ + sequence_->position() % kRing, kFill, stream_);
    chooser_.start(*batches_[filling_], n, {ring_, kRing}, stream_);
    under_way_.push_back(filling_);
    filling_ = 1 - filling_;
  }

  bool wait(std::vector<CandidateBunch>& chosen) override {
    const std::size_t batch = under_way_.front();
    under_way_.pop_front();
    return batches_[batch]->wait(chosen);
  }

  [[nodiscard]] std::string name() const override { return "cuda device=" + std::to_string(device_); }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
  double* ring_ = nullptr;
  std::optional<ranmar::cuda::Sequence<ranmar::Form48>> sequence_;
  cherenkov::cuda::Chooser chooser_;
  std::array<std::optional<cherenkov::cuda::Batch>, 2> batches_;
  std::size_t filling_ = 0;
  std::deque<std::size_t> under_way_;
};

}  // namespace

std::unique_ptr<DeviceBatches> start_device_batches(const std::string& device) {
  return std::make_unique<CudaBatches>(ranmar::corsika::device_of_process(device));
}

}  // namespace cherenkov::corsika
