#include "cherenkov_run.hpp"

#include <malloc.h>

#include "corsika_runtime/environment.hpp"
#include "corsika_runtime/message.hpp"
#include "corsika_variables.hpp"
#include "end_run.hpp"

extern "C" {
void rmmard_(double* numbers, int* n, int* sequence);
// The IACT package's own, under the names that include/cherenkov_iact_names.h and cherenkov_atmo_names.h give
// them.
void cherenkov_stock_raybnd_(double* height, double* u, double* v, double* w, double* x, double* y,
                             double* t);
// Not there where the package keeps its TELOUT (cherenkov_iact_names.h), and not called then.
__attribute__((weak)) int cherenkov_stock_telout_(double* photons, double* weight, double* x, double* y,
                                                  double* u, double* v, double* t, double* height,
                                                  double* wavelength);
// Not there where the build has no option IACT, and not called then.
__attribute__((weak)) int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact,
                                                    int most);
__attribute__((weak)) void cherenkov_iact_counters(double** photons, double** bunches);
__attribute__((weak)) long cherenkov_iact_stored();
// Not there where the build has no option SLANT, and not called then.
__attribute__((weak)) double thcksi_(double* distance);
// Not there where THCKSI is CORSIKA's own.
__attribute__((weak)) int cherenkov_thcksi_is_ours();
// Entries of this project's generator; not there where the program has CORSIKA's own.
__attribute__((weak)) void rnmskp_(const int* n, const int* sequence);
__attribute__((weak)) void rnmget_(const int* sequence, int* iseed);
__attribute__((weak)) void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed);
__attribute__((weak)) std::uint64_t ranmar_drawn_in_all();
}

namespace cherenkov::corsika {
namespace {

using corsika_runtime::say;
using fortran_bindings::end_run;

bool check_failed = false;

// Chunks of a batch without a device: a millisecond of CORSIKA's thread. With one, kDeviceChunks:
// processes that share a device get a turn every 3 ms.
constexpr std::size_t kHelperChunks = 32;

int telout(Arrival& light) {
  auto& [photons, weight, x, y, u, v, time, height, wavelength] = light;
  return cherenkov_stock_telout_(&photons, &weight, &x, &y, &u, &v, &time, &height, &wavelength);
}

long written = 0;  // bunches that hit CORSIKA's own detectors

int outpt2(Arrival& light) {
  *var.hit[0] = light[0];
  for (std::size_t i = 1; i < std::size(var.hit); ++i) *var.hit[i] = light[i + 1];
  const std::int32_t first = 1;
  chrout_(&first);
  ++written;
  return 0;
}

Routines all_routines() {
  Routines all{rmmard_,
               cherenkov_stock_raybnd_,
               telout,
               thcksi_,
               cherenkov_iact_telescopes,
               cherenkov_iact_counters,
               rnmskp_,
               rnmget_,
               rnmexp_,
               ranmar_drawn_in_all,
               cherenkov_iact_stored};
  if (!has_grid()) return all;
  all.collect = outpt2, all.telescopes = nullptr, all.stored = [] { return written; };
  all.counters = [](double** photons, double** bunches) { *photons = var.cerele, *bunches = var.cerhad; };
  return all;
}

// Why there can be no helper thread; null where there can.
const char* why_no_helper() {
  const bool slant = var.kind == static_cast<int>(DepthProfile::Kind::kSlant);
  double none = 0.;
  if (slant) thcksi_(&none);  // after which it is known whose THCKSI is
  if (requested_stage().check_every > 1) return "only some steps are checked";
  if (has_grid()) return "without IACT all light is for CORSIKA's thread";
  if (!slant || cherenkov_thcksi_is_ours == nullptr || (*var.llongi != 0 && cherenkov_thcksi_is_ours() == 0))
    return "this program fills its longitudinal distribution in another way";
  return nullptr;
}

}  // namespace

bool is_stage_wanted(const std::string& by_bunch) {
  const RequestedStage& asked = requested_stage();
  if (asked.is_off) return false;
  if (asked.check_every == 0 && !stage_is_trusted()) {
    say("cherenkov: the stage is off, because it was not proven on this tree; `overlay prove --cherenkov` "
        "does that; CORSIKA's own code goes on");
    return false;
  }
  if (!by_bunch.empty())
    say("cherenkov: CORSIKA's own loop goes on, and the stage looks at it bunch by bunch, because of option "
        "%s",
        by_bunch.c_str());
  return true;
}

Run::Run(bool by_bunch)
    : by_bunch_(by_bunch),
      check_(asked_.checks_any() ? std::make_unique<LightCheck>(all_routines(), !asked_.checks_every_step())
                                 : nullptr),
      emitter_(all_routines()) {
  if (check_ && ranmar_drawn_in_all == nullptr)
    end_run("cherenkov", "CHERENKOV_BACKEND=check needs this project's generator in the program");
}

// CERENK of option UPWARD takes for a horizontal particle what it computed for a step before, which the stage
// may have done.
void Run::refuse_horizontal(double w) const {
  if (var.upward != 0 && !is_curved() && w == 0. && !asked_.checks_every_step() &&
      emitter_.counts().steps != 0)
    end_run("cherenkov",
            "a particle flies exactly horizontally, which the stage cannot do with UPWARD; run with "
            "CHERENKOV_BACKEND=off");
}

void Run::left_to_corsika(const char* why, double w) {
  refuse_horizontal(w);
  if (!by_bunch_) emitter_.left_to_corsika();  // else it looks at each bunch
  left_.add(why);
}

bool Run::emit_one(Emitter& emitter, RecordedSteps& one, ObservationContext context) {
  if (const LightOption* option = light_option(); option != nullptr) {
    set_straight(one, 0, context);
    return emitter.emit(*option, emission(), context);
  }
  bool done = true;
  emitter.emit(one, 1, emission(), context, [&](int) { done = false; });
  return done;
}

bool Run::do_at_once(RecordedSteps& one) {
  const bool done = emit_one(emitter_, one, surroundings());
  if (!done) left_.add(emitter_.why_left());
  return done;
}

void Run::begin_check(const StepFate& fate, bool later, RecordedSteps& steps, int place) {
  const ObservationContext context = surroundings();
  is_checking_ = true;
  checks_recorded_ = later;
  if (later) return check_->begin_step(fate, &steps, place, context);
  refuse_horizontal(steps.w[place]);
  emitter_.left_to_corsika();
  check_->begin_at_once(fate, context, [&](Emitter& emitter, const ObservationContext& copy) {
    return emit_one(emitter, steps, copy);
  });
}

// What was recorded before is done, so nothing draws or adds light but the steps that are checked.
void Run::check_recorded(RecordedSteps& steps, int count) {
  const Emission light = emission();
  const ObservationContext context = surroundings();
  LastIndex last;
  find_indices(steps, count, light, context, last);
  for (int i = 0; i < count; ++i) {
    emitter_.left_to_corsika();
    StepFate fate{StepFate::kTaken, nullptr, LightKind::kOther, {}};
    fate.light = light_of(steps.step(i), light, fate.step);
    is_checking_ = true;
    check_->begin_at_once(fate, context, [&](Emitter& emitter, ObservationContext copy) {
      if (i == 0) emitter.plan(steps, count, light, copy);
      return emitter.emit_planned(steps, i, i + 1, copy) == i + 1;
    });
    do_in_corsika(steps, i);
    end_check();
  }
}

void Run::end_check() {
  is_checking_ = false;
  check_->end_step();
}

bool Run::start_helper(const char* why_not) {
  const bool device = asked_.device;
  if (!asked_.helper_thread && !device) return false;
  if (why_not == nullptr) why_not = why_no_helper();
  if (why_not != nullptr) {
    if (device)
      say("cherenkov: no device, because %s; going on on the CPU", why_not);
    else
      say("cherenkov: no helper thread, because %s", why_not);
    return false;
  }
  HelperThread::StartDevice start_device;
  std::span<RecordedSteps> memory = recorded.chunks;
  if (device) {
    // One batch after the other is given to the device. With CUDA's eight connections 16 processes that start
    // at once wait 2.7 times as long. Set before the stage's threads start: setenv() must not run beside
    // getenv(). Without effect where the generator has started CUDA.
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    start_device = [](std::span<std::byte> its_memory) {
      corsika_runtime::require_standard_streams();
      return start_device_steps(std::string(corsika_runtime::environment("RANMAR_DEVICE")), its_memory);
    };
  } else {
    memory = memory.first(2 * kHelperChunks);
    // With memory of its own the thread would reserve 128 MiB of addresses.
    mallopt(M_ARENA_MAX, 1);
  }
  try {
    const Routines all = all_routines();
    helper_ =
        std::make_unique<HelperThread>(all, asked_.checks_every_step() ? check_->target() : target_of(all),
                                       memory, is_curved(), start_device);
  } catch (const std::exception& e) {
    say("cherenkov: no helper thread%s: %s; the stage goes on alone, on CORSIKA's thread",
        device ? " and no device" : "", e.what());
    return false;
  }
  // Of a step that is left to CORSIKA every bunch is followed.
  if (!asked_.checks_any()) cherenkov_looks_at_bunches = 0;
  return true;
}

void Run::do_in_corsika(const RecordedSteps& steps, int i) {
  left_.add(helper_ ? helper_->why_left() : emitter_.why_left());
  ChargedStep step = steps.step(i);
  double cos_earth = steps.cos_earth[i];
  if (is_curved() && steps.cos_earth[i] == kWithoutEnd) cos_earth = find_end(step, var.c[0]);
  // CERENK of option CURVED reads DETSYS, and the next particle may have changed it. In the
  // detector's frame it does not read CTEA.
  const bool in_detector_frame = steps.cos_earth[i] == kInDetectorFrame;
  refuse_horizontal(steps.w[i]);
  std::int32_t none = 0, &detsys = is_curved() ? *var.detsys : none;
  const std::int32_t now = std::exchange(detsys, in_detector_frame ? 1 : 0);
  const double* a = &step.length;
  chrcer_(a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12, a + 13,
          a + 14, a + 15, a + 16, &cos_earth);
  detsys = now;
  left_.settle();
}

void Run::leave(const RecordedSteps& steps, int i) {
  if (asked_.checks_every_step())
    check_->left_to_corsika(&steps, i);
  else
    do_in_corsika(steps, i);
}

void Run::drain() {
  if (helper_) helper_->drain([this](const RecordedSteps& steps, int i) { leave(steps, i); });
  if (asked_.checks_every_step()) check_->compare();
}

void Run::do_recorded(RecordedSteps& steps, int count) {
  if (!asked_.checks_every_step() && is_checked_now()) return check_recorded(steps, count);
  const ObservationContext its =
      asked_.checks_every_step() ? check_->on_copies(surroundings()) : surroundings();
  if (helper_)
    helper_->add(count, emission(), its, [this](const RecordedSteps& from, int i) { leave(from, i); });
  else
    (asked_.checks_every_step() ? check_->emitter() : emitter_)
        .emit(steps, count, emission(), its, [&](int i) { leave(steps, i); });
  if (asked_.checks_every_step() && (!helper_ || check_->is_full())) drain();
}

bool Run::refract(const Bunch& bunch, double plane_height) {
  if (is_checking_) return !helper_ && check_->refract(bunch);
  if (asked_.checks_every_step()) return false;  // the steps are CORSIKA's
  skipping_ = emitter_.event().can_skip(bunch, plane_height);
  return skipping_;
}

int Run::collect(Arrival light) {
  if (is_checking_) return check_->collect(light);
  if (!skipping_) return has_grid() ? outpt2(light) : telout(light);
  emitter_.skip(light[0] * light[1]);
  skipping_ = false;
  return 0;
}

LeftSteps::LeftSteps() { all_routines().counters(&photons_, &bunches_); }

void LeftSteps::add(const char* why) {
  settle();
  why_ = why;
  before_ = *photons_ + *bunches_;
}

void LeftSteps::say_if_most(std::uint64_t taken) {
  settle();
  std::uint64_t left = 0;
  for (const auto& [reason, steps] : by_reason_) left += steps;
  if (left <= taken) return;
  const auto most = std::ranges::max_element(by_reason_, {}, &decltype(by_reason_)::value_type::second);
  say("cherenkov: note: stage took %lu of %lu steps with light: %s", taken, taken + left, most->first);
}

void Run::print_end() {
  if (check_ != nullptr) return print_check();
  const Counts c = helper_ ? helper_->counts() : emitter_.counts();
  if (corsika_runtime::is_on(corsika_runtime::environment("CHERENKOV_SUMMARY")))
    say("cherenkov: backend=%s steps=%lu left_to_corsika=%lu bunches=%lu near_telescopes=%lu traced=%lu "
        "skipped=%lu maps=%lu%s",
        helper_ && helper_->has_device() ? "gpu" : "cpu", c.steps, c.left_to_corsika, c.bunches,
        c.near_telescopes, c.traced, c.skipped, c.maps, helper_ ? helper_->summary().c_str() : "");
  left_.say_if_most(c.steps);
}

void Run::print_check() const {
  if (check_failed) return;
  const CheckCounts& c = check_->counts();
  say("cherenkov: check equal: steps=%lu bunches=%lu hits=%lu candidates=%lu skipped=%lu own_loop=%lu "
      "each_bunch=%lu no_light=%lu one_bunch=%lu over_100=%lu several_bins=%lu near_threshold=%lu "
      "every=%lu recorded=%d threads=%d device=%d",
      c.steps, c.bunches, c.hits, c.candidates, c.skipped, c.own_loop,
      (helper_ ? helper_->counts() : check_->emitter().counts()).each_bunch, c.no_light, c.one_bunch,
      c.over_100, c.several_bins, c.near_threshold, asked_.check_every, checks_recorded_ ? 1 : 0,
      helper_ ? 1 : 0, helper_ && helper_->has_device() ? 1 : 0);
}

void end_check(const char* why) noexcept {
  check_failed = true;
  end_run("cherenkov", why);
}

}  // namespace cherenkov::corsika
