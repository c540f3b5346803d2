// What is printed when a run ends: the summary of the stage or of a check, and the line about steps that were
// left.
#include <cstdio>
#include <cstdlib>

#include "cherenkov_run.hpp"
#include "corsika_runtime/message.hpp"
#include "end_run.hpp"

namespace cherenkov::corsika {
namespace {

using corsika_runtime::say;

bool check_failed = false;

unsigned long long number(std::uint64_t count) { return count; }

}  // namespace

void Run::print_end() {
  const char* asked = std::getenv("CHERENKOV_SUMMARY");
  if (check_ != nullptr || (asked != nullptr && *asked != '\0' && *asked != '0')) print_summary();
  if (check_ == nullptr) left_.say_if_most((pipeline_ ? pipeline_->counts() : stage_.counts()).steps);
}

void Run::print_summary() const {
  if (check_ != nullptr) {
    if (check_failed) return;
    const bool recorded = recorded_check_ && recorded_check_->counts().steps != 0;
    const CheckCounts& c = recorded ? recorded_check_->counts() : check_->counts();
    const Counts& of_stage = pipeline_ ? pipeline_->counts() : stage_.counts();
    say("cherenkov: check equal: steps=%llu bunches=%llu hits=%llu candidates=%llu skipped=%llu "
        "own_loop=%llu each_bunch=%llu no_light=%llu one_bunch=%llu over_100=%llu several_bins=%llu "
        "near_threshold=%llu every=%llu recorded=%d threads=%d device=%d",
        number(c.steps), number(c.bunches), number(c.hits), number(c.candidates), number(c.skipped),
        number(c.own_loop), number(recorded ? of_stage.each_bunch : c.each_bunch), number(c.no_light),
        number(c.one_bunch), number(c.over_100), number(c.several_bins), number(c.near_threshold),
        number(every_), recorded ? 1 : 0, pipeline_ ? 1 : 0, pipeline_ && pipeline_->has_device() ? 1 : 0);
    return;
  }
  const Counts& counts = pipeline_ ? pipeline_->counts() : stage_.counts();
  char of_device[100] = "", of_helper[50] = "";
  if (pipeline_ && pipeline_->device_start_seconds() > 0.)
    std::snprintf(of_device, sizeof(of_device), " batches=%llu wait_s=%.6f start_s=%.3f",
                  number(pipeline_->device_batches()), pipeline_->device_wait_seconds(),
                  pipeline_->device_start_seconds());
  if (pipeline_)
    std::snprintf(of_helper, sizeof(of_helper), " threads=1 helper_s=%.3f", pipeline_->helper_seconds());
  say("cherenkov: backend=%s steps=%llu left_to_corsika=%llu bunches=%llu rings=%llu traced=%llu "
      "skipped=%llu "
      "maps=%llu%s%s",
      pipeline_ && pipeline_->has_device() ? "gpu" : "cpu", number(counts.steps),
      number(counts.left_to_corsika), number(counts.bunches), number(counts.near_telescopes), number(counts.traced),
      number(counts.skipped), number(counts.maps), of_device, of_helper);
}

void end_check(const char* why) noexcept {
  check_failed = true;
  fortran_bindings::end_run("cherenkov", why);
}

}  // namespace cherenkov::corsika
