// The stage of one run of a program: which kind the environment asks for, how it is started, and what becomes
// of the bunches of CORSIKA's own loop. Calls CORSIKA's routines.
#pragma once

#include <map>

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/helper_thread.hpp"
#include "corsika_runtime/cherenkov/light_check.hpp"

namespace cherenkov::corsika {

/// What is said when a run ends of steps with light that CORSIKA's own loop did, and why. A step emits light
/// if the count of photons or bunches (of the event) changes while CORSIKA does it.
class LeftSteps {
 public:
  LeftSteps();

  /// CORSIKA is about to do a step. why: with what to change; its address tells reasons apart, and must stay.
  void add(const char* why);
  /// CORSIKA has done it. To be called before anything else adds bunches, and at an event's end.
  void settle() {
    if (why_ != nullptr && *photons_ + *bunches_ != before_) ++by_reason_[why_];
    why_ = nullptr;
  }
  /// Where the stage took fewer than half of the steps with light, says so in one line on standard error.
  /// taken: how many it took.
  void say_if_most(std::uint64_t taken);

 private:
  double *photons_ = nullptr, *bunches_ = nullptr;
  const char* why_ = nullptr;  // of the step under way
  double before_ = 0.;
  std::map<const char*, std::uint64_t> by_reason_;
};

/// Says in one line on standard error what differs, or why there can be no check, and ends the program with
/// status 1.
[[noreturn]] void end_check(const char* why) noexcept;

/// Whether there is to be a stage. by_bunch: the option because of which it looks at bunches of CORSIKA's
/// loop, or empty. Prints the line that says why not all light is the stage's.
bool is_stage_wanted(const std::string& by_bunch);

class Run {
 public:
  /// As the environment asks. by_bunch: the stage looks at bunches of CORSIKA's loop only. Reads CORSIKA's
  /// variables (corsika_variables.hpp).
  explicit Run(bool by_bunch);

  /// Whether the step in hand is to be checked. To be called once for each step that is not recorded, or
  /// where every step is checked.
  [[nodiscard]] bool is_checked_now() {
    if (check_ == nullptr || --next_check_ != 0) return false;
    next_check_ = asked_.check_every;
    return true;
  }

  /// As Emitter::left_to_corsika(), for a step that CORSIKA is about to do. why: as of LeftSteps::add(). w:
  /// of the particle.
  void left_to_corsika(const char* why, double w);
  [[nodiscard]] LeftSteps& left() { return left_; }

  /// Does a step that is not recorded for later, the only one of `one`. False where CORSIKA must do it.
  bool do_at_once(RecordedSteps& one);
  /// Before CORSIKA does a step that is checked; if later, it is step `place` of `steps`, else the only one.
  void begin_check(const StepFate& fate, bool later, RecordedSteps& steps, int place);
  /// Called when CORSIKA has done it. Throws CheckDifference.
  void end_check();

  /// Does recorded steps, or checks all of them, if it is their turn. With a helper thread they must be in
  /// next_chunk().
  void do_recorded(RecordedSteps& steps, int count);

  /// CORSIKA's own loop calls RAYBND: true where the bunch need not be refracted, and TELOUT only counts it.
  bool refract(const Bunch& bunch, double plane_height);
  /// It calls TELOUT.
  int collect(Arrival light);

  /// At the end of an event, when its steps are done.
  void end_event() {
    if (check_) check_->end_event();
    if (helper_) helper_->wait_for_start();
  }

  /// Starts the helper thread, if one is asked for and can be, and returns whether there is one; a line on
  /// standard error says why it cannot. why_not: a reason that is known already, or null.
  bool start_helper(const char* why_not);
  /// The chunk of `recorded` that steps are to be recorded in. do_recorded() and drain() change it.
  [[nodiscard]] RecordedSteps* next_chunk() const {
    return helper_ ? &helper_->next_chunk() : recorded.chunks;
  }
  /// Does what the helper thread was given.
  void drain();

  /// Whether CORSIKA's own code can take over after something has thrown.
  [[nodiscard]] bool can_hand_over() const {
    return emitter_.can_hand_over() && !skipping_ && !(helper_ && helper_->has_pending());
  }

  /// At the end of the program: the summary, if it is asked for, and a line where the stage took few steps.
  void print_end();

 private:
  void print_check() const;
  bool emit_one(Emitter& emitter, RecordedSteps& one, ObservationContext context);
  void do_in_corsika(const RecordedSteps& steps, int i);
  void refuse_horizontal(double w) const;
  // What becomes of a recorded step that the stage leaves to CORSIKA.
  void leave(const RecordedSteps& steps, int i);
  void check_recorded(RecordedSteps& steps, int count);

  const RequestedStage& asked_ = requested_stage();
  const bool by_bunch_;
  std::unique_ptr<LightCheck> check_;  // null where nothing is checked
  Emitter emitter_;                    // CORSIKA's; that of the copies is check_'s
  std::unique_ptr<HelperThread> helper_;
  LeftSteps left_;
  std::uint64_t next_check_ = 1;  // how many steps or calls ahead the next check is; 1: the next one
  bool checks_recorded_ = false;  // a step that is done later was checked
  bool is_checking_ = false;      // the step that CORSIKA does
  bool skipping_ = false;         // a bunch that is skipped is not yet counted
};

}  // namespace cherenkov::corsika
