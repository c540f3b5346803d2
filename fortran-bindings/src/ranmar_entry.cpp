// The generator's entry points for CORSIKA's Fortran and C. RMMARD's common case is a comparison and a copy;
// all else goes to DrawPath. No exception leaves them, and none ends the program but
// through end_run.
#include <algorithm>

#include "corsika_runtime/generator/draw_path.hpp"
#include "corsika_runtime/message.hpp"
#include "end_run.hpp"

using namespace ranmar::corsika;
using fortran_bindings::or_end;

extern "C" {
// Storage of the COMMON blocks of ranmar_common.inc. JSEQ is 1 until something else is drawn.
alignas(64) DrawCommon rnmdrw_ = {{}, 1, 0};
alignas(4096) double rnmpol_[kPoolNumbers];
/// Where it is not null, called before a sequence's counters or state are read or set, and before a number is
/// drawn from the Cherenkov sequence: numbers that are known to be drawn from it, and not yet counted, are
/// counted then.
void (*ranmar_before_reading)() = nullptr;
// Of the Cherenkov stage, by its address alone: null where the program has no patched CERENK.
void chrnot_() __attribute__((weak));
}

namespace {

// Never destroyed: draws may come as late as exit handlers. Not a static object made in place: what goes
// wrong on the way runs exit handlers, which may come here again.
DrawPath* the_path = nullptr;

void print_summary() noexcept {
  corsika_runtime::say("%s", the_path->summary().c_str());
  if (chrnot_ == nullptr)
    corsika_runtime::say(
        "cherenkov: the stage is not in this program; it needs option CERENKOV, and overlay build says what "
        "is lacking");
}

DrawPath& draw_path() {
  if (the_path == nullptr) {
    const Settings settings = Settings::from_environment();
    the_path = new DrawPath(rnmdrw_, rnmpol_, settings);
    if (settings.summary) std::atexit(print_summary);
  }
  return *the_path;
}

[[gnu::noinline, gnu::cold]] void draw_slowly(double* out, std::int32_t n, int sequence) {
  or_end("ranmar", [&] { draw_path().draw(out, n, sequence); });
}

inline void draw(double* out, std::int32_t n, int sequence) {
  Buffer& buffer = rnmdrw_.buffer[static_cast<std::size_t>(sequence - 1)];
  const std::int64_t first = buffer.pos;
  if (n <= 0 || first + n > buffer.end) return draw_slowly(out, n, sequence);
  buffer.pos = first + n;
  const double* const ready = rnmpol_ + first;
  out[0] = ready[0];
  if (n == 1) return;  // the most common request, kept clear of the copy loop's preparations
  for (std::int32_t i = 1; i < n; ++i) out[i] = ready[i];
}

// The sequence that a caller means, which becomes the one used last. Fortran sets RNMSEQ as well: 0 where it
// is no sequence, which is no index.
inline int used_sequence(std::int32_t asked) noexcept {
  if (asked <= 0 || asked > rnmdrw_.kseq) {
    const std::int32_t last = rnmdrw_.last_sequence;
    return last >= 1 && last <= ranmar::corsika::kMaxSequences ? last : 0;
  }
  rnmdrw_.last_sequence = asked;
  return asked;
}

void settle() {
  if (ranmar_before_reading != nullptr) ranmar_before_reading();
}

/// Before a number is drawn from the sequence of Cherenkov light, other numbers of it may have to be: those
/// of light that is not yet done. `asked`: as the caller names the sequence.
inline void settle_before(std::int32_t asked) {
  constexpr std::int32_t kCherenkovSequence = 3;
  if (asked == kCherenkovSequence || asked <= 0) [[unlikely]]
    settle();
}

}  // namespace

extern "C" {

/// RMMARD(RVEC,LENV,ISEQ): a sequence number of 0, or out of range, means the one used last.
void rmmard_(double* rvec, const std::int32_t* lenv, const std::int32_t* iseq) {
  settle_before(*iseq);
  const int sequence = used_sequence(*iseq);
  if (sequence == 0) return draw_slowly(rvec, *lenv, sequence);  // which says what is wrong
  draw(rvec, *lenv, sequence);
}

/// RNMVEC(RVEC,LENV,ISEQ): as RMMARD, of that sequence, which does not become the one used last.
void rnmvec_(double* rvec, const std::int32_t* lenv, const std::int32_t* iseq) {
  settle_before(*iseq);
  if (*iseq < 1 || *iseq > rnmdrw_.kseq) return draw_slowly(rvec, *lenv, *iseq);  // which says what is wrong
  draw(rvec, *lenv, *iseq);
}

/// RNMONE(VALUE,ISEQ): one number, where the buffer is empty.
void rnmone_(double* value, const std::int32_t* iseq) { draw_slowly(value, 1, *iseq); }

/// RNMRAW(VALUE,ISEQ): VALUE becomes 0 if the number drawn last was 0 before the rule that makes it 2^-48.
void rnmraw_(double* value, const std::int32_t* iseq) {
  or_end("ranmar", [&] {
    if (draw_path().last_was_zero(*iseq)) *value = 0.;
  });
}

/// RNMSKP(LENV,ISEQ): steps over LENV numbers that nobody needs; they count as drawn. ISEQ as in RMMARD.
void rnmskp_(const std::int32_t* lenv, const std::int32_t* iseq) {
  const int sequence = used_sequence(*iseq);
  if (*lenv > 0 && sequence >= 1 && sequence <= rnmdrw_.kseq) {
    Buffer& buffer = rnmdrw_.buffer[static_cast<std::size_t>(sequence - 1)];
    if (buffer.pos + *lenv <= buffer.end) {
      buffer.pos += *lenv;
      return;
    }
  }
  draw_slowly(nullptr, *lenv, sequence);
}

/// RNMINI(KSEQ): makes ready KSEQ sequences, once.
void rnmini_(const std::int32_t* kseq) {
  or_end("ranmar", [&] { draw_path().open(*kseq); });
}

/// RNMSED(ISEQ,ISEED): starts a sequence, ISEED(1..3) = seed, numbers to skip modulo 10^9, billions.
void rnmsed_(const std::int32_t* iseq, const std::int32_t* iseed) {
  settle();
  or_end("ranmar", [&] { draw_path().seed(*iseq, {iseed[0], iseed[1], iseed[2]}); });
}

/// RNMGET(ISEQ,ISEED): seed and counters at the drawn position.
void rnmget_(const std::int32_t* iseq, std::int32_t* iseed) {
  settle();
  std::ranges::copy(or_end("ranmar", [&] { return draw_path().counters(*iseq); }), iseed);
}

/// Numbers drawn from all sequences together.
std::uint64_t ranmar_drawn_in_all() {
  return or_end("ranmar", [] {
    std::uint64_t all = 0;
    for (int sequence = 1; sequence <= rnmdrw_.kseq; ++sequence) {
      const Counters counters = draw_path().counters(sequence);
      all += static_cast<std::uint64_t>(counters[2]) * 1000000000U + static_cast<std::uint64_t>(counters[1]);
    }
    return all;
  });
}

/// RNMEXP(ISEQ,U,C,INDICES,ISEED): state at the drawn position: U(97), C, I97 and J97, seed and counters.
void rnmexp_(const std::int32_t* iseq, double* u, double* c, std::int32_t* indices, std::int32_t* iseed) {
  settle();
  const ClassicSequence classic = or_end("ranmar", [&] { return draw_path().export_sequence(*iseq); });
  std::copy(classic.state.u.begin(), classic.state.u.end(), u);
  *c = classic.state.c;
  indices[0] = classic.state.i97;
  indices[1] = classic.state.j97;
  std::copy(classic.counters.begin(), classic.counters.end(), iseed);
}

/// RNMIMP(ISEQ,U,C,INDICES,ISEED): the inverse.
void rnmimp_(const std::int32_t* iseq, const double* u, const double* c, const std::int32_t* indices,
             const std::int32_t* iseed) {
  settle();
  ClassicSequence classic{{{}, *c, indices[0], indices[1]}, {iseed[0], iseed[1], iseed[2]}};
  std::copy_n(u, classic.state.u.size(), classic.state.u.begin());
  or_end("ranmar", [&] { draw_path().import_sequence(*iseq, classic); });
}

}  // extern "C"
