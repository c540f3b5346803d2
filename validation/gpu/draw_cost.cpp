// ranmar-gpu-draw-cost: what a number costs that is drawn as CORSIKA draws it, from the CPU's windows and from
// a device's, in CPU time of the whole process and in wall time; and from how many numbers on a device pays.
//
//   ranmar-gpu-draw-cost [--numbers N] [--repeats N]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "draw_path.hpp"

namespace {
using namespace ranmar::fortran;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double cpu = 0., wall = 0.;  // seconds
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Drawer {
 public:
  Drawer(double* pool, DeviceUse use) : pool_(pool) {
    settings_.device_use = use;
    path_ = std::make_unique<DrawPath>(common_, pool, settings_);
    path_->open(8);
    path_->seed(1, {54217137, 0, 0});
    draw(std::uint64_t{1} << 22);  // past the numbers after which a device is started
  }

  // One at a time, each used.
  Cost draw(std::uint64_t numbers) {
    const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    Window& window = common_.window[0];
    double sum = 0., slow = 0.;
    for (std::uint64_t i = 0; i < numbers; ++i) {
      if (window.pos < window.end) {
        sum += pool_[window.pos];
        ++window.pos;
      } else {
        path_->draw(&slow, 1, 1);
        sum += slow;
      }
    }
    sum_ = sum_ + sum;
    return {seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds(CLOCK_MONOTONIC) - wall};
  }

  [[nodiscard]] std::string summary() { return path_->summary(); }

 private:
  double* pool_;
  DrawCommon common_{{}, 1, 0};
  Settings settings_;
  std::unique_ptr<DrawPath> path_;
  volatile double sum_ = 0.;
};

// As RANMAR_BACKEND=auto judges it.
std::string judged(double* pool) {
  DrawCommon common{{}, 1, 0};
  Settings settings;
  settings.device_use = DeviceUse::kIfCheaper;
  settings.trial_from = settings.device_from;
  DrawPath path(common, pool, settings);
  path.open(8);
  path.seed(1, {54217137, 0, 0});
  std::vector<double> some(1 << 16);
  for (int i = 0; i < 1000; ++i) path.draw(some.data(), static_cast<std::int32_t>(some.size()), 1);
  return path.summary();
}

void run(int argc, char** argv) {
  double numbers = 2e8;
  int repeats = 11;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--numbers" && i + 1 < argc) {
      numbers = std::atof(argv[++i]);
    } else if (option == "--repeats" && i + 1 < argc) {
      repeats = std::atoi(argv[++i]);
    } else {
      throw std::invalid_argument("usage: ranmar-gpu-draw-cost [--numbers N] [--repeats N]");
    }
  }
  if (numbers < 1e6 || repeats < 1) throw std::invalid_argument("too few numbers or repeats");
  const auto bytes = static_cast<std::size_t>(kPoolNumbers) * sizeof(double);
  auto* cpu_pool = static_cast<double*>(std::aligned_alloc(4096, bytes));
  auto* device_pool = static_cast<double*>(std::aligned_alloc(4096, bytes));
  Drawer cpu(cpu_pool, DeviceUse::kNever), device(device_pool, DeviceUse::kAlways);
  std::vector<double> ns[4];
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Drawer* const drawers[] = {&cpu, &device};
    for (int which = 0; which < 2; ++which) {
      const Cost cost = drawers[which]->draw(static_cast<std::uint64_t>(numbers));
      ns[2 * which].push_back(1e9 * cost.cpu / numbers);
      ns[2 * which + 1].push_back(1e9 * cost.wall / numbers);
    }
  }
  const char* const names[] = {"simd CPU", "simd wall", "cuda CPU", "cuda wall"};
  for (int i = 0; i < 4; ++i) {
    const auto [low, high] = std::minmax_element(ns[i].begin(), ns[i].end());
    std::printf("%s: %.4f ns a number (%.4f to %.4f)\n", names[i], median(ns[i]), *low, *high);
  }
  std::printf("%s\n%s\n", cpu.summary().c_str(), device.summary().c_str());
  std::printf("%s\n", judged(cpu_pool).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ranmar-gpu-draw-cost: error: %s\n", e.what());
    return 1;
  }
  return 0;
}
