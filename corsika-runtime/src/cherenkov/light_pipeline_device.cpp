// The part of the pipeline that uses a device. All but start() is done by the thread that emits.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "corsika_runtime/cherenkov/light_pipeline.hpp"

namespace cherenkov::corsika {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void LightPipeline::start(const StartDevice& start_device) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    started_ = start_device(is_curved_ ? std::as_writable_bytes(std::span(loops_memory_))
                                       : std::as_writable_bytes(std::span(memory_)));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cherenkov: no device: %s; going on on the CPU\n", e.what());
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

// False where nothing was done, because there is no device, or no longer, or the batch is not full: its last
// chunk may hold fewer steps, where CORSIKA's counters were about to be read.
bool LightPipeline::try_emit_with_device(Batch& batch) {
  if (!prepared_ || (is_curved_ && emission_.air == nullptr) || batch.chunks < chunks_ ||
      batch.counts.back() < kChunkSteps || bunches_copy_ == 0. || !take_device())
    return false;
  AnsweredSteps answered{};
  try {
    answered = ask_device(batch);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cherenkov: %s; going on on the CPU\n", e.what());
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
  if (is_curved_) {
    const Stage::CurvedPrepared event = stage_.curved_prepared(context_);
    const std::vector<DistanceRange> bins =
        context_.fill_profile ? profile.curved_bins(thickness_) : std::vector<DistanceRange>{};
    device_->begin_event(CurvedEventSettings{emission_.cut_w, event.plane, profile.axis(),
                                             curved_light_.earth_radius, event.spheres, event.arrival,
                                             emission_.air, bins.data(), static_cast<int>(bins.size())});
    return;
  }
  const Stage::Prepared event = stage_.prepared(context_);
  device_->begin_event(EventSettings{{emission_.cut_w, emission_.yield, emission_.bunch_size, event.plane,
                                      profile.along_x, profile.along_y, profile.along_z, profile.start},
                                     event.spheres,
                                     event.refraction,
                                     profile.edge,
                                     context_.fill_profile ? profile.bins : 0});
}

AnsweredSteps LightPipeline::ask_device(const Batch& batch) {
  const DepthProfile& profile = context_.profile;
  const int bins = context_.fill_profile ? profile.bins : 0;
  if (!device_knows_event_) begin_event_on_device();
  device_knows_event_ = true;
  bin_powers_.assign(static_cast<std::size_t>(bins) + 1, 0.);
  for (int bin = 1; bin <= bins; ++bin)
    bin_powers_[static_cast<std::size_t>(bin)] = power_of_sum(profile.photons[bin]);
  const double total_power = power_of_sum(photons_copy_);
  if (is_curved_)
    device_->submit(batch.loops.data(), chunks_ * kChunkSteps, total_power, bin_powers_.data());
  else
    device_->submit(batch.chunk.data(), chunks_ * kChunkSteps, total_power, bin_powers_.data());
  const auto begin = std::chrono::steady_clock::now();
  const AnsweredSteps answered = device_->wait();
  device_wait_seconds_ += seconds_since(begin);
  ++device_batches_;
  return answered;
}

void LightPipeline::emit_answered(Batch& batch, const AnsweredSteps& answered) {
  gathered_count_ = gathered_next_ = 0;
  gathered_from_.front() = -1;
  for (int i = 0; i < chunks_ * kChunkSteps; ++i) {
    if (gathered_from_[static_cast<std::size_t>(gathered_next_)] != i) {
      const StepAnswer& answer = answered.answers[static_cast<std::size_t>(i)];
      if (answer.verdict == Verdict::kNone || try_add(answer, answered)) continue;
      gather(batch, answered, i);
    }
    const int own = gathered_next_++;
    if (stage_.emit_planned(gathered_, own, own + 1, context_) == own + 1) continue;
    batch.is_stopped = true;
    batch.is_planned = false;
    batch.stopped_chunk = i / kChunkSteps;
    batch.stopped_step = i % kChunkSteps;
    return;
  }
}

void LightPipeline::emit_curved_answered(Batch& batch, const AnsweredSteps& answered) {
  for (int i = 0; i < chunks_ * kChunkSteps; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (try_add(answered.answers[k], answered) ||
        stage_.emit(batch.loops[k], curved_light_, emission_, context_))
      continue;
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

// The sums with the light of a step that no telescope sees. Empty where a sum is no longer in the power of
// two that the device was told, or in the next.
std::optional<LightPipeline::Sums> LightPipeline::sums_with(const StepAnswer& answer,
                                                            const AnsweredSteps& answered) const {
  Sums sums{answer.total.added_to(photons_copy_, answered.total_power), 0.};
  if (answer.bin != 0)
    sums.in_bin =
        answer.in_bin.added_to(context_.profile.photons[answer.bin], answered.bin_powers[answer.bin]);
  if (std::isnan(sums.total) || std::isnan(sums.in_bin)) return std::nullopt;
  return sums;
}

// Plans step `first` and the next ones that are the host's, or will be unless a sum changes.
void LightPipeline::gather(const Batch& batch, const AnsweredSteps& answered, int first) {
  gathered_count_ = gathered_next_ = 0;
  for (int i = first; i < chunks_ * kChunkSteps && gathered_count_ < kChunkSteps; ++i) {
    const StepAnswer& answer = answered.answers[static_cast<std::size_t>(i)];
    if (answer.verdict == Verdict::kNone) continue;
    if (i != first && answer.verdict == Verdict::kUnseen && sums_with(answer, answered)) continue;
    const auto& [steps, indices] = batch.chunk[static_cast<std::size_t>(i / kChunkSteps)];
    const int step = i % kChunkSteps, to = gathered_count_++;
    gathered_.set(to, steps.step(step));
    gathered_indices_.begin[to] = indices.begin[step];
    gathered_indices_.middle[to] = indices.middle[step];
    gathered_indices_.end[to] = indices.end[step];
    gathered_from_[static_cast<std::size_t>(to)] = i;
  }
  gathered_from_[static_cast<std::size_t>(gathered_count_)] = -1;
  stage_.plan(gathered_, gathered_indices_, gathered_count_, emission_, context_);
}

}  // namespace cherenkov::corsika
