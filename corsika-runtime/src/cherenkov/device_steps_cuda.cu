// DeviceSteps on a CUDA device: a few lanes a step. The kernel itself reads the host's chunks and writes its
// answers there: copies on either side of it would cost the host as much time again, and where processes
// share the device, each would lose its turn between copy and kernel. Compiled with -fmad=false.
#include <cuda_runtime.h>

#include <chrono>
#include <thread>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/generator/device_refills.hpp"

namespace cherenkov::corsika {
namespace {

// Memory of a CUDA device, pinned memory of the host, and a stream; freed with their owners. Functions throw
// std::runtime_error, with CUDA's reason in one line.

void check(cudaError_t code, const char* call) {
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

constexpr int kThreads = 128;
// Between questions whether a batch is done. No spinning: the core may be another process's. An interrupt at
// its end (cudaEventBlockingSync) takes more of the CPU's time than some pauses.
constexpr std::chrono::microseconds kPause{150};
constexpr int kRows = sizeof(StepArguments) / sizeof(double);
constexpr int kIndexRows = 3;  // the last ones
constexpr int kRowsOfChunk = sizeof(RecordedSteps) / sizeof(double) / kChunkSteps;

// The row of RecordedSteps that is argument `own` of StepArguments: neither times nor cos_earth.
__host__ __device__ constexpr int row_of_argument(int own) {
  return own < 12 ? own : own < 15 ? own + 2 : own + 3;
}
static_assert(offsetof(RecordedSteps, w) / kChunkSteps == offsetof(StepArguments, w) &&
              offsetof(RecordedSteps, z_end) / kChunkSteps == offsetof(StepArguments, z_end));
static_assert(offsetof(RecordedSteps, mass) ==
              row_of_argument(offsetof(StepArguments, mass) / sizeof(double)) * kChunkSteps * sizeof(double));
static_assert(offsetof(RecordedSteps, index_end) ==
              row_of_argument(kRows - 1) * kChunkSteps * sizeof(double));
static_assert(row_of_argument(kRows - 1) == kRowsOfChunk - 1);
static_assert(offsetof(StepArguments, index_begin) == (kRows - kIndexRows) * sizeof(double));

// Neighbouring lanes of a warp; see OneLane.
struct WarpLanes {
  static constexpr int kCount = 8;
  static_assert(32 % kCount == 0 && kThreads % 32 == 0);
  int own;
  unsigned mask;  // of the lanes of this step, in the warp

  __device__ static WarpLanes here() {
    const unsigned lane = threadIdx.x % 32;
    return {static_cast<int>(lane % kCount), ((1U << kCount) - 1) << (lane / kCount * kCount)};
  }
  [[nodiscard]] __device__ int index() const { return own; }
  [[nodiscard]] __device__ bool any(bool mine) const { return __any_sync(mask, mine) != 0; }
  [[nodiscard]] __device__ double largest(double mine) const {
    for (int other = kCount / 2; other > 0; other /= 2)
      mine = higher(mine, __shfl_xor_sync(mask, mine, other, kCount));
    return mine;
  }
  [[nodiscard]] __device__ double sum(double mine) const {
    for (int other = kCount / 2; other > 0; other /= 2) mine += __shfl_xor_sync(mask, mine, other, kCount);
    return mine;
  }
  [[nodiscard]] __device__ std::uint64_t united(std::uint64_t mine) const {
    for (int other = kCount / 2; other > 0; other /= 2) {
      const unsigned long long its = mine;
      mine |= __shfl_xor_sync(mask, its, other, kCount);
    }
    return mine;
  }
};

constexpr int kStepsOfBlock = kThreads / WarpLanes::kCount;
constexpr int kWordsOfAnswer = sizeof(StepAnswer) / sizeof(double);
constexpr int kWordsWithoutDetails = offsetof(StepAnswer, sectors) / sizeof(double);
static_assert(kChunkSteps % kStepsOfBlock == 0);

// The answers of a block, from step `first` on; details only where there are any.
__device__ void put(const StepAnswer* answered, int first, int here, double* answers) {
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kWordsOfAnswer * here; i += kThreads) {
    const int step = i / kWordsOfAnswer;
    if (i % kWordsOfAnswer < kWordsWithoutDetails || answered[step].verdict == Verdict::kDetailed)
      answers[kWordsOfAnswer * first + i] = reinterpret_cast<const double*>(answered)[i];
  }
}

// chunks (of RecordedSteps), bin_powers, answers: in the host's memory. Neighbours are read and
// written together and all at once, for the way there is long.
__global__ void __launch_bounds__(kThreads)
    answer_steps(const double* chunks, int count, const __grid_constant__ EventView event, double total_power,
                 const double* bin_powers, double* answers) {
  __shared__ StepArguments steps[kStepsOfBlock];
  __shared__ StepAnswer answered[kStepsOfBlock];
  const int first = static_cast<int>(blockIdx.x) * kStepsOfBlock;
  const int here = min(kStepsOfBlock, count - first);
  const int thread = static_cast<int>(threadIdx.x);
  const double* rows = chunks + (first / kChunkSteps * kRowsOfChunk * kChunkSteps + first % kChunkSteps);
  const int needed = (event.indices.cells == 0 ? kRows : kRows - kIndexRows) * kStepsOfBlock;
#pragma unroll
  for (int i = thread; i < needed; i += kThreads) {
    const int row = i / kStepsOfBlock, step = i % kStepsOfBlock;
    if (step < here)
      reinterpret_cast<double*>(steps + step)[row] = rows[row_of_argument(row) * kChunkSteps + step];
  }
  __syncthreads();
  if (const int own = thread / WarpLanes::kCount; own < here) {
    const WarpLanes lanes = WarpLanes::here();
    StepJudge<WarpLanes> judge(steps[own], event, lanes);
    const StepAnswer answer = judge.answer(total_power, bin_powers);
    if (lanes.index() == 0) {
      answered[own] = answer;
      if (answer.verdict == Verdict::kDetailed) judge.add_details(answered[own]);
    }
  }
  put(answered, first, here, answers);
}

// The same with option CURVED. loops: of CurvedLoop.
constexpr int kWordsOfLoop = sizeof(CurvedLoop) / sizeof(double);
static_assert(sizeof(CurvedLoop) % sizeof(double) == 0);

__global__ void __launch_bounds__(kThreads)
    answer_loops(const double* loops, int count, const __grid_constant__ CurvedEventView event,
                 double total_power, const double* bin_powers, double* answers) {
  __shared__ double words[kStepsOfBlock * kWordsOfLoop];
  __shared__ StepAnswer answered[kStepsOfBlock];
  const int first = static_cast<int>(blockIdx.x) * kStepsOfBlock;
  const int here = min(kStepsOfBlock, count - first);
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kWordsOfLoop * here; i += kThreads)
    words[i] = loops[static_cast<std::ptrdiff_t>(first) * kWordsOfLoop + i];
  __syncthreads();
  if (const int own = thread / WarpLanes::kCount; own < here) {
    const WarpLanes lanes = WarpLanes::here();
    const auto* loop = reinterpret_cast<const CurvedLoop*>(words + own * kWordsOfLoop);
    const StepAnswer answer = CurvedJudge<WarpLanes>(*loop, event, lanes).answer(total_power, bin_powers);
    if (lanes.index() == 0) answered[own] = answer;
  }
  put(answered, first, here, answers);
}

class CudaSteps final : public DeviceSteps {
 public:
  CudaSteps(int device, std::span<std::byte> memory) : device_(device), stream_(device), memory_(memory) {
    check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    answers_.reserve(kDeviceSteps * sizeof(StepAnswer));
  }
  ~CudaSteps() override {
    cudaStreamSynchronize(stream_.handle);
    if (done_ != nullptr) cudaEventDestroy(done_);
  }

  void begin_event(const EventView& event) override {
    begin(event.bins);
    view_ = event;
    copy(view_.spheres);
    copy(k_, view_.refraction.k, view_.refraction.heights);
    copy(k_error_, view_.refraction.error, view_.refraction.heights);
    if (event.bins != 0) copy(edge_, view_.edge, event.bins + 1);
    if (indices_.cells == 0 && event.indices.cells != 0) {  // once: the table is that of the run
      indices_ = event.indices;
      copy(excess_, indices_.excess, indices_.cells + 1);
      copy(change_, indices_.change, indices_.cells);
    }
    view_.indices = event.indices.cells == 0 ? IndexTableView{} : indices_;
    finish_copies();
  }

  void begin_event(const CurvedEventView& event) override {
    begin(event.bins);
    curved_view_ = event;
    copy(curved_view_.spheres);
    CurvedArrivalView& arrival = curved_view_.arrival;
    copy(first_, arrival.first, CurvedArrivalView::kCosines + 1);
    copy(last_, arrival.last, CurvedArrivalView::kCosines + 1);
    copy(chord_, arrival.chord, CurvedArrivalView::kAngles);
    copy(ranges_, arrival.ranges, CurvedArrivalView::kAngles * CurvedArrivalView::kHeights);
    if (event.bins != 0) copy(bin_, curved_view_.bin, event.bins);
    finish_copies();
  }

  std::span<const StepAnswer> answer(const RecordedSteps* chunks, int count, double total_power,
                                     const double* bin_powers) override {
    return run(answer_steps, chunks, view_, count, total_power, bin_powers);
  }

  std::span<const StepAnswer> answer(const CurvedLoop* loops, int count, double total_power,
                                     const double* bin_powers) override {
    return run(answer_loops, loops, curved_view_, count, total_power, bin_powers);
  }

 private:
  void begin(int bins) {
    if (bins < 0 || bins > INT16_MAX)
      throw std::invalid_argument("more bins of depth than the device can count");
    bins_ = bins;
    check(cudaSetDevice(device_), "cudaSetDevice");  // of this thread
  }

  void copy(SpheresView& spheres) {
    copy(x_, spheres.x, spheres.count);
    copy(y_, spheres.y, spheres.count);
    copy(z_, spheres.z, spheres.count);
    copy(reach_, spheres.tested_radius, spheres.count);
  }

  // What was copied may go once this returns.
  void finish_copies() {
    powers_.reserve((static_cast<std::size_t>(bins_) + 1) * sizeof(double));
    check(cudaEventRecord(done_, stream_.handle), "cudaEventRecord");
    check(cudaEventSynchronize(done_), "cudaEventSynchronize");
  }

  // steps: chunks or loops, as the kernel reads them.
  template <class View>
  std::span<const StepAnswer> run(void (*kernel)(const double*, int, View, double, const double*, double*),
                                  const void* steps, const View& view, int count, double total_power,
                                  const double* bin_powers) {
    if (count < 1 || count > kDeviceSteps) throw std::invalid_argument("no such number of steps in a batch");
    if (bins_ != 0) std::copy(bin_powers + 1, bin_powers + bins_ + 1, powers_.get() + 1);
    check(cudaSetDevice(device_), "cudaSetDevice");  // of this thread
    kernel<<<(count + kStepsOfBlock - 1) / kStepsOfBlock, kThreads, 0, stream_.handle>>>(
        memory_.seen_from_device(steps), count, view, total_power, powers_.get(),
        reinterpret_cast<double*>(answers_.get()));
    check(cudaGetLastError(), "start of a kernel");
    check(cudaEventRecord(done_, stream_.handle), "cudaEventRecord");
    cudaError_t state = cudaSuccess;
    while ((state = cudaEventQuery(done_)) == cudaErrorNotReady) std::this_thread::sleep_for(kPause);
    check(state, "cudaEventQuery");
    return {answers_.get(), static_cast<std::size_t>(count)};
  }

  // From now on `values` are in the device's memory, after what is in the stream.
  template <class T>
  void copy(OnDevice<T>& memory, const T*& values, int count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    memory.reserve(std::max(bytes, sizeof(double)));
    check(cudaMemcpyAsync(memory.get(), values, bytes, cudaMemcpyHostToDevice, stream_.handle),
          "cudaMemcpyAsync");
    values = memory.get();
  }

  int device_;
  Stream stream_;
  Pinned memory_;
  EventView view_{};
  CurvedEventView curved_view_{};
  int bins_ = 0;  // of the event
  IndexTableView indices_{};
  OnDevice<double> x_, y_, z_, reach_, k_, k_error_, edge_, chord_, excess_, change_;
  OnDevice<std::int16_t> first_, last_;
  OnDevice<CurvedArrivalView::Shift> ranges_;
  OnDevice<DistanceRange> bin_;
  // In the host's memory, where the device reads and writes it.
  OnHost<double> powers_;
  OnHost<StepAnswer> answers_;
  cudaEvent_t done_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceSteps> start_device_steps(const std::string& device, std::span<std::byte> memory) {
  return std::make_unique<CudaSteps>(ranmar::corsika::device_of_process(device), memory);
}

}  // namespace cherenkov::corsika
