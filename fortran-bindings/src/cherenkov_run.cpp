#include "cherenkov_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/backend.hpp"
#include "end_run.hpp"

extern "C" {
void rmmard_(double* numbers, int* n, int* sequence);
// The IACT package's own, under the names that include/cherenkov_iact_names.h and cherenkov_atmo_names.h give
// them.
void cherenkov_stock_raybnd_(double* height, double* u, double* v, double* w, double* x, double* y,
                             double* t);
int cherenkov_stock_telout_(double* photons, double* weight, double* x, double* y, double* u, double* v,
                            double* t, double* height, double* wavelength);
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most);
void cherenkov_iact_counters(double** photons, double** bunches);
long cherenkov_iact_stored();
// Not there where the build has no option SLANT, and not called then.
__attribute__((weak)) double thcksi_(double* distance);
// Not there where THCKSI is CORSIKA's own.
__attribute__((weak)) double cherenkov_thcksi_beside(double* distance);
// Entries of this project's generator; not there where the program has CORSIKA's own.
__attribute__((weak)) void rnmskp_(const int* n, const int* sequence);
__attribute__((weak)) void rnmget_(const int* sequence, int* iseed);
__attribute__((weak)) void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed);
__attribute__((weak)) std::uint64_t ranmar_drawn_in_all();
// Linked where this tree is known or proven (cherenkov_proven.cpp).
__attribute__((weak)) extern const int cherenkov_proven_;
}

namespace cherenkov::corsika {
namespace {

// Chunks of a batch without a device: a millisecond of CORSIKA's thread. With one, kDeviceChunks:
// processes that share a device get a turn every 3 ms.
constexpr std::size_t kHelperChunks = 32;

const Routines& routines() {
  static const Routines all{rmmard_,
                            cherenkov_stock_raybnd_,
                            cherenkov_stock_telout_,
                            thcksi_,
                            cherenkov_iact_telescopes,
                            cherenkov_iact_counters,
                            rnmskp_,
                            rnmget_,
                            rnmexp_};
  return all;
}

const char* const kReasons[] = {"", "of option NOCLONG", "of option AUGCERLONG", "of option CEFFIC",
                                "of option CERWLEN"};
constexpr int kLastReason = 4;

Run* the_run = nullptr;
std::int32_t the_reason = 0;
bool check_failed = false;

unsigned long long number(std::uint64_t count) { return count; }

void print_summary_of_the_run() { the_run->print_summary(); }

}  // namespace

bool Run::is_wanted(std::int32_t reason) {
  the_reason = reason;
  const RequestedBackend requested = backend_at_start();
  if (requested == RequestedBackend::kOff) return false;
  const bool proven = &cherenkov_proven_ != nullptr && cherenkov_proven_ != 0;
  if (!proven && requested != RequestedBackend::kCheck && !unproven_allowed()) {
    std::fprintf(
        stderr,
        "cherenkov: the stage is off, because it was not proven on this tree; `overlay prove --cherenkov` "
        "does that; CORSIKA's own code goes on\n");
    return false;
  }
  if (reason != 0)
    std::fprintf(
        stderr,
        "cherenkov: CORSIKA's own loop goes on, and the stage looks at it bunch by bunch, because %s\n",
        reason >= 1 && reason <= kLastReason ? kReasons[reason] : "of an unknown option");
  return true;
}

Run* Run::create(const std::optional<CurvedVariables>& curved) {
  if (requested_backend() == RequestedBackend::kOff) return nullptr;
  the_run = new Run(curved);
  const char* asked = std::getenv("CHERENKOV_SUMMARY");
  if (the_run->check_ != nullptr || (asked != nullptr && *asked != '\0' && *asked != '0'))
    std::atexit(print_summary_of_the_run);
  cherenkov_looks_at_bunches = 1;
  return the_run;
}

Run::Run(const std::optional<CurvedVariables>& curved)
    : stage_(routines()), curved_(curved), whole_steps_(the_reason == 0) {
  if (requested_backend() != RequestedBackend::kCheck) return;
  if (rnmget_ == nullptr || rnmexp_ == nullptr || ranmar_drawn_in_all == nullptr)
    fortran_bindings::end_run("cherenkov",
                              "CHERENKOV_BACKEND=check needs this project's generator in the program");
  every_ = check_interval();
  check_ = std::make_unique<StepCheck>(
      CheckedRoutines{routines(), cherenkov_iact_stored, ranmar_drawn_in_all}, every_ > 1);
}

void Run::left_to_corsika() { stage_.left_to_corsika(); }

int Run::step(LightKind light, const Step& step, const ObservationContext& context) {
  if (check_ != nullptr) {
    if (--next_check_ == 0) {
      next_check_ = every_;
      stage_.left_to_corsika();
      StepCheck::Emit emit;
      if (whole_steps_)
        emit = [&](Stage& stage, const ObservationContext& copy) {
          if (light == LightKind::kOther) stage.left_to_corsika();
          return light == LightKind::kNone || (light == LightKind::kLinear && stage.emit(step, copy));
        };
      check_->begin(light, step, context, emit);
      checking_ = true;
      return -1;
    }
  }
  if (light == LightKind::kLinear && whole_steps_) return stage_.emit(step, context) ? 1 : 0;
  if (light == LightKind::kNone) return 1;
  stage_.left_to_corsika();
  return 0;
}

int Run::step(LightKind light, const Step& step, const ObservationContext& context,
              const std::function<bool(Stage&, const ObservationContext&)>& emit) {
  if (check_ != nullptr && --next_check_ == 0) {
    next_check_ = every_;
    stage_.left_to_corsika();
    check_->begin(light, step, context, [&](Stage& stage, const ObservationContext& copy) {
      if (light == LightKind::kOther) stage.left_to_corsika();
      return light == LightKind::kNone || (light == LightKind::kLinear && emit(stage, copy));
    });
    checking_ = true;
    return -1;
  }
  if (light == LightKind::kNone) return 1;
  if (light == LightKind::kLinear) return emit(stage_, context) ? 1 : 0;
  stage_.left_to_corsika();
  return 0;
}

int Run::step(LightKind light, const CurvedLoop& loop, const CurvedLight& curved, const Emission& emission,
              const ObservationContext& context) {
  // The quick way, of most steps.
  if (check_ == nullptr && light == LightKind::kLinear)
    return stage_.emit(loop, curved, emission, context) ? 1 : 0;
  return step(light, loop.step, context, [&](Stage& stage, const ObservationContext& its) {
    return stage.emit(loop, curved, emission, its);
  });
}

int Run::step(LightKind light, const WavelengthLoop& loop, const WavelengthBand& band,
              const Emission& emission, const ObservationContext& context) {
  return step(light, loop.step, context, [&](Stage& stage, const ObservationContext& its) {
    return stage.emit(loop, band, emission, its);
  });
}

int Run::step(LightKind light, const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
              const ObservationContext& context, double& last_number) {
  return step(light, loop.loop.step, context, [&](Stage& stage, const ObservationContext& its) {
    return stage.emit(loop, losses, emission, its, last_number);
  });
}

void Run::begin_check(const ChargedStep& charged, const Emission& emission, ObservationContext context,
                      const StepCheck::Emit& emit) {
  Step step{};
  const LightKind light = bunches_of(charged, emission, step);
  context.sin_particle = -step.sw;
  check_->begin(light, step, context, emit);
  checking_ = true;
}

void Run::begin_check(const ChargedStep& charged, bool dropped, const Emission& emission,
                      const ObservationContext& context) {
  checked_.set(0, charged);
  begin_check(charged, emission, context, [&](Stage& stage, const ObservationContext& copy) {
    bool taken = true;
    if (dropped) return true;
    checked_indices_.find(checked_, 1, emission, indices_of_checked_);
    stage.emit(checked_, indices_of_checked_, 1, emission, copy, [&taken](int) { taken = false; });
    return taken;
  });
}

void Run::check_recorded(const RecordedSteps& steps, int count, const Emission& emission,
                         const ObservationContext& context) {
  // What was recorded before is done, so nothing draws or adds light but the steps that are checked.
  index_finder_.find(steps, count, emission, indices_);
  int i = 0;
  const auto emit = [&](Stage& stage, const ObservationContext& copy) {
    if (i == 0) stage.plan(steps, indices_, count, emission, copy);
    return stage.emit_planned(steps, i, i + 1, copy) == i + 1;
  };
  for (; i < count; ++i) {
    stage_.left_to_corsika();
    begin_check(steps.step(i), emission, context, std::cref(emit));
    do_in_corsika(steps, i);
    end_checked_step();
  }
}

void Run::end_checked_step() {
  checking_ = false;
  check_->end();
}

void Run::say_no_device(const char* why) {
  if (requested_backend() == RequestedBackend::kDevice)
    std::fprintf(stderr, "cherenkov: no device, because %s; going on on the CPU\n", why);
}

void Run::start_helper(bool slant) {
  const bool device = requested_backend() == RequestedBackend::kDevice;
  if (helper_threads() == 0 && !device) return;
  const char* why = nullptr;
  if (check_ != nullptr)
    why = "steps are checked";
  else if (!slant || cherenkov_thcksi_beside == nullptr)
    why = "this program fills its longitudinal distribution in another way";
  else if (rnmskp_ == nullptr || rnmget_ == nullptr || rnmexp_ == nullptr)
    why = "the generator is CORSIKA's own";
  if (why != nullptr) {
    say_no_device(why);
    if (!device) std::fprintf(stderr, "cherenkov: no helper thread, because %s\n", why);
    return;
  }
  double none = 0.;
  thcksi_(&none);
  LightPipeline::StartDevice start_device;
  if (device) {
    // One batch after the other is given to the device. With CUDA's eight connections 16 processes that start
    // at once wait 2.7 times as long. Set before the stage's threads start: setenv() must not run beside
    // getenv(). Without effect where the generator has started CUDA.
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    start_device = [](std::span<std::byte> memory) {
      const char* name = std::getenv("RANMAR_DEVICE");
      return start_device_steps(name == nullptr ? "auto" : name, memory);
    };
  }
  LightPipeline::FindLoops loops_of;
  if (curved_)
    loops_of = [this](const RecordedSteps& steps, int count, const Emission& emission, CurvedLoop* loops) {
      find_loops(steps, count, emission, loops);
    };
  std::span<StepChunk> memory = chrste_.chunks;
  if (!device) memory = memory.first(2 * kHelperChunks);
  pipeline_ =
      std::make_unique<LightPipeline>(routines(), cherenkov_thcksi_beside, memory, loops_of, start_device);
  // Of a step that is left to CORSIKA every bunch is followed.
  cherenkov_looks_at_bunches = 0;
}

void Run::find_loops(const RecordedSteps& steps, int count, const Emission& emission, CurvedLoop* loops) {
  curved_loops_of(steps, count, {*curved_->earth_radius, *curved_->plane_height, 1., false}, emission,
                  last_index_, loops);
}

void Run::do_in_corsika(const RecordedSteps& steps, int i) const {
  double arguments[] = {steps.length[i],       steps.u[i],          steps.v[i],       steps.w[i],
                        steps.begin_energy[i], steps.end_energy[i], steps.x_begin[i], steps.y_begin[i],
                        steps.z_begin[i],      steps.x_end[i],      steps.y_end[i],   steps.z_end[i],
                        steps.begin_time[i],   steps.end_time[i],   steps.mass[i],    steps.charge[i],
                        steps.weight[i],       steps.cos_earth[i]};
  if (!curved_) return chrcal_(arguments);
  // CERENK of option CURVED reads DETSYS, and the next particle may have changed it. In the
  // detector's frame it does not read CTEA.
  const bool in_detector_frame = steps.cos_earth[i] == kInDetectorFrame;
  if (steps.cos_earth[i] == kWithoutEnd) {
    ChargedStep charged = steps.step(i);
    arguments[17] = find_end(charged, *curved_->earth_radius);
    arguments[9] = charged.x_end, arguments[10] = charged.y_end;
  }
  const std::int32_t now = std::exchange(*curved_->detsys, in_detector_frame ? 1 : 0);
  chrcal_(arguments);
  *curved_->detsys = now;
}

int Run::next_chunk() const {
  return pipeline_ ? static_cast<int>(&pipeline_->next_chunk() - chrste_.chunks) : 0;
}

void Run::drain() {
  if (pipeline_) pipeline_->drain([this](const RecordedSteps& steps, int i) { do_in_corsika(steps, i); });
}

void Run::do_recorded(const RecordedSteps& steps, int count, const Emission& emission,
                      const ObservationContext& context) {
  const auto corsika = [this](const RecordedSteps& recorded, int i) { do_in_corsika(recorded, i); };
  if (pipeline_) return pipeline_->add(count, emission, context, corsika);
  if (check_ != nullptr && --next_check_ == 0) {
    next_check_ = every_;
    return check_recorded(steps, count, emission, context);
  }
  index_finder_.find(steps, count, emission, indices_);
  stage_.emit(steps, indices_, count, emission, context, [&](int i) { do_in_corsika(steps, i); });
}

void Run::do_recorded(const RecordedSteps& steps, int count, const CurvedLight& light,
                      const Emission& emission, const ObservationContext& context) {
  if (pipeline_)
    return pipeline_->add(count, light, emission, context,
                          [this](const RecordedSteps& recorded, int i) { do_in_corsika(recorded, i); });
  find_loops(steps, count, emission, loops_);
  for (int i = 0; i < count; ++i)
    if (!stage_.emit(loops_[i], light, emission, context)) do_in_corsika(steps, i);
}

bool Run::refract(const Bunch& bunch, double plane_height) {
  if (checking_) return check_->refract(bunch);
  skipping_ = stage_.can_skip(bunch, plane_height);
  return skipping_;
}

int Run::collect(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                 double* height, double* wavelength) {
  if (checking_) return check_->collect(photons, weight, x, y, u, v, t, height, wavelength);
  if (!skipping_) return cherenkov_stock_telout_(photons, weight, x, y, u, v, t, height, wavelength);
  stage_.skip(*photons * *weight);
  skipping_ = false;
  return 0;
}

void Run::print_summary() const {
  if (check_ != nullptr) {
    if (check_failed) return;
    const CheckCounts& c = check_->counts();
    std::fprintf(stderr,
                 "cherenkov: check equal: steps=%llu bunches=%llu hits=%llu candidates=%llu skipped=%llu "
                 "own_loop=%llu each_bunch=%llu no_light=%llu one_bunch=%llu over_100=%llu several_bins=%llu "
                 "near_threshold=%llu "
                 "every=%llu\n",
                 number(c.steps), number(c.bunches), number(c.hits), number(c.candidates), number(c.skipped),
                 number(c.own_loop), number(c.each_bunch), number(c.no_light), number(c.one_bunch),
                 number(c.over_100), number(c.several_bins), number(c.near_threshold), number(every_));
    return;
  }
  const Counts& counts = pipeline_ ? pipeline_->counts() : stage_.counts();
  std::fprintf(stderr,
               "cherenkov: backend=%s steps=%llu left_to_corsika=%llu bunches=%llu "
               "rings=%llu traced=%llu skipped=%llu maps=%llu",
               pipeline_ && pipeline_->has_device() ? "gpu" : "cpu", number(counts.steps),
               number(counts.left_to_corsika), number(counts.bunches), number(counts.rings),
               number(counts.traced), number(counts.skipped), number(counts.maps));
  if (pipeline_) {
    if (pipeline_->device_start_seconds() > 0.)
      std::fprintf(stderr, " batches=%llu wait_s=%.6f start_s=%.3f", number(pipeline_->device_batches()),
                   pipeline_->device_wait_seconds(), pipeline_->device_start_seconds());
    std::fprintf(stderr, " threads=1 helper_s=%.3f", pipeline_->helper_seconds());
  }
  std::fprintf(stderr, "\n");
}

void end_check(const char* why) noexcept {
  check_failed = true;
  fortran_bindings::end_run("cherenkov", why);
}

}  // namespace cherenkov::corsika
