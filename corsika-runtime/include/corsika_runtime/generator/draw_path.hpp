// The draw path: buffers of ready numbers, refilled by libranmar.
#pragma once

#include <cstdlib>

#include "corsika_runtime/generator/device_refills.hpp"
#include "ranmar/generator.hpp"

namespace ranmar::corsika {

inline constexpr int kMaxSequences = 64;
inline constexpr std::int64_t kPoolNumbers = 131072;    ///< for buffers of up to 2048 numbers
inline constexpr std::int64_t kMostNumbers = 16777216;  ///< in larger buffers, of all sequences together
inline constexpr std::int64_t kPageNumbers = 512;       ///< numbers in a page of memory
inline constexpr std::int64_t kBillion = 1000000000;

/// The buffer of a sequence: which of its numbers are ready. Positions count numbers from the pool's begin,
/// also those of memory outside of it. Those up to `pos` are drawn, those after it up to `end` are ready.
struct Buffer {
  std::int64_t pos;
  std::int64_t end;
};

/// COMMON /RNMDRW/ of ranmar_common.inc.
struct DrawCommon {
  std::array<Buffer, kMaxSequences> buffer;
  std::int32_t last_sequence;
  std::int32_t kseq;  ///< number of sequences; set by DrawPath::open()
};

/// Seed and counters as CORSIKA's ISEED(3): seed, numbers drawn modulo 10^9, billions.
using Counters = std::array<std::int32_t, 3>;

/// A sequence as RMMAQD knows it.
struct ClassicSequence {
  RmmaqdState state;
  Counters counters{};
};

/// What the environment asks for.
struct Settings {
  Backend backend = Backend::kSimd;      ///< on the CPU
  bool use_device = false;               ///< for sequences that many numbers are drawn of
  bool use_opencl = false;               ///< by OpenCL instead of CUDA
  std::string device = "auto";           ///< see start_device_refills
  std::int64_t largest_buffer = 2048;    ///< numbers, on the CPU
  std::int64_t device_buffer = 0;        ///< numbers; 0: a quarter of a sequence's share of kMostNumbers
  std::uint64_t device_from = 1U << 20;  ///< numbers of one sequence from which on a device makes them
  bool summary = false;

  /// Reads RANMAR_BACKEND (auto, which is simd; reference, simd, cuda, opencl), RANMAR_BUFFER (numbers per
  /// buffer, on CPU and device: 32 to kMostNumbers), RANMAR_DEVICE, RANMAR_SUMMARY. Throws
  /// std::invalid_argument, with one line that says what is allowed.
  static Settings from_environment();
};

/// All sequences of one program. The fast draws never come here: they only move a position in DrawCommon.
/// Functions throw std::exception, with one line that says what is wrong: KSEQ or a sequence is out of range,
/// or a number is drawn before its sequence has a seed or a valid state.
class DrawPath {
 public:
  /// pool: kPoolNumbers numbers.
  DrawPath(DrawCommon& common, double* pool, const Settings& settings);

  /// KSEQ sequences, each with its share of the pool. Called at every RMMAQD; only the first call does
  /// anything.
  void open(int kseq);

  /// Starts a sequence as RMMAQD's 'S' does: from its seed, after a number of skipped numbers: 0 if NTOT2 <
  /// 0, else NTOT2*10^9 + max(NTOT,0).
  void seed(int sequence, const Counters& seed);

  /// The counters at the drawn position.
  Counters counters(int sequence);

  /// The whole state at the drawn position, and back. A sequence without a seed gives zeros. An invalid
  /// state is kept and refused at the next draw.
  ClassicSequence export_sequence(int sequence);
  void import_sequence(int sequence, const ClassicSequence& classic);

  /// A draw that the buffer cannot serve: n <= 0, or n greater than what is left in the buffer. With n <= 0
  /// nothing is drawn; n is still added to NTOT, as CORSIKA does. out: null where nobody needs the numbers.
  void draw(double* out, std::int32_t n, int sequence);

  /// True where the number drawn last from the sequence was 0 before the rule that makes it 2^-48.
  bool last_was_zero(int sequence);

  /// One line of key=value: backend, sequences, draws, refills, waits, and of a device its number and
  /// refills.
  [[nodiscard]] std::string summary();

 private:
  struct Sequence {
    int number = 0;
    Buffer* shown = nullptr;  // in DrawCommon
    // Its memory: a share of the pool, and once its buffers are larger, memory of its own.
    std::int64_t first = 0;
    std::int64_t room = 0;  // numbers
    std::unique_ptr<double[], decltype(&std::free)> memory{nullptr, &std::free};
    std::int64_t next_size = 32;  // numbers of the next refill; doubles up to the largest
    // End of what has been made. The buffer shown in DrawCommon may be closed: its end is pos, so that every
    // draw comes here, while NTOT is 10^9 or more.
    std::int64_t filled = 0;
    std::int64_t counted = 0;  // position up to which draws are in `ntot`
    std::int32_t ijkl = 0;
    std::int64_t ntot = 0;
    std::int64_t ntot2 = 0;
    std::int32_t origin_i97 = kLongLag;  // I97 when `made` was 0
    std::uint64_t made = 0;              // numbers made since then
    std::uint64_t draws = 0;
    std::uint64_t refills = 0;
    std::optional<ClassicSequence> raw;  // an invalid state that was read back
    bool seeded = false;
    std::uint64_t since_start = 0;          // numbers made since it was seeded or read back
    std::unique_ptr<DeviceRefills> device;  // makes the buffers, if it is there
    std::int64_t device_buffer = 0;
    std::uint64_t device_made = 0;  // numbers that it delivered
  };

  Sequence& slot(int sequence);
  Sequence& drawable(int sequence);
  Sequence& restart(int sequence, const Counters& counters);
  void count(Sequence& s);
  static void carry(Sequence& s);
  void empty_buffer(Sequence& s);
  void refill(Sequence& s);
  void refill_on_cpu(Sequence& s);
  void make_room(Sequence& s, std::int64_t numbers);
  void refill_from_device(Sequence& s);
  void start_device(Sequence& s);
  void leave_device(Sequence& s);
  [[nodiscard]] State<Form48> state_before(const Sequence& s, std::int64_t numbers) const;

  DrawCommon& common_;
  double* pool_;
  Settings settings_;
  std::int64_t largest_room_ = 0;  // of a sequence
  std::unique_ptr<Generator<Form48>> generator_;
  std::vector<Sequence> sequences_;
  bool device_failed_ = false;        // printed once, and not tried again
  int device_ = -1;                   // the last that was started
  std::uint64_t device_refills_ = 0;  // asked for
  std::uint64_t waits_ = 0;
};

}  // namespace ranmar::corsika
