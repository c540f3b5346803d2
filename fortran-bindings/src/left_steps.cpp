#include "left_steps.hpp"

#include <algorithm>

#include "corsika_runtime/message.hpp"

extern "C" void cherenkov_iact_counters(double** photons, double** bunches);

namespace cherenkov::corsika {

const char* option_of_bunches(int reason) {
  static const char* const kOptions[] = {"NOCLONG", "AUGCERLONG", "CEFFIC", "CERWLEN"};
  return reason >= 1 && reason <= 4 ? kOptions[reason - 1] : "unknown to it";
}

LeftSteps::LeftSteps(int reason)
    : bunch_by_bunch_(std::string("with option ") + option_of_bunches(reason) +
                      " it looks at single bunches of CORSIKA's loop; build without the option") {
  double* photons = nullptr;
  cherenkov_iact_counters(&photons, &bunches_);
}

void LeftSteps::add(const char* why, bool lit) {
  settle();
  if (lit) return count(why);
  why_ = why;
  before_ = *bunches_;
}

void LeftSteps::count(const char* why) {
  for (auto& [reason, steps] : by_reason_)
    if (reason == why) {
      ++steps;
      return;
    }
  by_reason_.emplace_back(why, 1);
}

void LeftSteps::say_if_most(std::uint64_t taken) {
  settle();
  std::uint64_t left = 0;
  for (const auto& [reason, steps] : by_reason_) left += steps;
  if (left <= taken) return;
  const auto most = std::max_element(by_reason_.begin(), by_reason_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  corsika_runtime::say("cherenkov: note: stage took %llu of %llu steps with light: %s",
                       static_cast<unsigned long long>(taken), static_cast<unsigned long long>(taken + left),
                       most->first);
}

}  // namespace cherenkov::corsika
