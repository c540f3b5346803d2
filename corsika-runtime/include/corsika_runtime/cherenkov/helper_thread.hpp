// Emits light in parallel with CORSIKA, on a helper thread. Calls the given routines on the caller's
// thread; `thickness`, and Emission::index and excess, on the helper's, too.
#pragma once

#include <pthread.h>

#include <atomic>
#include <exception>
#include <thread>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/cherenkov/emitter.hpp"

namespace cherenkov::corsika {

/// Recorded steps go through three phases, a batch at a time; a batch is some chunks of kChunkSteps steps.
/// 1. CORSIKA's thread records them.
/// 2. A helper thread emits their light, with copies of CORSIKA's random sequence, sums and longitudinal
///    distribution. A device, if there is one, finds for it the steps that no telescope can see, what
///    these and most others add to the sums, and which azimuths of the others a telescope may see.
/// 3. CORSIKA's thread follows the bunches that may hit a telescope, in CORSIKA's order. At drain() it takes
///    over the sums.
/// A step that the stage leaves to CORSIKA waits for all before it, and those after it wait for it. Functions
/// are called by one thread; they throw what the routines and the stage throw.
class HelperThread {
 public:
  /// Has CORSIKA do step i of the steps.
  using DoInCorsika = std::function<void(const RecordedSteps& steps, int i)>;

  /// Starts a device, or throws. Called on a thread of its own, in parallel with all others.
  using StartDevice = std::function<std::unique_ptr<DeviceSteps>(std::span<std::byte> memory)>;

  /// routines: `thickness` is called by the helper thread, in parallel with CORSIKA's own calls. target: what
  /// the light is for, CORSIKA's with this project's generator, or a check's. memory: room for two batches,
  /// an even number of chunks, at least 2; with a device 2 kDeviceChunks at most. It must outlive this.
  /// curved: option CURVED. start_device: empty for none. Until the device is started, and
  /// if it fails, the CPU does its work; in the latter case a line on standard error says so. Throws
  /// std::exception where the helper thread cannot start, or memory cannot be had.
  HelperThread(const Routines& routines, LightTarget target, std::span<RecordedSteps> memory,
               bool curved = false, const StartDevice& start_device = {});
  ~HelperThread();

  /// The chunk that the next add() takes: record steps in it. add() and drain() choose another.
  [[nodiscard]] RecordedSteps& next_chunk() {
    const Batch& batch = batches_[static_cast<std::size_t>(filling_)];
    return batch.chunk[static_cast<std::size_t>(batch.chunks)];
  }

  /// Takes the first `count` (1 to kChunkSteps) steps of next_chunk(). What is in emission and context must
  /// not change before drain(). What the helper thread threw comes from add() or drain(). With option CURVED
  /// Emission::density must not be needed: emission has tables, or `air`. A device is then used only with
  /// `air`.
  void add(int count, const Emission& emission, const ObservationContext& context,
           const DoInCorsika& corsika);

  /// Does all that was added; CORSIKA's counters, distribution and sequence then are as CERENK leaves them.
  void drain(const DoInCorsika& corsika);

  /// Waits until the device is started, or has failed to. To be called before the program ends: it must not
  /// end while a device starts.
  void wait_for_start();

  /// Whether steps were added that drain() has not yet done.
  [[nodiscard]] bool has_pending() const { return begun_; }

  /// Of light that was done; to be read when nothing is pending.
  [[nodiscard]] Counts counts() const { return emitter_.counts(); }
  /// As of Emitter; while CORSIKA does a step.
  [[nodiscard]] const char* why_left() const { return emitter_.why_left(); }
  [[nodiscard]] bool has_device() const { return device_ != nullptr; }
  /// Of a device that was started: its batches, how long the helper thread waited for it, and its start, s;
  /// and the CPU time of the helper thread, s. Each as " key=value".
  [[nodiscard]] std::string summary() const;

 private:
  static constexpr int kNowhere = -1;
  struct Batch {
    std::span<RecordedSteps> chunk;
    std::span<CurvedLoop> loops;  // option CURVED: kChunkSteps of each chunk; else none
    std::vector<int> counts;      // steps of each chunk
    int chunks = 0;               // that hold steps
    // What came of it.
    std::vector<Bunch> light;  // that may hit a telescope, as emitted
    double photons = 0., bunches = 0.;
    int stopped = kNowhere;  // at the step that CORSIKA must do
    std::exception_ptr error;

    [[nodiscard]] CurvedLoop* loops_of(std::size_t of_chunk) {
      return loops.empty() ? nullptr : &loops[of_chunk * kChunkSteps];
    }
  };
  enum State { kIdle, kWork, kDone, kQuit };

  void begin(const Emission& emission, const ObservationContext& context);
  void start_helper();
  void help();
  void emit(Batch& batch, int first);
  void find_indices_of(Batch& batch, std::size_t chunk);
  void emit_chunks(Batch& batch, int first);
  void start(const StartDevice& start_device);
  std::span<const StepAnswer> ask_device(const Batch& batch, int count);
  void begin_event_on_device();
  bool try_emit_with_device(Batch& batch);
  void emit_answered(Batch& batch, std::span<const StepAnswer> answers);
  bool emit_gathered(const Batch& batch, std::span<const StepAnswer> answers, std::size_t i);
  void gather(const Batch& batch, std::span<const StepAnswer> answers, std::size_t first);
  void submit(const DoInCorsika& corsika);
  Batch& wait_for_helper();
  void finish(Batch& batch, const DoInCorsika& corsika);
  void follow(Batch& batch);
  void give_sums_to_corsika();
  void take_sums_from_corsika();

  // Steps that the host does of a batch that the device answered, planned together.
  RecordedSteps gathered_{};
  std::array<std::size_t, kChunkSteps> gathered_from_{};
  LightTarget target_;
  std::shared_ptr<SequenceCopy> sequence_;  // the helper's while it works, as the next three
  double photons_copy_ = 0., bunches_copy_ = 0.;
  std::vector<double> profile_copy_;
  Emitter emitter_;
  LastIndex last_index_;  // of CORSIKA's thread; with tables or CURVED the helper's
  int event_chunks_ = 0;  // that were added since the event's first light
  const bool curved_;
  double* profile_ = nullptr;  // CORSIKA's
  bool begun_ = false;         // steps were added since the last drain()
  bool can_emit_ = false;      // Event::prepare()
  std::atomic<bool> device_ready_ = false;
  bool device_knows_event_ = false;
  bool index_table_tried_ = false;
  Emission emission_{};
  ObservationContext context_{};

  // Of all batches. The device reads the one under way.
  const std::span<RecordedSteps> memory_;
  std::vector<CurvedLoop> loops_memory_;
  // The device, the helper's once it is ready.
  std::unique_ptr<DeviceSteps> device_, started_;
  std::vector<double> bin_powers_;
  std::optional<IndexTable> index_table_;
  std::uint64_t device_batches_ = 0;
  double device_wait_seconds_ = 0., device_start_seconds_ = 0.;
  std::thread starter_;
  int gathered_count_ = 0, gathered_next_ = 0;

  std::array<Batch, 2> batches_;
  Batch* under_way_ = nullptr;
  int filling_ = 0;
  std::atomic<int> state_ = kIdle;
  pthread_t thread_{};
};

}  // namespace cherenkov::corsika
