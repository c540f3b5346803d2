// ranmar-gpu-draw-cost: what a number costs that is drawn as CORSIKA draws it, from the CPU's windows and
// from a device's, in CPU time of the whole process and in wall time, in turns; and what a device's start
// costs. Intervals are 95%, of the median over turns.
//
//   ranmar-gpu-draw-cost [--numbers N] [--turns N]
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "corsika_runtime/generator/draw_path.hpp"
#include "support/statistics.hpp"

namespace {
using namespace ranmar::corsika;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double cpu = 0., wall = 0.;  // seconds
};

void print(const char* name, const std::vector<double>& values) {
  const support::Estimate e = support::bootstrap_median(values, 2000);
  std::printf("%s: %.4f ns a number (%.4f to %.4f)\n", name, e.value, e.low, e.high);
}

class Drawer {
 public:
  Drawer(double* pool, bool use_device) : pool_(pool) {
    settings_.use_device = use_device;
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

void run(int argc, char** argv) {
  double numbers = 2e7;
  int turns = 101;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--numbers" && i + 1 < argc) {
      numbers = std::atof(argv[++i]);
    } else if (option == "--turns" && i + 1 < argc) {
      turns = std::atoi(argv[++i]);
    } else {
      throw std::invalid_argument("usage: ranmar-gpu-draw-cost [--numbers N] [--turns N]");
    }
  }
  if (numbers < 1e6 || turns < 2) throw std::invalid_argument("too few numbers or turns");
  const auto bytes = static_cast<std::size_t>(kPoolNumbers) * sizeof(double);
  auto* cpu_pool = static_cast<double*>(std::aligned_alloc(4096, bytes));
  auto* device_pool = static_cast<double*>(std::aligned_alloc(4096, bytes));
  Drawer cpu(cpu_pool, false), device(device_pool, true);
  std::vector<double> cpu_ns[3], wall_ns[3];  // simd, cuda, difference
  for (int turn = 0; turn < turns; ++turn) {
    Cost cost[2];
    for (int i = 0; i < 2; ++i) {
      const int which = (turn + i) % 2;
      cost[which] = (which == 0 ? cpu : device).draw(static_cast<std::uint64_t>(numbers));
    }
    for (int which = 0; which < 3; ++which) {
      const double seconds_cpu = which < 2 ? cost[which].cpu : cost[1].cpu - cost[0].cpu;
      const double seconds_wall = which < 2 ? cost[which].wall : cost[1].wall - cost[0].wall;
      cpu_ns[which].push_back(1e9 * seconds_cpu / numbers);
      wall_ns[which].push_back(1e9 * seconds_wall / numbers);
    }
  }
  const char* const names[] = {"simd", "cuda", "cuda less simd"};
  for (int which = 0; which < 3; ++which) {
    print((std::string(names[which]) + ", CPU time").c_str(), cpu_ns[which]);
    print((std::string(names[which]) + ", wall time").c_str(), wall_ns[which]);
  }
  std::printf("%s\n%s\n", cpu.summary().c_str(), device.summary().c_str());
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
