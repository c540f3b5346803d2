// What is said when a run ends: of steps with light that CORSIKA's own loop did, and why, and of a check that
// failed. (Run::print_end(), the summary, is in summary.cpp, too.)
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace cherenkov::corsika {

/// A step emits light if the IACT package's count of bunches (of the event) changes while CORSIKA does it.
class LeftSteps {
 public:
  /// by_bunch: as of Run.
  explicit LeftSteps(const std::string& by_bunch);

  /// The reason where the stage looks at bunches only.
  [[nodiscard]] const char* bunch_by_bunch() const { return bunch_by_bunch_.c_str(); }

  /// CORSIKA is about to do a step. why: with what to change; its address tells reasons apart, and must stay.
  void add(const char* why);
  /// CORSIKA has done it. To be called before anything else adds bunches, and at an event's end.
  void settle() {
    if (why_ != nullptr && *bunches_ != before_) ++by_reason_[why_];
    why_ = nullptr;
  }
  /// Where the stage took fewer than half of the steps with light, says so in one line on standard error.
  /// taken: how many it took.
  void say_if_most(std::uint64_t taken);

 private:
  std::string bunch_by_bunch_;
  double* bunches_ = nullptr;
  const char* why_ = nullptr;  // of the step under way
  double before_ = 0.;
  std::map<const char*, std::uint64_t> by_reason_;
};

/// Says in one line on standard error what differs, or why there can be no check, and ends the program with
/// status 1.
[[noreturn]] void end_check(const char* why) noexcept;

}  // namespace cherenkov::corsika
