#include "corsika_runtime/cherenkov/helper_thread.hpp"

#include <cstdio>
#include <ctime>
#include <system_error>

#include "corsika_runtime/message.hpp"

namespace cherenkov::corsika {
namespace {

constexpr std::size_t kNumbersAtOnce = 4096;
constexpr int kFirstChunks = 32;  // of an event's first batch
constexpr std::size_t kStackBytes = 4U << 20;

}  // namespace

HelperThread::HelperThread(const Routines& routines, LightTarget target, std::span<RecordedSteps> memory,
                           bool curved, const StartDevice& start_device)
    : target_(std::move(target)),
      sequence_(std::make_shared<SequenceCopy>(target_.numbers, kNumbersAtOnce)),
      emitter_(routines, {sequence_, &photons_copy_, &bunches_copy_, target_.collect}),
      curved_(curved),
      memory_(memory),
      loops_memory_(curved ? memory_.size() * kChunkSteps : 0) {
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const std::size_t chunks = memory_.size() / batches_.size(),
                      loops = loops_memory_.size() / batches_.size();
    batches_[b].chunk = std::span(memory_).subspan(b * chunks, chunks);
    batches_[b].loops = std::span(loops_memory_).subspan(b * loops, loops);
    batches_[b].counts.resize(chunks);
  }
  start_helper();
  if (!start_device) return;
  try {
    starter_ = std::thread([this, start_device] { start(start_device); });
  } catch (const std::exception& e) {
    corsika_runtime::say("cherenkov: no device: its thread cannot start: %s; going on on the CPU", e.what());
  }
}

// std::thread takes a stack as large as the shell's limit, which for CORSIKA may be a gigabyte.
void HelperThread::start_helper() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int error = pthread_create(
      &thread_, &attributes,
      [](void* self) -> void* {
        static_cast<HelperThread*>(self)->help();
        return nullptr;
      },
      this);
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "it cannot start");
}

HelperThread::~HelperThread() {
  wait_for_start();
  while (state_.load() == kWork) state_.wait(kWork);
  state_ = kQuit;
  state_.notify_all();
  pthread_join(thread_, nullptr);
}

void HelperThread::help() {
  // What lanes compute in addition to what CORSIKA computes must raise no exception.
  const KeptFloatingPointState kept;
  for (;;) {
    int now = state_.load();
    if (now == kQuit) return;
    if (now != kWork) {
      state_.wait(now);
      continue;
    }
    emit(*under_way_, 0);
    state_ = kDone;
    state_.notify_all();
  }
}

// From step `first` on.
void HelperThread::emit(Batch& batch, int first) {
  emitter_.keep_light(&batch.light);
  batch.stopped = kNowhere;
  try {
    if (first != 0 || !try_emit_with_device(batch)) emit_chunks(batch, first);
  } catch (...) {
    batch.error = std::current_exception();
  }
  batch.photons = photons_copy_;
  batch.bunches = bunches_copy_;
}

// What of a chunk is found before its light: the loops of its steps, or indices that come from tables.
void HelperThread::find_indices_of(Batch& batch, std::size_t chunk) {
  if (curved_ || emission_.tables)
    find_indices(batch.chunk[chunk], batch.counts[chunk], emission_, context_, last_index_,
                 batch.loops_of(chunk));
}

void HelperThread::emit_chunks(Batch& batch, int first) {
  int step = first % kChunkSteps;
  for (int chunk = first / kChunkSteps; chunk < batch.chunks; ++chunk, step = 0) {
    const auto k = static_cast<std::size_t>(chunk);
    find_indices_of(batch, k);
    emitter_.plan(batch.chunk[k], batch.counts[k], emission_, context_);
    step = emitter_.emit_planned(batch.chunk[k], step, batch.counts[k], context_, batch.loops_of(k));
    if (step < batch.counts[k]) {
      batch.stopped = chunk * kChunkSteps + step;
      return;
    }
  }
}

// Copies begin as CORSIKA's.
void HelperThread::take_sums_from_corsika() {
  photons_copy_ = *target_.photons;
  bunches_copy_ = *target_.bunches;
  sequence_->follow();
  profile_copy_.assign(profile_, profile_ + context_.profile.size());
  context_.profile.photons = profile_copy_.data();
}

void HelperThread::begin(const Emission& emission, const ObservationContext& context) {
  emission_ = emission;
  emission_.density = nullptr;  // RHOF: see add()
  context_ = context;
  profile_ = context.profile.photons;
  take_sums_from_corsika();
  if (bunches_copy_ == 0.) event_chunks_ = 0;
  begun_ = true;
  can_emit_ = emitter_.event().prepare(context_);
  device_knows_event_ = false;
}

void HelperThread::add(int count, const Emission& emission, const ObservationContext& context,
                       const DoInCorsika& corsika) {
  if (!begun_) begin(emission, context);
  // RHOF keeps variables from call to call, so CORSIKA's thread asks it; REFIDX only reads tables.
  if (!curved_ && !emission.tables) find_indices(next_chunk(), count, emission, context, last_index_);
  Batch& batch = batches_[static_cast<std::size_t>(filling_)];
  batch.counts[static_cast<std::size_t>(batch.chunks)] = count;
  // A device computes what a step adds for two powers of two of each sum. Sums would soon leave these if a
  // batch were longer than what the event had before it.
  const int before = event_chunks_++ - batch.chunks++, most = static_cast<int>(batch.chunk.size());
  if (batch.chunks >= std::clamp(before, std::min(kFirstChunks, most), most)) submit(corsika);
}

void HelperThread::submit(const DoInCorsika& corsika) {
  Batch* before = under_way_ == nullptr ? nullptr : &wait_for_helper();
  if (before != nullptr && (before->stopped != kNowhere || before->error)) {
    finish(*before, corsika);
    before = nullptr;
  }
  Batch& batch = batches_[static_cast<std::size_t>(filling_)];
  // Before an event's first light the stage reads telescopes, which is for CORSIKA's thread.
  if (bunches_copy_ == 0.) {
    emit(batch, 0);
    finish(batch, corsika);
    return;
  }
  under_way_ = &batch;
  filling_ = 1 - filling_;
  state_ = kWork;
  state_.notify_all();
  if (before != nullptr) finish(*before, corsika);
}

HelperThread::Batch& HelperThread::wait_for_helper() {
  while (state_.load() == kWork) state_.wait(kWork);
  state_ = kIdle;
  return *std::exchange(under_way_, nullptr);
}

// Follows the light of a batch that was emitted; where it stopped, the helper must be idle.
void HelperThread::finish(Batch& batch, const DoInCorsika& corsika) {
  follow(batch);
  while (batch.stopped != kNowhere) {
    give_sums_to_corsika();
    corsika(batch.chunk[static_cast<std::size_t>(batch.stopped / kChunkSteps)], batch.stopped % kChunkSteps);
    take_sums_from_corsika();
    emit(batch, batch.stopped + 1);
    follow(batch);
  }
  batch.chunks = 0;
}

void HelperThread::follow(Batch& batch) {
  if (batch.error) std::rethrow_exception(std::exchange(batch.error, nullptr));
  for (const Bunch& bunch : batch.light) emitter_.arrive(bunch, context_);
  batch.light.clear();
  // collect() counts what it is given; the sums are of all bunches.
  *target_.photons = batch.photons;
  *target_.bunches = batch.bunches;
}

void HelperThread::give_sums_to_corsika() {
  *target_.photons = photons_copy_;
  *target_.bunches = bunches_copy_;
  std::copy(profile_copy_.begin(), profile_copy_.end(), profile_);
  target_.numbers->step_over(sequence_->position() - target_.numbers->position());
}

void HelperThread::drain(const DoInCorsika& corsika) {
  if (!begun_) return;
  if (under_way_ != nullptr) finish(wait_for_helper(), corsika);
  Batch& batch = batches_[static_cast<std::size_t>(filling_)];
  if (batch.chunks > 0) {
    emit(batch, 0);
    finish(batch, corsika);
  }
  give_sums_to_corsika();
  begun_ = false;
}

std::string HelperThread::summary() const {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread_, &clock) == 0) clock_gettime(clock, &time);
  char of_device[100] = "", all[150];
  if (device_start_seconds_ > 0.)
    std::snprintf(of_device, sizeof of_device, " batches=%lu wait_s=%.6f start_s=%.3f", device_batches_,
                  device_wait_seconds_, device_start_seconds_);
  std::snprintf(all, sizeof all, "%s threads=1 helper_s=%.3f", of_device,
                static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec));
  return all;
}

}  // namespace cherenkov::corsika
