// What light is drawn from, counted in and handed to: CORSIKA's Cherenkov sequence, sums and TELOUT, or
// copies. Reading a copy of the sequence does not advance CORSIKA's.
#pragma once

#include <memory>
#include <utility>

#include "corsika_runtime/cherenkov/observation.hpp"
#include "ranmar/generator.hpp"

namespace cherenkov::corsika {

/// A sequence at a position. Positions are CORSIKA's counters, NTOT2*10^9 + NTOT, with the numbers that the
/// SEED card skipped.
class LightNumbers {
 public:
  virtual ~LightNumbers() = default;

  /// The next n numbers. As azimuths of light they are azimuth/(2 pi). In some steps of option CERWLEN CERENK
  /// draws a negative count: the counters alone go back.
  virtual void draw(double* numbers, int n) = 0;
  /// Steps over n numbers, which count as drawn.
  virtual void step_over(std::uint64_t n) = 0;
  [[nodiscard]] virtual std::uint64_t position() const = 0;
  [[nodiscard]] virtual ranmar::State<ranmar::Form48> state() = 0;
};

/// CORSIKA's own. position() and state() need this project's generator.
class CorsikaNumbers : public LightNumbers {
 public:
  explicit CorsikaNumbers(const Routines& routines) : routines_(routines) {}
  void draw(double* numbers, int n) override;
  void step_over(std::uint64_t n) override;
  [[nodiscard]] std::uint64_t position() const override;
  [[nodiscard]] ranmar::State<ranmar::Form48> state() override;

 private:
  [[gnu::noinline]] void draw_unused(int n);
  Routines routines_;
};

class SequenceCopy : public LightNumbers {
 public:
  /// block: how many numbers are made at a time.
  SequenceCopy(std::shared_ptr<LightNumbers> original, std::size_t block)
      : original_(std::move(original)), block_(block) {}

  /// Goes to where the original stands. Asks for its state where that is far from what was read last, and
  /// after forget().
  void follow();
  /// The original's counters may not be those of its state: it drew a negative count, or in a way that is not
  /// known.
  void forget() { known_ = false; }

  void draw(double* numbers, int n) override;
  void step_over(std::uint64_t n) override { position_ += n; }
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  [[nodiscard]] ranmar::State<ranmar::Form48> state() override;

  /// Steps forward to a position.
  void go_to(std::uint64_t position) { position_ = position; }
  /// Whether the original is in the state of this position. True also after a negative count, since follow().
  [[nodiscard]] bool is_as_original();

 private:
  void make_more();

  std::shared_ptr<LightNumbers> original_;
  std::size_t block_;
  ranmar::Generator<ranmar::Form48> ahead_{ranmar::Backend::kSimd, 1};  // has made the numbers before made_
  std::vector<double> ready_;                                           // numbers made last, read or not
  std::uint64_t position_ = 0, made_ = 0;
  bool known_ = false, drew_negative_ = false;
};

/// What light is drawn from, counted in and handed to: CORSIKA's, or copies.
struct LightTarget {
  std::shared_ptr<LightNumbers> numbers;
  double *photons, *bunches;  ///< sums of the event
  std::function<void(Arrival&)> collect;
};
/// CORSIKA's own. Asks for the counters.
LightTarget target_of(const Routines& routines);

}  // namespace cherenkov::corsika
