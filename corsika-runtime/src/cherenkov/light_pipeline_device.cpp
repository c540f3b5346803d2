// The part of the pipeline that uses a device. All but start() is done by the thread that emits.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "corsika_runtime/cherenkov/light_pipeline.hpp"
#include "corsika_runtime/message.hpp"
#include "kept_floating_point_state.hpp"
#include "stage_limits.hpp"
#include "step_verdict.hpp"

namespace cherenkov::corsika {
namespace {

// For fewer steps the CPU does not wait for the device.
constexpr int kLeastDeviceSteps = 1024;
constexpr std::size_t kStepRows = sizeof(RecordedSteps) / sizeof(RecordedSteps::length);

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void LightPipeline::start(const StartDevice& start_device) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    started_ = start_device(is_curved_ ? std::as_writable_bytes(std::span(loops_memory_))
                                       : std::as_writable_bytes(memory_));
  } catch (const std::exception& e) {
    corsika_runtime::say("cherenkov: no device: %s; going on on the CPU", e.what());
    return;
  }
  device_start_seconds_ = seconds_since(begin);
  device_ready_ = true;
}

void LightPipeline::wait_for_start() {
  if (starter_.joinable()) starter_.join();
}

bool LightPipeline::take_device() {
  if (device_ready_.exchange(false)) device_ = std::move(started_);
  return device_ != nullptr;
}

// False where nothing was done, because there is no device, or no longer, or the batch is short, or one of
// its chunks but the last is not full.
bool LightPipeline::try_emit_with_device(Batch& batch) {
  const auto full = batch.counts.begin() + batch.chunks - 1;
  const int count = (batch.chunks - 1) * kChunkSteps + *full;
  if (!prepared_ || (is_curved_ && emission_.air == nullptr) || count < kLeastDeviceSteps ||
      std::any_of(batch.counts.begin(), full, [](int steps) { return steps < kChunkSteps; }) ||
      bunches_copy_ == 0. || !take_device())
    return false;
  // CORSIKA's thread does the last batch before a drain().
  const KeptFloatingPointState kept;
  if (!is_curved_ && !std::exchange(index_table_tried_, true)) index_table_ = IndexTable::of(emission_);
  if (!is_curved_ && !index_table_) find_indices(batch);
  AnsweredSteps answered{};
  try {
    answered = ask_device(batch, count);
  } catch (const std::exception& e) {
    corsika_runtime::say("cherenkov: %s; going on on the CPU", e.what());
    device_.reset();
    return false;
  }
  if (is_curved_)
    emit_curved_answered(batch, answered);
  else
    emit_answered(batch, answered);
  return true;
}

void LightPipeline::begin_event_on_device() {
  const DepthProfile& profile = context_.profile;
  const Plane plane = stage_.plane_of(context_);
  if (is_curved_) {
    const std::vector<DistanceRange> bins =
        context_.fill_profile ? profile.curved_bins(thickness_) : std::vector<DistanceRange>{};
    device_->begin_event(CurvedEventSettings{
        emission_.cut_w, plane, profile.axis(), context_.curved->earth_radius, &stage_.spheres(),
        &stage_.curved_arrival(), emission_.air, bins.data(), static_cast<int>(bins.size())});
    return;
  }
  device_->begin_event(EventSettings{{emission_.cut_w, emission_.yield, emission_.bunch_size, plane,
                                      profile.along_x, profile.along_y, profile.along_z, profile.start},
                                     &stage_.spheres(),
                                     &stage_.refraction(),
                                     profile.edge,
                                     context_.fill_profile ? profile.bins : 0,
                                     index_table_ ? &*index_table_ : nullptr});
}

AnsweredSteps LightPipeline::ask_device(const Batch& batch, int count) {
  const DepthProfile& profile = context_.profile;
  const int bins = context_.fill_profile ? profile.bins : 0;
  if (!device_knows_event_) begin_event_on_device();
  device_knows_event_ = true;
  bin_powers_.assign(static_cast<std::size_t>(bins) + 1, 0.);
  for (int bin = 1; bin <= bins; ++bin)
    bin_powers_[static_cast<std::size_t>(bin)] = power_of_sum(profile.photons[bin]);
  const double total_power = power_of_sum(photons_copy_);
  if (is_curved_)
    device_->submit(batch.loops.data(), count, total_power, bin_powers_.data());
  else
    device_->submit(batch.chunk.data(), count, total_power, bin_powers_.data());
  const auto begin = std::chrono::steady_clock::now();
  const AnsweredSteps answered = device_->wait();
  device_wait_seconds_ += seconds_since(begin);
  ++device_batches_;
  return answered;
}

void LightPipeline::emit_answered(Batch& batch, const AnsweredSteps& answered) {
  gathered_count_ = gathered_next_ = 0;
  const int count = static_cast<int>(answered.answers.size());
  int ahead = 0;  // what is to be read up to there is on its way to the near caches
  for (int i = 0; (i = add_unseen_steps(answered, i)) < count; ++i) {
    const StepAnswer& answer = answered.answers[static_cast<std::size_t>(i)];
    const StepChunk& chunk = batch.chunk[static_cast<std::size_t>(i / kChunkSteps)];
    const int own = i % kChunkSteps;
    if (answer.verdict == Verdict::kUnseen) {
      const Stage::SumsOfStep sums = sums_at(batch, i, answered);
      stage_.add_unseen(answer.bunches, sums.total, sums.bin, sums.in_bin, context_);
      continue;
    }
    if (answer.verdict == Verdict::kDetailed) {
      ahead = prefetch_details(batch, answered, std::max(ahead, i + 1));
      stage_.emit_detailed(answered, static_cast<std::size_t>(i), chunk.steps, own, context_);
      continue;
    }
    if (gathered_next_ == gathered_count_) gather(batch, answered, i);
    const int gathered = gathered_next_++;
    if (stage_.emit_planned(gathered_, gathered, gathered + 1, context_) == gathered + 1) continue;
    batch.is_stopped = true;
    batch.is_planned = false;
    batch.stopped_chunk = i / kChunkSteps;
    batch.stopped_step = own;
    return;
  }
}

// Fetches the next step of kDetailed from `first` on. Returns its number plus 1.
int LightPipeline::prefetch_details(const Batch& batch, const AnsweredSteps& answered, int first) {
  const int count = static_cast<int>(answered.answers.size());
  for (int i = first; i < count; ++i) {
    if (answered.answers[static_cast<std::size_t>(i)].verdict != Verdict::kDetailed) continue;
    const StepDetails& details = answered.details[static_cast<std::size_t>(i)];
    const RecordedSteps& steps = batch.chunk[static_cast<std::size_t>(i / kChunkSteps)].steps;
    __builtin_prefetch(&details.sectors);
    __builtin_prefetch(&details.z);
    __builtin_prefetch(&details.next_bin);
    __builtin_prefetch(steps.begin_time + i % kChunkSteps);
    __builtin_prefetch(steps.end_time + i % kChunkSteps);
    return i + 1;
  }
  return count;
}

// Adds the light of the steps from i on that no telescope sees, up to the first one that needs more.
int LightPipeline::add_unseen_steps(const AnsweredSteps& answered, int i) {
  const int end = static_cast<int>(answered.answers.size());
  std::uint64_t steps = 0, bunches = 0, drawn = 0;
  double* const profile = context_.profile.photons;
  const double power = power_of_sum(photons_copy_);
  // Nothing is below a limit that is not a number.
  const double limit = power == answered.total_power || power == 2. * answered.total_power ? 2. * power : NAN;
  const auto terms = power == answered.total_power ? &SumTerms::at_power : &SumTerms::at_twice;
  double total = photons_copy_;
  for (; i < end; ++i) {
    const StepAnswer& answer = answered.answers[static_cast<std::size_t>(i)];
    if (answer.verdict == Verdict::kNone) continue;
    const double with_step = total + answer.total.*terms;
    if (answer.verdict != Verdict::kUnseen || !(with_step < limit)) break;
    if (answer.bin != 0) {
      double& own = profile[answer.bin];
      const double in_bin = answer.in_bin.added_to(own, answered.bin_powers[answer.bin]);
      if (std::isnan(in_bin)) break;
      own = in_bin;
    }
    total = with_step;
    ++steps;
    bunches += static_cast<std::uint64_t>(answer.bunches);
    drawn += static_cast<std::uint64_t>(azimuths_drawn(answer.bunches));
  }
  photons_copy_ = total;
  sequence_->step_over(drawn);
  stage_.count_unseen(steps, bunches);
  return i;
}

void LightPipeline::emit_curved_answered(Batch& batch, const AnsweredSteps& answered) {
  for (int i = 0; i < static_cast<int>(answered.answers.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (try_add(answered.answers[k], answered) || stage_.emit(batch.loops[k], emission_, context_)) continue;
    batch.is_stopped = true;
    batch.stopped_chunk = i / kChunkSteps;
    batch.stopped_step = i % kChunkSteps;
    return;
  }
}

// Adds the light of a step that no telescope sees. False, and nothing is done, where it is not known.
bool LightPipeline::try_add(const StepAnswer& answer, const AnsweredSteps& answered) {
  if (answer.verdict != Verdict::kUnseen) return false;
  const auto sums = sums_with(answer, answered);
  if (sums) stage_.add_unseen(answer.bunches, sums->total, answer.bin, sums->in_bin, context_);
  return sums.has_value();
}

// The sums with the light of a step of kUnseen. Empty where a sum is no longer in the power of two
// that the device was told, or in the next, and where the device could not tell.
std::optional<Stage::SumsOfStep> LightPipeline::sums_with(const StepAnswer& answer,
                                                          const AnsweredSteps& answered) const {
  Stage::SumsOfStep sums{answer.total.added_to(photons_copy_, answered.total_power), answer.bin, 0.};
  if (answer.bin != 0)
    sums.in_bin =
        answer.in_bin.added_to(context_.profile.photons[answer.bin], answered.bin_powers[answer.bin]);
  if (std::isnan(sums.total) || std::isnan(sums.in_bin)) return std::nullopt;
  return sums;
}

// The same of step i of a batch, in any case: its photons are added to the sums here where they must be.
Stage::SumsOfStep LightPipeline::sums_at(const Batch& batch, int i, const AnsweredSteps& answered) const {
  const StepAnswer& answer = answered.answers[static_cast<std::size_t>(i)];
  if (const auto sums = sums_with(answer, answered)) return *sums;
  Stage::SumsOfStep sums{photons_copy_, answer.bin, 0.};
  if (answer.bin != 0) sums.in_bin = context_.profile.photons[answer.bin];
  EventView event{};
  event.plan.cut_w = emission_.cut_w;
  event.plan.yield = emission_.yield;
  event.plan.bunch_size = emission_.bunch_size;
  StepArguments step = arguments_of(batch.chunk[static_cast<std::size_t>(i / kChunkSteps)], i % kChunkSteps);
  const IndicesOfStep index = indices_of(batch, i);
  step.index_begin = index.begin;
  step.index_middle = index.middle;
  step.index_end = index.end;
  const YieldAlongStep line = StepJudge<OneLane>(step, event, {}).yields();
  if (try_add_photons(line, 0, answer.bunches, sums.total, answer.bin != 0 ? &sums.in_bin : nullptr))
    return sums;
  double path = line.path_before;
  for (int bunch = 0; bunch < answer.bunches; ++bunch) {
    path += line.path_between;
    const double cosine = 1. / (line.beta_n + line.beta_n_slope * path);
    const double photons = line.photons_per_sin2 * ((1. - cosine) * (1. + cosine));
    sums.total += photons;
    sums.in_bin += photons;
  }
  return sums;
}

// Of step i. With a table of them the chunks do not hold them.
IndicesOfStep LightPipeline::indices_of(const Batch& batch, int i) const {
  const auto& [steps, indices] = batch.chunk[static_cast<std::size_t>(i / kChunkSteps)];
  const int own = i % kChunkSteps;
  if (!index_table_) return {indices.begin[own], indices.middle[own], indices.end[own]};
  const double begin = steps.z_begin[own], end = steps.z_end[own];
  return {refractive_index(emission_, begin), refractive_index(emission_, 0.5 * (begin + end)),
          refractive_index(emission_, end)};
}

// Plans step `first` and the next ones of kHost.
void LightPipeline::gather(const Batch& batch, const AnsweredSteps& answered, int first) {
  gathered_count_ = gathered_next_ = 0;
  const int count = static_cast<int>(answered.answers.size());
  std::array<std::size_t, kChunkSteps> from;
  for (int i = first; i < count && gathered_count_ < kChunkSteps; ++i) {
    const Verdict verdict = answered.answers[static_cast<std::size_t>(i)].verdict;
    if (verdict != Verdict::kHost) continue;
    from[static_cast<std::size_t>(gathered_count_++)] = static_cast<std::size_t>(i);
  }
  const auto steps_of = [&](int to) -> const RecordedSteps& {
    return batch.chunk[from[static_cast<std::size_t>(to)] / kChunkSteps].steps;
  };
  for (int to = 0; to < gathered_count_; ++to) {
    const std::size_t i = from[static_cast<std::size_t>(to)];
    // A step's arguments are in as many cache lines, which are no longer in the near caches.
    constexpr int kAhead = 4;
    if (to + kAhead < gathered_count_) {
      const std::size_t ahead = from[static_cast<std::size_t>(to) + kAhead];
      const double* next = steps_of(to + kAhead).length + ahead % kChunkSteps;
      for (std::size_t row = 0; row < kStepRows; ++row) __builtin_prefetch(next + row * kChunkSteps);
    }
    gathered_.set(to, steps_of(to).step(static_cast<int>(i % kChunkSteps)));
    const IndicesOfStep index = indices_of(batch, static_cast<int>(i));
    gathered_indices_.begin[to] = index.begin;
    gathered_indices_.middle[to] = index.middle;
    gathered_indices_.end[to] = index.end;
  }
  stage_.plan(gathered_, gathered_indices_, gathered_count_, emission_, context_);
}

}  // namespace cherenkov::corsika
