#include "draw_path.hpp"

#include <algorithm>
#include <stdexcept>

namespace ranmar::fortran {

DrawPath::DrawPath(DrawCommon& common, double* pool, const Settings& settings)
    : common_(common), pool_(pool), settings_(settings) {}

void DrawPath::open(int kseq) {
  if (generator_ != nullptr) return;
  if (kseq < 1 || kseq > kMostSequences) {
    throw std::invalid_argument("KSEQ is " + std::to_string(kseq) +
                                ", this library is made for 1 to 64 sequences");
  }
  generator_ = std::make_unique<Generator<Form48>>(settings_.backend, kseq);
  sequences_.resize(static_cast<std::size_t>(kseq));
  share_ = kPoolNumbers / kseq;
  settings_.largest_window = std::min(settings_.largest_window, share_);
  for (int s = 1; s <= kseq; ++s) {
    Sequence& sequence = slot(s);
    sequence.first = (s - 1) * share_;
    sequence.window = std::min(sequence.window, settings_.largest_window);
    empty_window(s, sequence);
  }
  common_.kseq = kseq;
}

DrawPath::Sequence& DrawPath::slot(int sequence) {
  if (sequence < 1 || sequence > static_cast<int>(sequences_.size())) {
    throw std::out_of_range("sequence " + std::to_string(sequence) + " is not in 1.." +
                            std::to_string(sequences_.size()));
  }
  return sequences_[static_cast<std::size_t>(sequence) - 1];
}

DrawPath::Sequence& DrawPath::drawable(int sequence) {
  if (generator_ == nullptr) throw std::logic_error("a number is drawn before any sequence was started");
  Sequence& s = slot(sequence);
  if (!s.seeded) {
    throw std::logic_error("a number is drawn from sequence " + std::to_string(sequence) +
                           (s.raw ? ", whose state was read back damaged" : ", which was never started"));
  }
  return s;
}

// Stock carries at most one billion at each call.
void DrawPath::carry(Sequence& s) {
  if (s.ntot >= kBillion) {
    s.ntot2 += 1;
    s.ntot -= kBillion;
  }
}

// Brings the counters up to the drawn position. A window holds far fewer than 10^9 numbers, so one carry is
// enough; while NTOT is above 10^9 (only a SEED card can do that) the window stays closed and every call
// comes here.
void DrawPath::count(int sequence, Sequence& s) {
  const std::int64_t drawn = pos(sequence) - s.counted;
  if (drawn == 0) return;
  s.draws += static_cast<std::uint64_t>(drawn);
  s.ntot += drawn;
  s.counted = pos(sequence);
  carry(s);
}

void DrawPath::show_window(int sequence, const Sequence& s) {
  end(sequence) = s.ntot >= kBillion ? pos(sequence) : s.filled;
}

void DrawPath::empty_window(int sequence, Sequence& s) {
  pos(sequence) = end(sequence) = s.filled = s.counted = s.first;
}

void DrawPath::refill(int sequence, Sequence& s) {
  generator_->fill(sequence, pool_ + s.first, static_cast<std::size_t>(s.window));
  s.made += static_cast<std::uint64_t>(s.window);
  s.refills += 1;
  pos(sequence) = s.counted = s.first;
  s.filled = s.first + s.window;
  s.window = std::min(2 * s.window, settings_.largest_window);
}

void DrawPath::seed(int sequence, const Counters& seed) {
  Sequence& s = slot(sequence);
  if (s.seeded) count(sequence, s);
  s.ijkl = seed[0];
  s.ntot = seed[1];
  s.ntot2 = seed[2];
  const std::int64_t skip = s.ntot2 < 0 ? 0 : s.ntot2 * kBillion + std::max<std::int64_t>(s.ntot, 0);
  generator_->seed(sequence, s.ijkl, static_cast<std::uint64_t>(skip));
  s.origin_i97 = kLongLag;
  s.made = static_cast<std::uint64_t>(skip);
  s.raw.reset();
  s.seeded = true;
  empty_window(sequence, s);
}

Counters DrawPath::counters(int sequence) {
  Sequence& s = slot(sequence);
  count(sequence, s);
  return {s.ijkl, static_cast<std::int32_t>(s.ntot), static_cast<std::int32_t>(s.ntot2)};
}

ClassicSequence DrawPath::export_sequence(int sequence) {
  ClassicSequence classic;
  classic.counters = counters(sequence);
  Sequence& s = slot(sequence);
  if (s.raw) {
    classic.words = s.raw->words;
  } else if (s.seeded) {
    const std::int64_t behind = s.filled - pos(sequence);
    const auto turned = static_cast<std::int64_t>((s.made - static_cast<std::uint64_t>(behind)) % kLongLag);
    const std::int64_t i97 = (s.origin_i97 - 1 - turned + kLongLag) % kLongLag + 1;
    classic.words = to_rmmaqd(generator_->state(sequence, behind), static_cast<std::int32_t>(i97));
  }
  return classic;
}

void DrawPath::import_sequence(int sequence, const ClassicSequence& classic) {
  Sequence& s = slot(sequence);
  count(sequence, s);
  s.ijkl = classic.counters[0];
  s.ntot = classic.counters[1];
  s.ntot2 = classic.counters[2];
  try {
    generator_->set_state(sequence, from_rmmaqd(classic.words));
    s.origin_i97 = classic.words.i97;
    s.made = 0;
    s.raw.reset();
    s.seeded = true;
  } catch (const std::invalid_argument&) {
    s.raw = classic;
    s.seeded = false;
  }
  empty_window(sequence, s);
}

void DrawPath::draw(double* out, std::int32_t n, int sequence) {
  Sequence& s = drawable(sequence);
  count(sequence, s);
  std::int64_t wanted = std::max<std::int64_t>(n, 0);
  while (wanted > 0) {
    if (pos(sequence) == s.filled) refill(sequence, s);
    const std::int64_t now = std::min(wanted, s.filled - pos(sequence));
    std::copy_n(pool_ + pos(sequence), now, out);
    pos(sequence) += now;
    out += now;
    wanted -= now;
  }
  s.counted = pos(sequence);
  s.draws += static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
  s.ntot += n;  // stock adds the length even where it is negative
  carry(s);
  show_window(sequence, s);
}

void DrawPath::step_over(std::int32_t n, int sequence) {
  Sequence& s = drawable(sequence);
  count(sequence, s);
  const std::int64_t wanted = std::max<std::int64_t>(n, 0);
  const std::int64_t ready = std::min(wanted, s.filled - pos(sequence));
  pos(sequence) += ready;
  if (wanted > ready) {
    generator_->skip(sequence, wanted - ready);
    s.made += static_cast<std::uint64_t>(wanted - ready);
    empty_window(sequence, s);
  }
  s.counted = pos(sequence);
  s.draws += static_cast<std::uint64_t>(wanted);
  s.ntot += n;
  carry(s);
  show_window(sequence, s);
}

bool DrawPath::last_was_zero(int sequence) {
  Sequence& s = drawable(sequence);
  return next_is_zero(generator_->state(sequence, s.filled - pos(sequence) + 1));
}

std::string DrawPath::summary() {
  std::uint64_t draws = 0;
  std::uint64_t refills = 0;
  int used = 0;
  for (int number = 1; number <= static_cast<int>(sequences_.size()); ++number) {
    Sequence& s = slot(number);
    count(number, s);
    draws += s.draws;
    refills += s.refills;
    used += s.draws > 0 ? 1 : 0;
  }
  const std::string backend(name(settings_.backend));
  const std::string target = settings_.backend == Backend::kSimd ? simd_target_in_use() : "none";
  return "ranmar: backend=" + backend + " target=" + target + " sequences=" + std::to_string(used) +
         " draws=" + std::to_string(draws) + " refills=" + std::to_string(refills) + " waits=0 wait_s=0";
}

}  // namespace ranmar::fortran
