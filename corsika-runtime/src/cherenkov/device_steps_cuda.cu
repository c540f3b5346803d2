// DeviceSteps on a CUDA device: a few lanes a step. The kernel itself reads the host's chunks and writes its
// answers there: copies on either side of it would cost the host as much time again, and where processes
// share the device, each would lose its turn between copy and kernel. Compiled with -fmad=false.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/generator/device_choice.hpp"
#include "cuda_memory.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kThreads = 128;
// Between questions whether a batch is done. No spinning: the core may be another process's. An interrupt at
// its end (cudaEventBlockingSync) takes more of the CPU's time than some pauses.
constexpr std::chrono::microseconds kPause{150};
constexpr int kSlots = kDeviceStepsAhead + 1;  // one was answered last
constexpr int kRows = sizeof(StepArguments) / sizeof(double);
constexpr int kIndexRows = 3;  // the last ones
constexpr int kRowsOfChunk = sizeof(RecordedSteps) / sizeof(double) / kChunkSteps;

// The row of RecordedSteps that is argument `own` of StepArguments: neither times nor what is CORSIKA's
// alone.
__host__ __device__ constexpr int row_of_argument(int own) {
  return own < 12 ? own : own < 14 ? own + 2 : own + 4;
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
constexpr int kWordsOfDetails = sizeof(StepDetails) / sizeof(double);
static_assert(sizeof(StepAnswer) % sizeof(double) == 0 && sizeof(StepDetails) % sizeof(double) == 0 &&
              kChunkSteps % kStepsOfBlock == 0);

// The answers of a block, from step `first` on.
__device__ void put(const StepAnswer* answered, int first, int here, double* answers) {
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kWordsOfAnswer * here; i += kThreads)
    answers[kWordsOfAnswer * first + i] = reinterpret_cast<const double*>(answered)[i];
}

// chunks (of RecordedSteps), bin_powers, answers, details: in the host's memory. Neighbours are read and
// written together and all at once, for the way there is long.
__global__ void __launch_bounds__(kThreads)
    answer_steps(const double* chunks, int count, const __grid_constant__ EventView event, double total_power,
                 const double* bin_powers, double* answers, double* details) {
  __shared__ StepArguments steps[kStepsOfBlock];
  __shared__ StepAnswer answered[kStepsOfBlock];
  __shared__ StepDetails details_here[kStepsOfBlock];
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
      if (answer.verdict == Verdict::kDetailed) details_here[own] = judge.details();
    }
    __syncwarp(lanes.mask);
    if (answer.verdict == Verdict::kDetailed)
      for (int word = lanes.index(); word < kWordsOfDetails; word += WarpLanes::kCount)
        details[kWordsOfDetails * (first + own) + word] =
            reinterpret_cast<const double*>(details_here + own)[word];
  }
  put(answered, first, here, answers);
}

// The same with option CURVED. loops: of CurvedLoop.
constexpr int kWordsOfLoop = sizeof(CurvedLoop) / sizeof(double);
static_assert(sizeof(CurvedLoop) % sizeof(double) == 0);

__global__ void __launch_bounds__(kThreads)
    answer_loops(const double* loops, int count, const __grid_constant__ CurvedEventView event,
                 double total_power, const double* bin_powers, double* answers, double*) {
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

// What belongs to one batch, in the host's memory, where the device reads and writes it.
struct Slot {
  OnHost<double> powers;
  OnHost<StepAnswer> answers;
  OnHost<StepDetails> details;  // none with CURVED
  cudaEvent_t done = nullptr;
  int count = 0;
  double total_power = 0.;

  Slot() {
    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    answers.reserve(kDeviceSteps * sizeof(StepAnswer));
  }
  ~Slot() {
    if (done != nullptr) cudaEventDestroy(done);
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
};

class CudaSteps final : public DeviceSteps {
 public:
  CudaSteps(int device, std::span<std::byte> memory) : device_(device), stream_(device), memory_(memory) {}
  ~CudaSteps() override { cudaStreamSynchronize(stream_.handle); }

  void begin_event(const EventSettings& event) override {
    expect_idle(event.bins);
    RefractionModel::View refraction = event.refraction->view();
    const auto heights = static_cast<std::size_t>(refraction.heights);
    refraction.k = copied(k_, std::span(refraction.k, heights));
    refraction.error = copied(k_error_, std::span(refraction.error, heights));
    const auto bins = static_cast<std::size_t>(event.bins);
    for (Slot& slot : slots_) slot.details.reserve(kDeviceSteps * sizeof(StepDetails));
    view_ = {event.plan, copied_spheres(*event.spheres),
             refraction, bins == 0 ? nullptr : copied(edge_, std::span(event.edge, bins + 1)),
             event.bins, event.indices == nullptr ? IndexTableView{} : copied_indices(event.indices->view())};
    finish_copies();
  }

  void begin_event(const CurvedEventSettings& event) override {
    expect_idle(event.bins);
    const CurvedArrivalView arrival = event.arrival->view();
    constexpr std::size_t kCells = CurvedArrivalView::kCosines + 1;
    constexpr std::size_t kAngles = CurvedArrivalView::kAngles;
    curved_view_ = {
        event.cut_w,
        event.plane,
        event.axis,
        event.earth_radius,
        copied_spheres(*event.spheres),
        {arrival.plane, copied(first_, std::span(arrival.first, kCells)),
         copied(last_, std::span(arrival.last, kCells)), copied(chord_, std::span(arrival.chord, kAngles)),
         copied(ranges_, std::span(arrival.ranges, kAngles * CurvedArrivalView::kHeights))},
        event.air->layers(),
        event.bins == 0 ? nullptr : copied(bin_, std::span(event.bin, static_cast<std::size_t>(event.bins))),
        event.bins};
    finish_copies();
  }

  void submit(const RecordedSteps* chunks, int count, double total_power, const double* bin_powers) override {
    launch(answer_steps, chunks, view_, count, total_power, bin_powers);
  }

  void submit(const CurvedLoop* loops, int count, double total_power, const double* bin_powers) override {
    launch(answer_loops, loops, curved_view_, count, total_power, bin_powers);
  }

  AnsweredSteps wait() override {
    if (under_way_ == 0) throw std::logic_error("no batch of steps is under way");
    Slot& slot = slots_[(filling_ + kSlots - static_cast<std::size_t>(under_way_)) % kSlots];
    cudaError_t state = cudaSuccess;
    while ((state = cudaEventQuery(slot.done)) == cudaErrorNotReady) std::this_thread::sleep_for(kPause);
    check(state, "cudaEventQuery");
    --under_way_;
    const auto count = static_cast<std::size_t>(slot.count);
    const std::size_t detailed = slot.details.get() == nullptr ? 0 : count;
    return {{slot.answers.get(), count}, {slot.details.get(), detailed}, slot.total_power, slot.powers.get()};
  }

  [[nodiscard]] int under_way() const override { return under_way_; }
  [[nodiscard]] std::string name() const override { return "cuda device=" + std::to_string(device_); }

 private:
  void expect_idle(int bins) {
    if (under_way_ != 0)
      throw std::logic_error("an event began before the batches of the last one were done");
    if (bins < 0 || bins > INT16_MAX)
      throw std::invalid_argument("more bins of depth than the device can count");
    bins_ = bins;
    check(cudaSetDevice(device_), "cudaSetDevice");  // of this thread
  }

  // Once: the table is that of the run.
  IndexTableView copied_indices(IndexTableView table) {
    const auto cells = static_cast<std::size_t>(table.cells);
    if (indices_.cells == 0) {
      indices_ = table;
      indices_.excess = copied(excess_, std::span(table.excess, cells + 1));
      indices_.change = copied(change_, std::span(table.change, cells));
    }
    return indices_;
  }

  SpheresView copied_spheres(const Spheres& spheres) {
    SpheresView view = view_of(spheres);
    const auto count = static_cast<std::size_t>(view.count);
    view.x = copied(x_, std::span(view.x, count));
    view.y = copied(y_, std::span(view.y, count));
    view.z = copied(z_, std::span(view.z, count));
    view.tested_radius = copied(reach_, std::span(view.tested_radius, count));
    return view;
  }

  // What was copied may go once this returns.
  void finish_copies() {
    for (Slot& slot : slots_) slot.powers.reserve((static_cast<std::size_t>(bins_) + 1) * sizeof(double));
    Slot& any = slots_.front();
    check(cudaEventRecord(any.done, stream_.handle), "cudaEventRecord");
    check(cudaEventSynchronize(any.done), "cudaEventSynchronize");
  }

  // steps: chunks or loops, as the kernel reads them.
  template <class View>
  void launch(void (*kernel)(const double*, int, View, double, const double*, double*, double*),
              const void* steps, const View& view, int count, double total_power, const double* bin_powers) {
    if (under_way_ == kDeviceStepsAhead) throw std::logic_error("too many batches of steps are under way");
    if (count < 1 || count > kDeviceSteps) throw std::invalid_argument("no such number of steps in a batch");
    Slot& slot = slots_[filling_];
    slot.count = count;
    slot.total_power = total_power;
    if (bins_ != 0) std::copy(bin_powers + 1, bin_powers + bins_ + 1, slot.powers.get() + 1);
    check(cudaSetDevice(device_), "cudaSetDevice");  // of this thread
    kernel<<<(count + kStepsOfBlock - 1) / kStepsOfBlock, kThreads, 0, stream_.handle>>>(
        memory_.seen_from_device(steps), count, view, total_power, slot.powers.get(),
        reinterpret_cast<double*>(slot.answers.get()), reinterpret_cast<double*>(slot.details.get()));
    check(cudaGetLastError(), "start of a kernel");
    check(cudaEventRecord(slot.done, stream_.handle), "cudaEventRecord");
    filling_ = (filling_ + 1) % kSlots;
    ++under_way_;
  }

  // In the device's memory, after what is in the stream.
  template <class T, std::size_t kExtent>
  const T* copied(OnDevice<T>& memory, std::span<const T, kExtent> values) {
    memory.reserve(std::max(values.size_bytes(), sizeof(double)));
    check(cudaMemcpyAsync(memory.get(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                          stream_.handle),
          "cudaMemcpyAsync");
    return memory.get();
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
  std::array<Slot, kSlots> slots_;
  std::size_t filling_ = 0;
  int under_way_ = 0;
};

}  // namespace

std::unique_ptr<DeviceSteps> start_device_steps(const std::string& device, std::span<std::byte> memory) {
  return std::make_unique<CudaSteps>(ranmar::corsika::device_of_process(device), memory);
}

}  // namespace cherenkov::corsika
