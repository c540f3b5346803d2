// Progress of runs on standard error.
#include "overlay/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace overlay {
namespace {

std::string duration(double seconds) {
  const long s = std::lround(seconds);
  return s < 120 ? fmt::format("{} s", s) : fmt::format("{} min {:02d} s", s / 60, s % 60);
}

}  // namespace

Progress::Progress(std::map<std::string, int> planned)
    : planned_(std::move(planned)), start_(std::chrono::steady_clock::now()) {
  for (const auto& entry : planned_) total_ += entry.second;
}

void Progress::begin(const std::string& build, const std::string& what) {
  build_ = build;
  what_ = what;
  ++started_;
  if (int& planned = planned_[build]; ++begun_[build] > planned) {
    ++planned;
    ++total_;
  }
}

void Progress::end(double wall_s, double cpu_s) {
  ++done_[build_];
  spent_[build_] += wall_s;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  fmt::print(stderr, "overlay: run {}/{} {}: {:.2f} s (CPU {:.2f} s); {} elapsed, about {} left\n", started_,
             total_, what_, wall_s, cpu_s, duration(elapsed), duration(estimate_left_s()));
  std::fflush(stderr);
}

double Progress::estimate_left_s() const {
  double all = 0, left = 0;
  int runs = 0;
  for (const auto& [build, seconds] : spent_) {
    all += seconds;
    runs += done_.at(build);
  }
  for (const auto& [build, count] : planned_) {
    const auto done = done_.find(build);
    const int finished = done == done_.end() ? 0 : done->second;
    const double each = finished > 0 ? spent_.at(build) / finished : (runs > 0 ? all / runs : 0);
    left += each * std::max(0, count - finished);
  }
  return left;
}

}  // namespace overlay
