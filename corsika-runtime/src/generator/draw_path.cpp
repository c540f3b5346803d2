// The draw path: buffers, their refills by the CPU or a device, and the counters of CORSIKA.
#include "corsika_runtime/generator/draw_path.hpp"

#include <algorithm>

#include "corsika_runtime/environment.hpp"
#include "corsika_runtime/message.hpp"

namespace ranmar::corsika {

static constexpr int kSlots = 4;                   // buffers of a device in flight or in use
static constexpr std::int64_t kMinJump = 1 << 17;  // fewer numbers are made faster than jumped over

DrawPath::DrawPath(DrawCommon& common, double* pool, const Settings& settings)
    : common_(common), pool_(pool), settings_(settings) {}

void DrawPath::open(int kseq) {
  if (generator_ != nullptr) return;
  if (kseq < 1 || kseq > kMaxSequences)
    throw std::invalid_argument("KSEQ is " + std::to_string(kseq) +
                                ", this library is made for 1 to 64 sequences");
  generator_ = std::make_unique<Generator<Form48>>(settings_.backend, kseq);
  sequences_.resize(static_cast<std::size_t>(kseq));
  const auto share_of = [&](std::int64_t all) { return all / kseq / kPageNumbers * kPageNumbers; };
  largest_room_ = share_of(kMostNumbers);
  settings_.largest_buffer = std::min(settings_.largest_buffer, largest_room_);
  for (int s = 1; s <= kseq; ++s) {
    Sequence& sequence = slot(s);
    sequence.number = s;
    sequence.shown = &common_.buffer[static_cast<std::size_t>(s) - 1];
    sequence.room = share_of(kPoolNumbers);
    sequence.first = (s - 1) * sequence.room;
    sequence.next_size = std::min(sequence.next_size, settings_.largest_buffer);
    empty_buffer(sequence);
  }
  common_.kseq = kseq;
}

DrawPath::Sequence& DrawPath::slot(int sequence) {
  if (sequence < 1 || sequence > static_cast<int>(sequences_.size()))
    throw std::out_of_range("sequence " + std::to_string(sequence) + " is not in 1.." +
                            std::to_string(sequences_.size()));
  return sequences_[static_cast<std::size_t>(sequence) - 1];
}

DrawPath::Sequence& DrawPath::drawable(int sequence) {
  if (generator_ == nullptr) throw std::logic_error("a number is drawn before any sequence was started");
  Sequence& s = slot(sequence);
  if (!s.seeded)
    throw std::logic_error("a number is drawn from sequence " + std::to_string(sequence) +
                           (s.raw ? ", whose state was read back damaged" : ", which was never started"));
  return s;
}

// Stock carries at most one billion at each call.
void DrawPath::carry(Sequence& s) {
  if (s.ntot >= kBillion) {
    s.ntot2 += 1;
    s.ntot -= kBillion;
  }
}

// Brings the counters up to the drawn position. A buffer holds far fewer than 10^9 numbers, so one carry is
// enough; while NTOT is 10^9 or more (only a SEED card can do that) the buffer stays closed and every call
// comes here.
void DrawPath::count(Sequence& s) {
  const std::int64_t drawn = s.shown->pos - s.counted;
  if (drawn == 0) return;
  s.draws += static_cast<std::uint64_t>(drawn);
  s.ntot += drawn;
  s.counted = s.shown->pos;
  carry(s);
}

void DrawPath::empty_buffer(Sequence& s) { s.shown->pos = s.shown->end = s.filled = s.counted = s.first; }

void DrawPath::refill(Sequence& s) {
  if (s.device == nullptr && settings_.use_device && !device_failed_ &&
      s.since_start >= settings_.device_from)
    start_device(s);
  if (device_failed_) leave_device(s);
  if (s.device != nullptr) refill_from_device(s);
  if (s.shown->pos == s.filled) refill_on_cpu(s);
}

// Throws std::runtime_error. Its last buffer must be used up. No page is touched before its numbers are made.
void DrawPath::make_room(Sequence& s, std::int64_t numbers) {
  if (numbers <= s.room) return;
  const auto bytes = static_cast<std::size_t>(numbers) * sizeof(double);
  void* const memory = std::aligned_alloc(kPageNumbers * sizeof(double), bytes);
  if (memory == nullptr) throw std::runtime_error("no memory for a sequence's buffer (RANMAR_BUFFER)");
  s.memory.reset(static_cast<double*>(memory));
  s.room = numbers;
  // CORSIKA's source adds it to the address of the pool.
  s.first = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) -
                                      reinterpret_cast<std::uintptr_t>(pool_)) /
            static_cast<std::int64_t>(sizeof(double));
  empty_buffer(s);
}

void DrawPath::refill_on_cpu(Sequence& s) {
  if (s.next_size > s.room)
    make_room(s, (settings_.largest_buffer + kPageNumbers - 1) / kPageNumbers * kPageNumbers);
  generator_->fill(s.number, pool_ + s.first, static_cast<std::size_t>(s.next_size));
  s.made += static_cast<std::uint64_t>(s.next_size);
  s.since_start += static_cast<std::uint64_t>(s.next_size);
  s.refills += 1;
  s.shown->pos = s.counted = s.first;
  s.filled = s.first + s.next_size;
  s.next_size = std::min(2 * s.next_size, settings_.largest_buffer);
}

// All of the sequence's memory is free at this moment: its last buffer is used up.
void DrawPath::start_device(Sequence& s) {
  const std::int64_t largest = largest_room_ / kSlots / kPageNumbers * kPageNumbers;
  s.device_buffer = settings_.device_buffer == 0 ? largest : std::min(settings_.device_buffer, largest);
  s.device_made = 0;
  try {
    corsika_runtime::require_standard_streams();
    make_room(s, largest_room_);
    const State<Form48> state = generator_->state(s.number);
    s.device = settings_.use_opencl
                   ? start_opencl_refills(state, settings_.device)
                   : start_device_refills(state, pool_ + s.first, static_cast<std::size_t>(s.room),
                                          settings_.device);
    // The last slot is asked for when the first is used up.
    for (int slot = 0; slot + 1 < kSlots; ++slot) {
      s.device->refills->refill(pool_ + s.first + slot * s.device_buffer,
                                static_cast<std::size_t>(s.device_buffer));
      ++device_refills_;
    }
    device_ = s.device->device;
  } catch (const std::exception& e) {
    corsika_runtime::say("ranmar: no GPU in use, numbers come from the CPU: %s", e.what());
    s.device.reset();
    device_failed_ = true;
  }
}

void DrawPath::refill_from_device(Sequence& s) {
  const auto n = static_cast<std::size_t>(s.device_buffer);
  const auto slot_of = [&](std::uint64_t buffer) {
    return s.first + static_cast<std::int64_t>(buffer % kSlots) * s.device_buffer;
  };
  const std::uint64_t buffer = s.device_made / n;
  try {
    // The buffer before this one was just used up, so the slot three ahead is free.
    s.device->refills->refill(pool_ + slot_of(buffer + kSlots - 1), n);
    ++device_refills_;
    if (!s.device->refills->ready()) ++waits_;
    s.device->refills->wait();
  } catch (const std::exception& e) {
    corsika_runtime::say("ranmar: the GPU failed, sequence %d goes on on the CPU at the next number: %s",
                         s.number, e.what());
    device_failed_ = true;
    leave_device(s);
    return;
  }
  s.made += n;
  s.since_start += n;
  s.device_made += n;
  s.refills += 1;
  s.shown->pos = s.counted = slot_of(buffer);
  s.filled = s.shown->pos + s.device_buffer;
}

// The CPU goes on at the first number that the device did not deliver. Its buffer, if any is left, stays.
void DrawPath::leave_device(Sequence& s) {
  if (s.device == nullptr) return;
  generator_->set_state(s.number, s.device->refills->state_at(s.device_made));
  s.device.reset();
}

State<Form48> DrawPath::state_before(const Sequence& s, std::int64_t numbers) const {
  if (s.device == nullptr) return generator_->state(s.number, numbers);
  State<Form48> state = s.device->refills->state_at(s.device_made);
  jump(state, -numbers);
  return state;
}

DrawPath::Sequence& DrawPath::restart(int sequence, const Counters& counters) {
  Sequence& s = slot(sequence);
  count(s);
  s.device.reset();
  s.since_start = 0;
  s.ijkl = counters[0];
  s.ntot = counters[1];
  s.ntot2 = counters[2];
  s.origin_i97 = kLongLag;
  s.raw.reset();
  s.seeded = true;
  empty_buffer(s);
  return s;
}

void DrawPath::seed(int sequence, const Counters& seed) {
  Sequence& s = restart(sequence, seed);
  const std::int64_t skip = s.ntot2 < 0 ? 0 : s.ntot2 * kBillion + std::max<std::int64_t>(s.ntot, 0);
  generator_->seed(s.number, s.ijkl, static_cast<std::uint64_t>(skip));
  s.made = static_cast<std::uint64_t>(skip);
}

Counters DrawPath::counters(int sequence) {
  Sequence& s = slot(sequence);
  count(s);
  return {s.ijkl, static_cast<std::int32_t>(s.ntot), static_cast<std::int32_t>(s.ntot2)};
}

ClassicSequence DrawPath::export_sequence(int sequence) {
  ClassicSequence classic;
  classic.counters = counters(sequence);
  Sequence& s = slot(sequence);
  if (s.raw) {
    classic.state = s.raw->state;
  } else if (s.seeded) {
    const std::int64_t behind = s.filled - s.shown->pos;
    const auto turned = static_cast<std::int64_t>((s.made - static_cast<std::uint64_t>(behind)) % kLongLag);
    const std::int64_t i97 = (s.origin_i97 - 1 - turned + kLongLag) % kLongLag + 1;
    classic.state = to_rmmaqd(state_before(s, behind), static_cast<std::int32_t>(i97));
  }
  return classic;
}

void DrawPath::import_sequence(int sequence, const ClassicSequence& classic) {
  Sequence& s = restart(sequence, classic.counters);
  try {
    generator_->set_state(s.number, from_rmmaqd(classic.state));
    s.origin_i97 = classic.state.i97;
    s.made = 0;
  } catch (const std::invalid_argument&) {
    s.raw = classic;
    s.seeded = false;
  }
}

void DrawPath::draw(double* out, std::int32_t n, int sequence) {
  Sequence& s = drawable(sequence);
  count(s);
  std::int64_t wanted = std::max<std::int64_t>(n, 0);
  s.draws += static_cast<std::uint64_t>(wanted);
  if (const std::int64_t ready = s.filled - s.shown->pos; out == nullptr && wanted > ready + kMinJump) {
    leave_device(s);
    s.since_start = 0;
    generator_->skip(s.number, wanted - ready);
    s.made += static_cast<std::uint64_t>(wanted - ready);
    empty_buffer(s);
    wanted = 0;
  }
  while (wanted > 0) {
    if (s.shown->pos == s.filled) refill(s);
    const std::int64_t now = std::min(wanted, s.filled - s.shown->pos);
    if (out != nullptr) out = std::copy_n(pool_ + s.shown->pos, now, out);
    s.shown->pos += now;
    wanted -= now;
  }
  s.counted = s.shown->pos;
  s.ntot += n;  // stock adds the length even where it is negative
  carry(s);
  s.shown->end = s.ntot >= kBillion ? s.shown->pos : s.filled;
}

bool DrawPath::last_was_zero(int sequence) {
  Sequence& s = drawable(sequence);
  return next_is_zero(state_before(s, s.filled - s.shown->pos + 1));
}

std::string DrawPath::summary() {
  std::uint64_t draws = 0, refills = 0;
  int used = 0;
  bool on_device = false;
  for (Sequence& s : sequences_) {
    count(s);
    draws += s.draws;
    refills += s.refills;
    used += s.draws > 0 ? 1 : 0;
    on_device = on_device || s.device != nullptr;
  }
  const std::string backend(on_device ? (settings_.use_opencl ? "opencl" : "cuda") : name(settings_.backend));
  const std::string target = settings_.backend == Backend::kSimd ? simd_target_in_use() : "none";
  std::string line = "ranmar: backend=" + backend + " target=" + target +
                     " sequences=" + std::to_string(used) + " draws=" + std::to_string(draws) +
                     " refills=" + std::to_string(refills) + " waits=" + std::to_string(waits_);
  if (device_ >= 0)
    line += " device=" + std::to_string(device_) + " device_refills=" + std::to_string(device_refills_);
  return line;
}

// What the environment asks of the generator.

Settings Settings::from_environment() {
  using corsika_runtime::environment, corsika_runtime::refuse;
  Settings settings;
  if (const auto name = environment("RANMAR_BACKEND"); name == "cuda" || name == "opencl") {
    settings.use_device = true;
    settings.use_opencl = name == "opencl";
  } else if (name == "auto" || name == "reference" || name == "simd") {
    settings.backend = backend_of(name);
  } else if (!name.empty()) {
    refuse("RANMAR_BACKEND", name, "auto, reference, simd, cuda or opencl");
  }
  if (const auto text = environment("RANMAR_BUFFER"); !text.empty()) {
    const std::int64_t numbers = corsika_runtime::number_in<std::int64_t>(text).value_or(0);
    if (numbers < 32 || numbers > kMostNumbers)
      refuse("RANMAR_BUFFER", text, "the numbers of a buffer, 32 to " + std::to_string(kMostNumbers));
    settings.largest_buffer = numbers;
    settings.device_buffer = std::max<std::int64_t>(numbers / 32 * 32, 32);
  }
  if (const auto device = environment("RANMAR_DEVICE"); !device.empty()) settings.device = device;
  settings.summary = corsika_runtime::is_on(environment("RANMAR_SUMMARY"));
  return settings;
}

}  // namespace ranmar::corsika
