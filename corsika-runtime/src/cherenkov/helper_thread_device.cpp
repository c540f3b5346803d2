// The part of HelperThread that uses a device. All but start() is done by the thread that emits.
#include <chrono>

#include "corsika_runtime/cherenkov/helper_thread.hpp"
#include "corsika_runtime/message.hpp"

namespace cherenkov::corsika {
namespace {

// For fewer steps the CPU does not wait for the device.
constexpr int kLeastDeviceSteps = 1024;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void HelperThread::start(const StartDevice& start_device) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    started_ = start_device(curved_ ? std::as_writable_bytes(std::span(loops_memory_))
                                    : std::as_writable_bytes(memory_));
  } catch (const std::exception& e) {
    corsika_runtime::say("cherenkov: no device: %s; going on on the CPU", e.what());
    return;
  }
  device_start_seconds_ = seconds_since(begin);
  device_ready_ = true;
}

void HelperThread::wait_for_start() {
  if (starter_.joinable()) starter_.join();
}

// False where nothing was done, because there is no device, or no longer, or the batch is short, or one of
// its chunks but the last is not full.
bool HelperThread::try_emit_with_device(Batch& batch) {
  const auto full = batch.counts.begin() + batch.chunks - 1;
  const int count = (batch.chunks - 1) * kChunkSteps + *full;
  if (!can_emit_ || (curved_ && emission_.air == nullptr) || count < kLeastDeviceSteps ||
      std::any_of(batch.counts.begin(), full, [](int steps) { return steps < kChunkSteps; }) ||
      bunches_copy_ == 0.)
    return false;
  if (device_ready_.exchange(false)) device_ = std::move(started_);
  if (device_ == nullptr) return false;
  // CORSIKA's thread does the last batch before a drain().
  const KeptFloatingPointState kept;
  if (!curved_ && !std::exchange(index_table_tried_, true)) index_table_ = IndexTable::of(emission_);
  if (!index_table_)
    for (int chunk = 0; chunk < batch.chunks; ++chunk)
      find_indices_of(batch, static_cast<std::size_t>(chunk));
  std::span<const StepAnswer> answers;
  try {
    answers = ask_device(batch, count);
  } catch (const std::exception& e) {
    corsika_runtime::say("cherenkov: %s; going on on the CPU", e.what());
    device_.reset();
    return false;
  }
  emit_answered(batch, answers);
  return true;
}

void HelperThread::begin_event_on_device() {
  const DepthProfile& profile = context_.profile;
  const Event& event = emitter_.event();
  const SpheresView spheres = view_of(event.spheres());
  if (curved_) {
    const std::vector<DistanceRange>& bins = event.curved_bins();
    device_->begin_event(CurvedEventView{
        emission_.cut_w, event.plane_of(context_), profile.axis, context_.curved->earth_radius, spheres,
        event.curved_arrival().view(), emission_.air->layers(), bins.data(), static_cast<int>(bins.size())});
    return;
  }
  device_->begin_event(EventView{
      plan_settings(event, emission_, context_), spheres, event.refraction().view(), profile.edge,
      context_.fill_profile ? profile.bins : 0, index_table_ ? index_table_->view() : IndexTableView{}});
}

std::span<const StepAnswer> HelperThread::ask_device(const Batch& batch, int count) {
  const DepthProfile& profile = context_.profile;
  const int bins = context_.fill_profile ? profile.bins : 0;
  if (!device_knows_event_) begin_event_on_device();
  device_knows_event_ = true;
  bin_powers_.assign(static_cast<std::size_t>(bins) + 1, 0.);
  for (int bin = 1; bin <= bins; ++bin)
    bin_powers_[static_cast<std::size_t>(bin)] = power_of_sum(profile.photons[bin]);
  const double total_power = power_of_sum(photons_copy_);
  const auto begin = std::chrono::steady_clock::now();
  const auto answers = curved_ ? device_->answer(batch.loops.data(), count, total_power, bin_powers_.data())
                               : device_->answer(batch.chunk.data(), count, total_power, bin_powers_.data());
  device_wait_seconds_ += seconds_since(begin);
  ++device_batches_;
  return answers;
}

void HelperThread::emit_answered(Batch& batch, std::span<const StepAnswer> answers) {
  gathered_count_ = gathered_next_ = 0;
  for (std::size_t i = 0; (i = emitter_.emit_answered(answers, i, batch.chunk, context_)) < answers.size();
       ++i)
    if (!(curved_ ? emitter_.emit(batch.loops[i], emission_, context_) : emit_gathered(batch, answers, i))) {
      batch.stopped = static_cast<int>(i);
      return;
    }
}

// Steps of kHost are planned together. One whose sums the device did not know is done by itself; with RHOF,
// which is for CORSIKA's thread, they are planned anew from there on.
bool HelperThread::emit_gathered(const Batch& batch, std::span<const StepAnswer> answers, std::size_t i) {
  if (answers[i].verdict != Verdict::kHost && emission_.tables) {
    const RecordedSteps& steps = batch.chunk[i / kChunkSteps];
    const int own = static_cast<int>(i % kChunkSteps);
    Step step;
    if (light_of(steps.step(own), emission_, step) != LightKind::kWhole) return false;
    return emitter_.emit(step, context_);
  }
  if (gathered_next_ == gathered_count_ || gathered_from_[static_cast<std::size_t>(gathered_next_)] != i)
    gather(batch, answers, i);
  const int own = gathered_next_++;
  return emitter_.emit_planned(gathered_, own, own + 1, context_) == own + 1;
}

// Plans step `first` and the next ones of kHost.
void HelperThread::gather(const Batch& batch, std::span<const StepAnswer> answers, std::size_t first) {
  gathered_count_ = gathered_next_ = 0;
  for (std::size_t i = first; i < answers.size() && gathered_count_ < kChunkSteps; ++i) {
    if (i != first && answers[i].verdict != Verdict::kHost) continue;
    gathered_from_[static_cast<std::size_t>(gathered_count_++)] = i;
    // Each of a step's arguments is in a cache line of its own.
    const double* argument = batch.chunk[i / kChunkSteps].length + i % kChunkSteps;
    for (std::size_t row = 0; row < sizeof(ChargedStep) / sizeof(double); ++row)
      __builtin_prefetch(argument + row * kChunkSteps);
  }
  for (int to = 0; to < gathered_count_; ++to) {
    const std::size_t i = gathered_from_[static_cast<std::size_t>(to)], from = i % kChunkSteps;
    const RecordedSteps& chunk = batch.chunk[i / kChunkSteps];
    gathered_.set(to, chunk.step(static_cast<int>(from)));
    gathered_.index_begin[to] = chunk.index_begin[from];
    gathered_.index_middle[to] = chunk.index_middle[from];
    gathered_.index_end[to] = chunk.index_end[from];
  }
  // With a table of them the chunks do not hold indices.
  if (index_table_) find_indices(gathered_, gathered_count_, emission_, context_, last_index_);
  emitter_.plan(gathered_, gathered_count_, emission_, context_);
}

}  // namespace cherenkov::corsika
