// The kernel that chooses among the bunches of a batch: a warp a segment. Same formulas as bunches.cpp and
// spheres.cpp.
#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "cherenkov/cuda/chooser.hpp"

namespace cherenkov::cuda {
namespace {

constexpr int kLanes = 32;
constexpr int kThreads = 128;
constexpr unsigned kAll = 0xFFFFFFFFU;

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw Error(std::string(call) + ": " + cudaGetErrorString(code));
}

// A geometry in the device's memory.
struct DeviceGeometry {
  Plane plane;
  const double *x, *y, *z, *reach;  // of spheres
  int spheres;
  double x_low, y_low, cells_per_cm;
  const std::uint32_t* bits;
};

// Where a segment's answers stand.
struct Found {
  std::uint32_t first, count;
};

// See Spheres::touched_by.
__device__ bool touched(const Ring& ring, const DeviceGeometry& geometry, unsigned lane) {
  for (int i = 0; i < geometry.spheres; i += kLanes) {
    bool near = false;
    if (const int s = i + static_cast<int>(lane); s < geometry.spheres) {
      const double z = geometry.z[s];
      const double dx = geometry.x[s] - ring.x;
      const double dy = geometry.y[s] - ring.y;
      const double dz = ring.height - z;
      const double length2 = dx * dx + dy * dy + dz * dz;
      const double along = dx * ring.u + dy * ring.v + dz * ring.w;
      const double across = sqrt(fmax(0., length2 - along * along));
      const double distance = fabs(across - along * ring.tan_theta);
      const double reach = ring.slack + ring.radius_scale * geometry.reach[s] + ring.tilt * fabs(z);
      near = !(distance > ring.secant * (ring.slack_per_cm * (fabs(along) + across) + reach));
    }
    if (__any_sync(kAll, near)) return true;
  }
  return false;
}

// See Spheres::passed_by.
__device__ bool passed(const Line& line, const LineUncertainty& uncertainty, const DeviceGeometry& geometry) {
  const double length2 = 1. + line.slope_x * line.slope_x + line.slope_y * line.slope_y;
  for (int s = 0; s < geometry.spheres; ++s) {
    const double z = geometry.z[s];
    const double ax = line.x - line.slope_x * z - geometry.x[s];
    const double ay = line.y - line.slope_y * z - geometry.y[s];
    const double turned = ax * line.slope_y - ay * line.slope_x;
    const double reach =
        geometry.reach[s] + uncertainty.position + uncertainty.slope * (fabs(z) + fabs(ax) + fabs(ay));
    if (!(turned * turned + ax * ax + ay * ay > reach * reach * length2)) return true;
  }
  return false;
}

// A step in the telescopes' frame; see choose().
struct StepInArray {
  double x, y, z;     // before the first bunch, z above the plane
  double dx, dy, dz;  // between two
  double xc, xs, xa, yc, ys, ya;
};

__device__ StepInArray step_in_array(const Step& step, const Plane& plane) {
  const auto along_x = [&](double x, double y) { return x * plane.cos_turn + y * plane.sin_turn; };
  const auto along_y = [&](double x, double y) { return y * plane.cos_turn - x * plane.sin_turn; };
  const double x = step.before.x - plane.x0;
  const double y = step.before.y - plane.y0;
  return {along_x(x, y) - plane.x_impact,
          along_y(x, y) - plane.y_impact,
          step.before.z - plane.height,
          along_x(step.between.x, step.between.y),
          along_y(step.between.x, step.between.y),
          step.between.z,
          along_x(step.cu, step.cv),
          along_x(step.su, step.sv),
          along_x(step.u0, step.v0),
          along_y(step.cu, step.cv),
          along_y(step.su, step.sv),
          along_y(step.u0, step.v0)};
}

// Whether the map has light at (x, y) reach a telescope.
__device__ bool reachable(double x, double y, const DeviceGeometry& geometry) {
  const double column = (x - geometry.x_low) * geometry.cells_per_cm;
  const double row = (y - geometry.y_low) * geometry.cells_per_cm;
  if (column < 0. || column >= FootprintMap::kCells || row < 0. || row >= FootprintMap::kCells) return false;
  const int cell = static_cast<int>(row) * FootprintMap::kCells + static_cast<int>(column);
  return (geometry.bits[cell >> 5] >> (cell & 31) & 1) != 0;
}

// Whether bunch `number` (from 1) of its step can hit. Not inlined: it is asked twice, and one copy of it
// says the same twice.
__device__ __noinline__ bool can_hit(const StepSegment& segment, const StepInArray& own, double number,
                                     double turns, const DeviceGeometry& geometry) {
  const Step& step = segment.step;
  const double path = step.before.path + number * step.between.path;
  const double cos_theta = 1. / (step.beta_n + step.beta_n_slope * path);
  const double sin_theta = sqrt(fmax(0., (1. - cos_theta) * (1. + cos_theta)));
  double sine = 0., cosine = 0.;
  sincospi(2. * turns, &sine, &cosine);
  sine *= sin_theta;
  cosine *= sin_theta;
  const double airmass = 1. / (step.sw * sine + step.w0 * cos_theta);
  const double u = own.xc * cosine + own.xs * sine + own.xa * cos_theta;
  const double v = own.yc * cosine + own.ys * sine + own.ya * cos_theta;
  const double reach = airmass * (own.z + number * own.dz - segment.refraction_k * airmass * airmass);
  const Line line{own.x + number * own.dx + u * reach, own.y + number * own.dy + v * reach, u * airmass,
                  v * airmass};
  return reachable(line.x, line.y, geometry) && passed(line, segment.uncertainty, geometry);
}

__global__ void __launch_bounds__(kThreads)
    choose_segments(const StepSegment* segments, int n, Numbers numbers, DeviceGeometry geometry,
                    Found* found, CandidateBunch* chosen, unsigned max_candidates, unsigned* taken) {
  const int s = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / kLanes);
  const unsigned lane = threadIdx.x % kLanes;
  if (s >= n) return;
  const StepSegment& segment = segments[s];
  unsigned count = 0, first = 0;
  if (touched(ring_of(segment.step, geometry.plane, segment.cone, segment.ground_slack,
                      segment.uncertainty.slope),
              geometry, lane)) {
    const StepInArray own = step_in_array(segment.step, geometry.plane);
    const auto hits = [&](int i, double& turns) {
      turns = numbers.ring[(segment.first_azimuth_number + static_cast<unsigned>(i)) & (numbers.length - 1)];
      return can_hit(segment, own, segment.first + i + 1., turns, geometry);
    };
    double turns = 0.;
    for (int i = static_cast<int>(lane); __any_sync(kAll, i < segment.bunches); i += kLanes)
      count += static_cast<unsigned>(__popc(__ballot_sync(kAll, i < segment.bunches && hits(i, turns))));
    if (count > 0) {
      if (lane == 0) first = atomicAdd(taken, count);
      first = __shfl_sync(kAll, first, 0);
      if (first + count <= max_candidates) {  // else the host sees that it was too much
        CandidateBunch* out = chosen + first;
        for (int i = static_cast<int>(lane); __any_sync(kAll, i < segment.bunches); i += kLanes) {
          const bool hit = i < segment.bunches && hits(i, turns);
          const unsigned all = __ballot_sync(kAll, hit);
          if (hit) out[__popc(all & ((1U << lane) - 1))] = {turns, segment.first + i, s};
          out += __popc(all);
        }
      }
    }
  }
  if (lane == 0) found[s] = {first, count};
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
  void reserve(std::size_t count) {
    if (count <= size_) return;
    clear();
    void* memory = nullptr;
    if (where_ == Where::kDevice)
      check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    else
      check(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
    data_ = static_cast<T*>(memory);
    size_ = count;
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
constexpr auto kDevice = Memory<T>::Where::kDevice;
template <class T>
constexpr auto kHost = Memory<T>::Where::kHost;

}  // namespace

struct Batch::Impl {
  int max_segments, max_candidates;
  int started = 0;
  cudaEvent_t done = nullptr;
  Memory<StepSegment> segments{kHost<StepSegment>}, on_device{kDevice<StepSegment>};
  Memory<Found> found{kHost<Found>};
  Memory<CandidateBunch> chosen{kHost<CandidateBunch>};
  Memory<unsigned> taken{kDevice<unsigned>};
  Memory<unsigned> taken_on_host{kHost<unsigned>};
  ~Impl() {
    if (done != nullptr) cudaEventDestroy(done);
  }
};

Batch::Batch(int max_segments, int max_candidates) : impl_(std::make_unique<Impl>()) {
  impl_->max_segments = max_segments;
  impl_->max_candidates = max_candidates;
  check(cudaEventCreateWithFlags(&impl_->done, cudaEventBlockingSync | cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  impl_->segments.reserve(static_cast<std::size_t>(max_segments));
  impl_->on_device.reserve(static_cast<std::size_t>(max_segments));
  impl_->found.reserve(static_cast<std::size_t>(max_segments));
  impl_->chosen.reserve(static_cast<std::size_t>(max_candidates));
  impl_->taken.reserve(1);
  impl_->taken_on_host.reserve(1);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;

StepSegment* Batch::segments() const { return impl_->segments.get(); }

bool Batch::wait(std::vector<CandidateBunch>& chosen) {
  check(cudaEventSynchronize(impl_->done), "cudaEventSynchronize");
  if (*impl_->taken_on_host.get() > static_cast<unsigned>(impl_->max_candidates)) return false;
  for (int s = 0; s < impl_->started; ++s) {
    const Found& found = impl_->found.get()[s];
    const CandidateBunch* first = impl_->chosen.get() + found.first;
    chosen.insert(chosen.end(), first, first + found.count);
  }
  return true;
}

struct Chooser::Impl {
  DeviceGeometry geometry{};
  Memory<double> x{kDevice<double>}, y{kDevice<double>}, z{kDevice<double>}, reach{kDevice<double>};
  Memory<std::uint32_t> bits{kDevice<std::uint32_t>};
};

Chooser::Chooser() : impl_(std::make_unique<Impl>()) {}
Chooser::~Chooser() = default;

void Chooser::set_geometry(const ArrayGeometry& geometry, cudaStream_t stream) {
  Impl& my = *impl_;
  const auto copy = [&](auto& memory, const auto* from, std::size_t count) {
    memory.reserve(std::max<std::size_t>(count, 1));
    check(cudaMemcpyAsync(memory.get(), from, count * sizeof(*from), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
    return memory.get();
  };
  const Spheres& spheres = geometry.spheres;
  my.geometry.plane = geometry.plane;
  my.geometry.x = copy(my.x, spheres.x().data(), spheres.x().size());
  my.geometry.y = copy(my.y, spheres.y().data(), spheres.y().size());
  my.geometry.z = copy(my.z, spheres.z().data(), spheres.z().size());
  my.geometry.reach = copy(my.reach, spheres.tested_radius().data(), spheres.tested_radius().size());
  my.geometry.spheres = static_cast<int>(spheres.x().size());
  const FootprintMap& ground = geometry.ground;
  my.geometry.x_low = ground.x_low();
  my.geometry.y_low = ground.y_low();
  my.geometry.cells_per_cm = ground.cells_per_cm();
  my.geometry.bits =
      copy(my.bits, ground.bits(), std::size_t{FootprintMap::kCells} * FootprintMap::kCells / 32);
  // The geometry may go once this returns.
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void Chooser::start(Batch& batch, int n, const Numbers& numbers, cudaStream_t stream) {
  Batch::Impl& b = *batch.impl_;
  b.started = n;
  const auto count = static_cast<std::size_t>(n);
  check(cudaMemcpyAsync(b.on_device.get(), b.segments.get(), count * sizeof(StepSegment),
                        cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  check(cudaMemsetAsync(b.taken.get(), 0, sizeof(unsigned), stream), "cudaMemsetAsync");
  constexpr int kWarps = kThreads / kLanes;
  choose_segments<<<(n + kWarps - 1) / kWarps, kThreads, 0, stream>>>(
      b.on_device.get(), n, numbers, impl_->geometry, b.found.get(), b.chosen.get(),
      static_cast<unsigned>(b.max_candidates), b.taken.get());
  check(cudaGetLastError(), "choose_segments");
  check(
      cudaMemcpyAsync(b.taken_on_host.get(), b.taken.get(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream),
      "cudaMemcpyAsync");
  check(cudaEventRecord(b.done, stream), "cudaEventRecord");
}

}  // namespace cherenkov::cuda
