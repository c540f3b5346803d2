// What a device chooses, against the formulas in long double and against the CPU.
#include "cherenkov/cuda/chooser.hpp"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>

#include "../random_step.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

constexpr double kObserved = 1.27e5;
constexpr std::uint64_t kRing = 1 << 20;

class CudaChooser : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess || count == 0)
      GTEST_SKIP() << "SKIPPED: no CUDA device: " << cudaGetErrorString(code);
    ASSERT_EQ(cudaMalloc(&ring_, kRing * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    for (double& number : numbers_) number = random_.turn();
    ASSERT_EQ(cudaMemcpy(ring_, numbers_.data(), kRing * sizeof(double), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  void TearDown() override {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    cudaFree(ring_);
  }

  void make_scene(int telescopes, double field) {
    geometry_ = {};
    telescopes_.clear();
    const double turn = random_.uniform(-0.3, 0.3);
    geometry_.plane = {kObserved,      random_.uniform(-5e4, 5e4), random_.uniform(-5e4, 5e4), std::cos(turn),
                       std::sin(turn), random_.uniform(-1e4, 1e4), random_.uniform(-1e4, 1e4)};
    std::vector<Footprint> footprints;
    for (int i = 0; i < telescopes; ++i) {
      telescopes_.push_back({random_.uniform(-field, field), random_.uniform(-field, field),
                             random_.uniform(-500., 2500.), random_.uniform(200., 1500.)});
      const Sphere& s = telescopes_.back();
      footprints.push_back({s.x, s.y, 3. * s.radius + 3. * std::fabs(s.z)});
    }
    geometry_.ground = FootprintMap(footprints, 40.);
    geometry_.spheres = Spheres(telescopes_);
  }

  // Aimed at a telescope, its rim, or somewhere.
  StepSegment make_stretch() {
    const Direction to = direction(random_.uniform(0., 0.9), random_.uniform(0., 2. * std::numbers::pi));
    const double height = kObserved + random_.logarithmic(1e4, 3e6);
    const Sphere& f =
        telescopes_[static_cast<std::size_t>(random_.turn() * static_cast<double>(telescopes_.size()))];
    const double spread = f.radius + 0.02 * (height - kObserved);
    const double xt = f.x + geometry_.plane.x_impact + random_.uniform(-1., 1.) * spread;
    const double yt = f.y + geometry_.plane.y_impact + random_.uniform(-1., 1.) * spread;
    const Plane& p = geometry_.plane;
    const int n = static_cast<int>(random_.logarithmic(1., random_.turn() < 0.1 ? 5000. : 100.));
    const double length = std::min(random_.logarithmic(1., 3e4), 0.5 * (height - kObserved) / to.w);
    StepSegment segment{};
    segment.step =
        aimed_step(air_, to, height, p.x0 + xt * p.cos_turn - yt * p.sin_turn,
                   p.y0 + yt * p.cos_turn + xt * p.sin_turn, length, n, random_.uniform(0.01, 1.), 40.);
    segment.cone = cone_of(segment.step, 0.5);
    segment.refraction_k = air_.k(height - 0.5 * length * to.w);
    segment.ground_slack = std::fabs(segment.refraction_k) * std::tan(1.2) * 8. + 3.;
    segment.uncertainty = {random_.uniform(0., 60.), random_.turn() < 0.5 ? 0. : random_.uniform(0., 1e-3)};
    const bool part = n > 200 && random_.turn() < 0.5;
    segment.first = part ? 100 : 0;
    segment.bunches = part ? 100 : n;
    // also across the ring's end
    segment.first_azimuth_number =
        static_cast<std::uint64_t>(random_.turn() * 3. * static_cast<double>(kRing));
    return segment;
  }
  [[nodiscard]] double azimuth(std::uint64_t position) const { return numbers_[position % kRing]; }

  // How far inside of a telescope's sphere a bunch passes, cm; and of one that is widened by all that is not
  // known of its line.
  struct Depth {
    double sphere, widened;
  };
  [[nodiscard]] Depth inside(const StepSegment& segment, int bunch, double turns) const {
    const Step& step = segment.step;
    Step::Point at = step.before;
    at.path += (bunch + 1) * step.between.path;
    at.x += (bunch + 1) * step.between.x;
    at.y += (bunch + 1) * step.between.y;
    at.z += (bunch + 1) * step.between.z;
    const double cosine = 1. / (step.beta_n + step.beta_n_slope * at.path);
    const Landing there = landing(step, at, cosine, (1. - cosine) * (1. + cosine), turns, geometry_.plane,
                                  segment.refraction_k);
    Depth most{-HUGE_VAL, -HUGE_VAL};
    for (const Sphere& s : telescopes_) {
      const auto sx = static_cast<double>(there.slope_x), sy = static_cast<double>(there.slope_y);
      const double ax = static_cast<double>(there.x) - s.z * sx - s.x;
      const double ay = static_cast<double>(there.y) - s.z * sy - s.y;
      const double distance =
          std::sqrt((ax * ax + ay * ay + std::pow(ax * sy - ay * sx, 2)) / (1. + sx * sx + sy * sy));
      most.sphere = std::max(most.sphere, s.radius - distance);
      most.widened = std::max(
          most.widened, s.radius + 1. + segment.uncertainty.position +
                            segment.uncertainty.slope * (std::fabs(s.z) + std::fabs(ax) + std::fabs(ay)) -
                            distance);
    }
    return most;
  }

  double* ring_ = nullptr;
  cudaStream_t stream_ = nullptr;
  Random random_{61};
  std::vector<double> numbers_ = std::vector<double>(kRing);
  Atmosphere air_{kObserved};
  std::vector<Sphere> telescopes_;
  ArrayGeometry geometry_;
};

TEST_F(CudaChooser, ChoosesWhatPassesASphere) {
  constexpr int kStretches = 3000;
  cuda::Chooser chooser;
  cuda::Batch batch(kStretches, 1 << 18);
  std::uint64_t bunches = 0, all_chosen = 0, near = 0;
  for (const auto& [telescopes, field] : {std::pair(4, 2e4), {60, 5e4}, {33, 1e5}, {1, 10.}, {500, 3e5}}) {
    make_scene(telescopes, field);
    chooser.set_geometry(geometry_, stream_);
    for (const int n : {kStretches, 1, 7}) {
      for (int s = 0; s < n; ++s) batch.segments()[s] = make_stretch();
      chooser.start(batch, n, {ring_, kRing}, stream_);
      std::vector<CandidateBunch> chosen;
      ASSERT_TRUE(batch.wait(chosen));
      ASSERT_TRUE(
          std::is_sorted(chosen.begin(), chosen.end(), [](const CandidateBunch& a, const CandidateBunch& b) {
            return std::pair(a.segment, a.bunch) < std::pair(b.segment, b.bunch);
          }));
      auto next = chosen.begin();
      for (int s = 0; s < n; ++s) {
        const StepSegment& segment = batch.segments()[s];
        for (int i = 0; i < segment.bunches; ++i, ++bunches) {
          const int bunch = segment.first + i;
          const double turns = azimuth(segment.first_azimuth_number + static_cast<std::uint64_t>(i));
          const bool taken = next != chosen.end() && next->segment == s && next->bunch == bunch;
          const Depth depth = inside(segment, bunch, turns);
          // In between either is right: the ring may rule out a step whose lines are within the uncertainty.
          ASSERT_TRUE(taken || depth.sphere < 0.2) << s << " " << bunch << " " << depth.sphere;
          ASSERT_TRUE(!taken || depth.widened > -0.2) << s << " " << bunch << " " << depth.widened;
          near += !taken && depth.widened > 0. ? 1 : 0;
          if (taken) {
            ASSERT_EQ(next->azimuth, turns);
            ++next;
          }
        }
      }
      ASSERT_EQ(next, chosen.end());
      all_chosen += chosen.size();
    }
  }
  EXPECT_GT(all_chosen, 20000U);
  EXPECT_LT(near, all_chosen / 20);
  EXPECT_LT(all_chosen, bunches / 2);
}

TEST_F(CudaChooser, ChoosesWhatTheCpuDoes) {
  constexpr int kStretches = 3000;
  cuda::Chooser chooser;
  cuda::Batch batch(kStretches, 1 << 18);
  make_scene(60, 5e4);
  chooser.set_geometry(geometry_, stream_);
  std::uint64_t position = 1000;
  for (int s = 0; s < kStretches; ++s) {
    StepSegment& segment = batch.segments()[s];
    segment = make_stretch();
    segment.first_azimuth_number = position;
    position += static_cast<std::uint64_t>(segment.bunches) + 3;
  }
  ASSERT_LT(position, kRing);
  chooser.start(batch, kStretches, {ring_, kRing}, stream_);
  std::vector<CandidateBunch> here, there;
  ASSERT_TRUE(batch.wait(there));
  choose_on_host({batch.segments(), kStretches}, {numbers_.data() + 1000, kRing - 1000}, 1000, geometry_,
                 here);
  const auto less = [](const CandidateBunch& a, const CandidateBunch& b) {
    return std::pair(a.segment, a.bunch) < std::pair(b.segment, b.bunch);
  };
  // The same but at the very edges, where sines are good to 2e-9 here.
  std::vector<CandidateBunch> different;
  std::set_symmetric_difference(here.begin(), here.end(), there.begin(), there.end(),
                                std::back_inserter(different), less);
  EXPECT_LE(different.size(), here.size() / 1000);
  EXPECT_GT(here.size(), 1000U);
}

TEST_F(CudaChooser, SaysWhereThereIsMoreThanItCanTell) {
  cuda::Chooser chooser;
  cuda::Batch batch(2000, 50);
  make_scene(4, 2e4);
  chooser.set_geometry(geometry_, stream_);
  for (int s = 0; s < 2000; ++s) batch.segments()[s] = make_stretch();
  chooser.start(batch, 2000, {ring_, kRing}, stream_);
  std::vector<CandidateBunch> chosen;
  EXPECT_FALSE(batch.wait(chosen));
  EXPECT_TRUE(chosen.empty());
}

TEST_F(CudaChooser, NoTelescopes) {
  cuda::Chooser chooser;
  cuda::Batch batch(10, 50);
  make_scene(4, 2e4);
  for (int s = 0; s < 10; ++s) batch.segments()[s] = make_stretch();
  const Plane plane = geometry_.plane;
  geometry_ = {};
  geometry_.plane = plane;
  chooser.set_geometry(geometry_, stream_);
  chooser.start(batch, 10, {ring_, kRing}, stream_);
  std::vector<CandidateBunch> chosen;
  EXPECT_TRUE(batch.wait(chosen));
  EXPECT_TRUE(chosen.empty());
}

}  // namespace
