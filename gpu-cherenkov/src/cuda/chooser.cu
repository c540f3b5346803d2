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

// A scene in the device's memory.
struct View {
  Plane plane;
  const double *x, *y, *z, *reach;  // of spheres
  int spheres;
  double x_low, y_low, cells_per_cm;
  const std::uint32_t* bits;
};

// Where a stretch's answers stand.
struct Found {
  std::uint32_t first, count;
};

// See Spheres::touched_by.
__device__ bool touched(const Ring& ring, const View& scene, unsigned lane) {
  for (int i = 0; i < scene.spheres; i += kLanes) {
    bool near = false;
    if (const int s = i + static_cast<int>(lane); s < scene.spheres) {
      const double z = scene.z[s];
      const double dx = scene.x[s] - ring.x;
      const double dy = scene.y[s] - ring.y;
      const double dz = ring.height - z;
      const double length2 = dx * dx + dy * dy + dz * dz;
      const double along = dx * ring.u + dy * ring.v + dz * ring.w;
      const double across = sqrt(fmax(0., length2 - along * along));
      const double distance = fabs(across - along * ring.tan_theta);
      const double reach = ring.slack + ring.radius_scale * scene.reach[s] + ring.tilt * fabs(z);
      near = !(distance > ring.secant * (ring.slack_per_cm * (fabs(along) + across) + reach));
    }
    if (__any_sync(kAll, near)) return true;
  }
  return false;
}

// See Spheres::passed_by.
__device__ bool passed(const Line& line, const Doubt& doubt, const View& scene) {
  const double length2 = 1. + line.slope_x * line.slope_x + line.slope_y * line.slope_y;
  for (int s = 0; s < scene.spheres; ++s) {
    const double z = scene.z[s];
    const double ax = line.x - line.slope_x * z - scene.x[s];
    const double ay = line.y - line.slope_y * z - scene.y[s];
    const double turned = ax * line.slope_y - ay * line.slope_x;
    const double reach = scene.reach[s] + doubt.position + doubt.slope * (fabs(z) + fabs(ax) + fabs(ay));
    if (!(turned * turned + ax * ax + ay * ay > reach * reach * length2)) return true;
  }
  return false;
}

// A step in the telescopes' frame; see choose().
struct Aim {
  double x, y, z;     // before the first bunch, z above the plane
  double dx, dy, dz;  // between two
  double xc, xs, xa, yc, ys, ya;
};

__device__ Aim aim_of(const Step& step, const Plane& plane) {
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
__device__ bool reachable(double x, double y, const View& scene) {
  const double column = (x - scene.x_low) * scene.cells_per_cm;
  const double row = (y - scene.y_low) * scene.cells_per_cm;
  if (column < 0. || column >= Ground::kCells || row < 0. || row >= Ground::kCells) return false;
  const int cell = static_cast<int>(row) * Ground::kCells + static_cast<int>(column);
  return (scene.bits[cell >> 5] >> (cell & 31) & 1) != 0;
}

// Whether bunch `number` (from 1) of its step can hit. Not inlined: it is asked twice, and one copy of it
// says the same twice.
__device__ __noinline__ bool can_hit(const Stretch& stretch, const Aim& aim, double number, double turns,
                                     const View& scene) {
  const Step& step = stretch.step;
  const double path = step.before.path + number * step.between.path;
  const double cos_theta = 1. / (step.beta_n + step.beta_n_slope * path);
  const double sin_theta = sqrt(fmax(0., (1. - cos_theta) * (1. + cos_theta)));
  double sine = 0., cosine = 0.;
  sincospi(2. * turns, &sine, &cosine);
  sine *= sin_theta;
  cosine *= sin_theta;
  const double airmass = 1. / (step.sw * sine + step.w0 * cos_theta);
  const double u = aim.xc * cosine + aim.xs * sine + aim.xa * cos_theta;
  const double v = aim.yc * cosine + aim.ys * sine + aim.ya * cos_theta;
  const double away = airmass * (aim.z + number * aim.dz - stretch.bend_k * airmass * airmass);
  const Line line{aim.x + number * aim.dx + u * away, aim.y + number * aim.dy + v * away, u * airmass,
                  v * airmass};
  return reachable(line.x, line.y, scene) && passed(line, stretch.doubt, scene);
}

__global__ void __launch_bounds__(kThreads)
    choose_stretches(const Stretch* stretches, int n, Numbers numbers, View scene, Found* found,
                     Chosen* chosen, unsigned most_chosen, unsigned* taken) {
  const int s = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / kLanes);
  const unsigned lane = threadIdx.x % kLanes;
  if (s >= n) return;
  const Stretch& stretch = stretches[s];
  unsigned count = 0, first = 0;
  if (touched(ring_of(stretch.step, scene.plane, stretch.cone, stretch.slack, stretch.doubt.slope), scene,
              lane)) {
    const Aim aim = aim_of(stretch.step, scene.plane);
    const auto hits = [&](int i, double& turns) {
      turns = numbers.ring[(stretch.azimuth + static_cast<unsigned>(i)) & (numbers.length - 1)];
      return can_hit(stretch, aim, stretch.first + i + 1., turns, scene);
    };
    double turns = 0.;
    for (int i = static_cast<int>(lane); __any_sync(kAll, i < stretch.bunches); i += kLanes)
      count += static_cast<unsigned>(__popc(__ballot_sync(kAll, i < stretch.bunches && hits(i, turns))));
    if (count > 0) {
      if (lane == 0) first = atomicAdd(taken, count);
      first = __shfl_sync(kAll, first, 0);
      if (first + count <= most_chosen) {  // else the host sees that it was too much
        Chosen* out = chosen + first;
        for (int i = static_cast<int>(lane); __any_sync(kAll, i < stretch.bunches); i += kLanes) {
          const bool hit = i < stretch.bunches && hits(i, turns);
          const unsigned all = __ballot_sync(kAll, hit);
          if (hit) out[__popc(all & ((1U << lane) - 1))] = {turns, stretch.first + i, s};
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
  int most_stretches, most_chosen;
  int started = 0;
  cudaEvent_t done = nullptr;
  Memory<Stretch> stretches{kHost<Stretch>}, on_device{kDevice<Stretch>};
  Memory<Found> found{kHost<Found>};
  Memory<Chosen> chosen{kHost<Chosen>};
  Memory<unsigned> taken{kDevice<unsigned>};
  Memory<unsigned> taken_on_host{kHost<unsigned>};
  ~Impl() {
    if (done != nullptr) cudaEventDestroy(done);
  }
};

Batch::Batch(int most_stretches, int most_chosen) : impl_(std::make_unique<Impl>()) {
  impl_->most_stretches = most_stretches;
  impl_->most_chosen = most_chosen;
  check(cudaEventCreateWithFlags(&impl_->done, cudaEventBlockingSync | cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  impl_->stretches.reserve(static_cast<std::size_t>(most_stretches));
  impl_->on_device.reserve(static_cast<std::size_t>(most_stretches));
  impl_->found.reserve(static_cast<std::size_t>(most_stretches));
  impl_->chosen.reserve(static_cast<std::size_t>(most_chosen));
  impl_->taken.reserve(1);
  impl_->taken_on_host.reserve(1);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;

Stretch* Batch::stretches() const { return impl_->stretches.get(); }

bool Batch::wait(std::vector<Chosen>& chosen) {
  check(cudaEventSynchronize(impl_->done), "cudaEventSynchronize");
  if (*impl_->taken_on_host.get() > static_cast<unsigned>(impl_->most_chosen)) return false;
  for (int s = 0; s < impl_->started; ++s) {
    const Found& found = impl_->found.get()[s];
    const Chosen* first = impl_->chosen.get() + found.first;
    chosen.insert(chosen.end(), first, first + found.count);
  }
  return true;
}

struct Chooser::Impl {
  View view{};
  Memory<double> x{kDevice<double>}, y{kDevice<double>}, z{kDevice<double>}, reach{kDevice<double>};
  Memory<std::uint32_t> bits{kDevice<std::uint32_t>};
};

Chooser::Chooser() : impl_(std::make_unique<Impl>()) {}
Chooser::~Chooser() = default;

void Chooser::aim(const Scene& scene, cudaStream_t stream) {
  Impl& my = *impl_;
  const auto copy = [&](auto& memory, const auto* from, std::size_t count) {
    memory.reserve(std::max<std::size_t>(count, 1));
    check(cudaMemcpyAsync(memory.get(), from, count * sizeof(*from), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
    return memory.get();
  };
  const Spheres& spheres = scene.spheres;
  my.view.plane = scene.plane;
  my.view.x = copy(my.x, spheres.x().data(), spheres.x().size());
  my.view.y = copy(my.y, spheres.y().data(), spheres.y().size());
  my.view.z = copy(my.z, spheres.z().data(), spheres.z().size());
  my.view.reach = copy(my.reach, spheres.reach().data(), spheres.reach().size());
  my.view.spheres = static_cast<int>(spheres.x().size());
  const Ground& ground = scene.ground;
  my.view.x_low = ground.x_low();
  my.view.y_low = ground.y_low();
  my.view.cells_per_cm = ground.cells_per_cm();
  my.view.bits = copy(my.bits, ground.bits(), std::size_t{Ground::kCells} * Ground::kCells / 32);
  // The scene may go once this returns.
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void Chooser::start(Batch& batch, int n, const Numbers& numbers, cudaStream_t stream) {
  Batch::Impl& b = *batch.impl_;
  b.started = n;
  const auto count = static_cast<std::size_t>(n);
  check(cudaMemcpyAsync(b.on_device.get(), b.stretches.get(), count * sizeof(Stretch), cudaMemcpyHostToDevice,
                        stream),
        "cudaMemcpyAsync");
  check(cudaMemsetAsync(b.taken.get(), 0, sizeof(unsigned), stream), "cudaMemsetAsync");
  constexpr int kWarps = kThreads / kLanes;
  choose_stretches<<<(n + kWarps - 1) / kWarps, kThreads, 0, stream>>>(
      b.on_device.get(), n, numbers, impl_->view, b.found.get(), b.chosen.get(),
      static_cast<unsigned>(b.most_chosen), b.taken.get());
  check(cudaGetLastError(), "choose_stretches");
  check(
      cudaMemcpyAsync(b.taken_on_host.get(), b.taken.get(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream),
      "cudaMemcpyAsync");
  check(cudaEventRecord(b.done, stream), "cudaEventRecord");
}

}  // namespace cherenkov::cuda
