#include "summary.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cherenkov_run.hpp"
#include "corsika_runtime/message.hpp"
#include "end_run.hpp"

extern "C" void cherenkov_iact_counters(double** photons, double** bunches);

namespace cherenkov::corsika {
namespace {

using corsika_runtime::say;
using Number = unsigned long long;

bool check_failed = false;

}  // namespace

LeftSteps::LeftSteps(const std::string& by_bunch)
    : bunch_by_bunch_("with option " + by_bunch +
                      " it looks at single bunches of CORSIKA's loop; build without the option") {
  double* photons = nullptr;
  cherenkov_iact_counters(&photons, &bunches_);
}

void LeftSteps::add(const char* why) {
  settle();
  why_ = why;
  before_ = *bunches_;
}

void LeftSteps::say_if_most(std::uint64_t taken) {
  settle();
  std::uint64_t left = 0;
  for (const auto& [reason, steps] : by_reason_) left += steps;
  if (left <= taken) return;
  const auto most = std::max_element(by_reason_.begin(), by_reason_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  say("cherenkov: note: stage took %llu of %llu steps with light: %s", Number{taken}, Number{taken + left},
      most->first);
}

void Run::print_end() {
  const char* asked = std::getenv("CHERENKOV_SUMMARY");
  if (check_ != nullptr)
    print_check();
  else if (asked != nullptr && *asked != '\0' && *asked != '0')
    print_summary();
  if (check_ == nullptr) left_.say_if_most(counts().steps);
}

void Run::print_check() const {
  if (check_failed) return;
  const CheckCounts& c = check_->counts();
  say("cherenkov: check equal: steps=%llu bunches=%llu hits=%llu candidates=%llu skipped=%llu own_loop=%llu "
      "each_bunch=%llu no_light=%llu one_bunch=%llu over_100=%llu several_bins=%llu near_threshold=%llu "
      "every=%llu recorded=%d threads=%d device=%d",
      Number{c.steps}, Number{c.bunches}, Number{c.hits}, Number{c.candidates}, Number{c.skipped},
      Number{c.own_loop}, Number{(pipeline_ ? pipeline_->counts() : check_->stage().counts()).each_bunch},
      Number{c.no_light}, Number{c.one_bunch}, Number{c.over_100}, Number{c.several_bins},
      Number{c.near_threshold}, Number{every_}, checks_recorded_ ? 1 : 0, pipeline_ ? 1 : 0,
      pipeline_ && pipeline_->has_device() ? 1 : 0);
}

void Run::print_summary() const {
  const Counts c = counts();
  char of_device[100] = "", of_helper[50] = "";
  if (pipeline_ && pipeline_->device_start_seconds() > 0.)
    std::snprintf(of_device, sizeof(of_device), " batches=%llu wait_s=%.6f start_s=%.3f",
                  Number{pipeline_->device_batches()}, pipeline_->device_wait_seconds(),
                  pipeline_->device_start_seconds());
  if (pipeline_)
    std::snprintf(of_helper, sizeof(of_helper), " threads=1 helper_s=%.3f", pipeline_->helper_seconds());
  say("cherenkov: backend=%s steps=%llu left_to_corsika=%llu bunches=%llu rings=%llu traced=%llu "
      "skipped=%llu maps=%llu%s%s",
      pipeline_ && pipeline_->has_device() ? "gpu" : "cpu", Number{c.steps}, Number{c.left_to_corsika},
      Number{c.bunches}, Number{c.near_telescopes}, Number{c.traced}, Number{c.skipped}, Number{c.maps},
      of_device, of_helper);
}

void end_check(const char* why) noexcept {
  check_failed = true;
  fortran_bindings::end_run("cherenkov", why);
}

}  // namespace cherenkov::corsika
