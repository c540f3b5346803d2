// Many sequences by number, each one bit-exact, all made by one backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranmar/engine.hpp"
#include "ranmar/fill.hpp"
#include "ranmar/state.hpp"

namespace ranmar {

/// A sequence number outside 1..n.
class RANMAR_API BadSequence : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

/// A sequence that has neither a seed nor a state yet.
class RANMAR_API NotSeeded : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Sequences 1..n of one form. Not thread-safe; different objects are independent.
/// Functions throw BadSequence for a sequence number outside 1..n and NotSeeded for one that
/// has neither a seed nor a state yet.
template <class Form>
class RANMAR_API Generator {
 public:
  static constexpr int kMostSequences = 1 << 20;

  /// `sequences` from 1 to kMostSequences, else throws std::invalid_argument; some 800 bytes each, of the
  /// 24-bit form some 400.
  Generator(Backend backend, int sequences) : backend_(backend) {
    if (sequences < 1 || sequences > kMostSequences)
      throw std::invalid_argument("a generator has 1 to " + std::to_string(kMostSequences) +
                                  " sequences, not " + std::to_string(sequences));
    sequences_.resize(static_cast<std::size_t>(sequences));
  }

  [[nodiscard]] int sequences() const { return static_cast<int>(sequences_.size()); }
  [[nodiscard]] Backend backend() const { return backend_; }

  /// Starts a sequence from its seed (see seeded_state), `skip` numbers in. Any skip takes less than a
  /// millisecond.
  void seed(int sequence, std::int32_t ijkl, std::uint64_t skip = 0) {
    slot(*this, sequence) = engine_state<Form>(ijkl, 0, skip);
  }
  /// Throws as functions that need a seed, or a state by set_state(), do.
  void need_seed(int sequence) const { live(*this, sequence); }

  /// The next n numbers of a sequence.
  void fill(int sequence, typename Form::Real* out, std::size_t n) {
    ranmar::fill(backend_, live(*this, sequence), out, n);
  }

  /// Steps over numbers without making them, in less than a millisecond. Negative steps back, also before the
  /// seed's first number: the recurrence then runs backwards.
  void skip(int sequence, std::int64_t numbers) { jump(live(*this, sequence), numbers); }

  /// The state `behind` numbers before the next one to be made: where a consumer stands that has not yet
  /// drawn the last `behind` numbers made. Negative, above -2^63: that many numbers ahead. As with skip(), it
  /// may lie before the seed's first number.
  [[nodiscard]] State<Form> state(int sequence, std::int64_t behind = 0) const {
    return detail::jumped(live(*this, sequence), -behind);
  }
  /// Goes on from `state`, which is not checked; the sequence needs no seed before.
  void set_state(int sequence, const State<Form>& state) { slot(*this, sequence) = state; }

 private:
  // Self: this class, const or not.
  template <class Self>
  static auto& slot(Self& self, int sequence) {
    if (sequence < 1 || sequence > self.sequences())
      throw BadSequence("sequence " + std::to_string(sequence) + " is not in 1.." +
                        std::to_string(self.sequences()));
    return self.sequences_[static_cast<std::size_t>(sequence) - 1];
  }
  template <class Self>
  static auto& live(Self& self, int sequence) {
    auto& state = slot(self, sequence);
    if (!state) throw NotSeeded("sequence " + std::to_string(sequence) + " has no seed yet");
    return *state;
  }

  Backend backend_;
  std::vector<std::optional<State<Form>>> sequences_;
};

}  // namespace ranmar
