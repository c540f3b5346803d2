// One run of a production: the worker that makes it, its attempts, its manifest, its results.
#pragma once

#include <memory>
#include <string_view>

#include "overlay/production/plan.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {

// --- How a worker ends.

/// The exit statuses of `overlay production run`, which HTCondor and Slurm act on. Numbers as in sysexits.h
/// where it has one of that meaning.
enum class WorkerExit : int {
  done = 0,         ///< the run is published and its manifest is there
  never = 65,       ///< no attempt can succeed: card, digest of a file, seeds, or a poisoned run
  other_bits = 69,  ///< this node computes other last bits than the production's nodes
  disk_full = 74,   ///< scratch or the production's folder is full
  try_again = 75    ///< this attempt failed; another one may succeed
};

/// An attempt that failed, and one line that says why.
struct WorkerError : support::Error {
  /// `outcome`, `shower`: as in Attempt; without them the outcome is what the status says.
  WorkerError(WorkerExit status, const std::string& message, const std::string& outcome = "",
              long shower = 0);
  WorkerExit status;
  std::string outcome;
  long shower;
};

/// The error of a file or folder that cannot be written: disk_full where errno's value `problem` says so,
/// else try_again.
WorkerError cannot_write(const fs::path& file, int problem);
/// Links a file to a new name; false where the name is taken. Throws cannot_write().
bool link_to(const fs::path& from, const fs::path& to);
/// The file of this program.
fs::path this_program();
/// Makes a folder and those above it. Throws WorkerError where it cannot.
void make_folder(const fs::path& folder);

/// Does a run unless it is published and its files' checksums are right; returns one line that says so. A run
/// whose files are not right is set aside and made again. An attempt that fails leaves attempts/RUN/ID.json.
/// `scratch`: see scratch_folder(). Throws WorkerError, and nothing else but what no
/// attempt can do anything about (std::bad_alloc and the like).
std::string work_on_run(const fs::path& folder, std::int64_t run, const fs::path& scratch);

// --- Attempts: attempts/RUN/ has one small file for each that left no manifest. Nothing is decided by them
// but that a run is poisoned.

/// How an attempt at a run ended.
struct Attempt {
  std::string id;  ///< time, host, process
  std::string host;
  /// "crash"         the program ended with an error, or by another signal than those of "killed"
  /// "incomplete"    the program ended with 0, and its outputs are not whole
  /// "killed"        SIGKILL, SIGTERM or SIGXCPU ended the program, or a signal stopped the worker
  /// "vanished"      the worker is gone and left no word
  /// "disk-full"     scratch or the production's folder is full
  /// "other-bits"    this node computes other last bits than the production's nodes
  /// "refused"       no attempt can succeed: the card, a file's digest, seeds, or the run is poisoned
  /// "pipe-command"  the card's command behind TELFIL failed
  /// "after"         the plan's command after the run failed
  /// "disagrees"     another attempt published the run meanwhile, with other content
  /// "failed"        anything else, such as a run that took too long
  /// "running" where it has not ended.
  std::string outcome{};
  std::string reason{};  ///< one line
  std::string ended{};   ///< UTC; empty while it runs
  long shower = 0;       ///< at which a crash happened; 0: before the first one, or none
  // Who is at work.
  std::string machine{};
  pid_t process = 0;
  std::uint64_t processes = 0;  ///< the namespace of its process number; 0: not known
};

/// A worker's mark that it is at work on a run: the folder attempts/RUN/ID, with `started.json` in it. What
/// is written before it is published lies there, on the file system of the results. The destructor removes
/// the folder.
class RunningAttempt {
 public:
  /// Makes the folder. Throws WorkerError: disk_full or try_again.
  RunningAttempt(const fs::path& production, std::int64_t run);
  ~RunningAttempt();
  RunningAttempt(const RunningAttempt&) = delete;
  RunningAttempt& operator=(const RunningAttempt&) = delete;

  const std::string id;
  const fs::path folder;
  /// What the log of an attempt that fails is kept as, beside ID.json: its program's log, and what it said on
  /// standard error.
  const fs::path log;
  /// Says that the worker is alive: sets the time of `started.json`, at most once a minute.
  void beat(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
  /// Writes attempts/RUN/ID.json, which says how the attempt ended. Does nothing where the disk is full.
  void failed(const WorkerError& how);

 private:
  std::chrono::steady_clock::time_point last_beat_;
};

/// All attempts at a run by their names, oldest first: those that failed, and those that are running.
std::vector<Attempt> attempts_at(const fs::path& production, std::int64_t run);

/// The last log of a run, and what stands before it: state, host, reason. Throws support::Error where there
/// was no attempt yet.
struct RunLog {
  std::string head;
  fs::path file;  ///< in the production's folder, packed where it is published; empty: there is none
};
RunLog last_log(const ProductionPlan& plan, std::int64_t run);

/// Turns the marks of workers that are gone into failed attempts ("vanished"): those of this host whose
/// process is not there, and others that gave no sign of life for an hour.
void note_vanished(const fs::path& production, std::int64_t run);

/// Why a run is poisoned: two attempts ended as "crash" or "incomplete" at the same shower; all
/// attempts at a run have the same seeds. Empty where it is not. Deleting attempts/RUN lets it be tried
/// again.
std::string poisoned(std::int64_t run, const std::vector<Attempt>& attempts);

/// This machine's name, Slurm's where a job of Slurm runs, as attempts and manifests hold it.
std::string host_name();
/// Now, as attempts and manifests hold it: "2026-11-22T20:15:00Z".
std::string utc_now();

// --- The class of a node: which last bits it computes. Nodes whose libm gives the same bits form a class,
// and their runs have the same bytes (docs/production.md#same-bits-on-all-nodes).

/// SHA-256 of the results of libm's functions, of double and of float, for fixed arguments: 2000 for each
/// function. Takes some milliseconds. glibc chooses among variants of its functions by the processor and by
/// GLIBC_TUNABLES when a program starts. Two nodes with the same value ran the same variants, as far as these
/// arguments can tell.
std::string libm_bits();

/// The GLIBC_TUNABLES that make libm take the variants that every x86-64 processor has: no fused
/// multiply-add. It overrides what the environment says of the processor.
inline constexpr const char* kPinnedTunables = "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4";

/// This node's class, libm_bits() under the production's tunables as `overlay production libm-bits` computes
/// it, where it is that of the production, which node-class.json holds: the first node's, whose file nobody
/// replaces. Where the plan's policy is "any" nothing is measured, and an empty class comes back. Throws
/// WorkerError: other_bits where it is not, try_again where it cannot be measured; Error where the file is
/// damaged.
std::string checked_class(const ProductionPlan& plan, const fs::path& overlay);

// --- The run manifest, of a published run: what was run, on what, and what it left.

/// One output of a run.
struct PublishedFile {
  std::string name;         ///< in the run folder: "telescope.dat"
  std::string published{};  ///< beside the manifest: "660000.telescope.dat.zst"; empty for telescope data
                            ///< that went into a pipe
  std::uint64_t bytes = 0;  ///< as the program wrote it, uncompressed
  std::uint64_t packed_bytes = 0;  ///< as it is kept
  std::string sha256;              ///< of these bytes
  std::string content_sha256;      ///< content_digest(); empty for a file that the plan's command made
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PublishedFile, name, published, bytes, packed_bytes, sha256,
                                   content_sha256)

/// What a run took.
struct RunCost {
  std::string began, ended;  ///< UTC, 2026-11-22T20:15:00Z
  double wall_s = 0, user_s = 0, system_s = 0;
  double startup_cpu_s = 0;  ///< CPU time until the first shower began; 0 where the log does not say
  long peak_rss_kib = 0;
  double cpu_s() const { return user_s + system_s; }
};

/// results/NNN/RUN.json holds it; it appears after all files that it names.
struct RunManifest : PlannedRun, MadeOf {
  RunManifest() = default;
  RunManifest(const ProductionPlan& plan, std::int64_t number)
      : PlannedRun(planned_run(plan, number)),
        MadeOf(plan),
        production(plan.name),
        plan_sha256(plan.digest) {}

  std::string production;   ///< its name
  std::string plan_sha256;  ///< ProductionPlan::digest
  std::string attempt;      ///< names the attempt that published it
  std::string card_sha256, program_sha256;
  std::string host, processor, kernel, system;
  std::string node_class;  ///< checked_class(); empty where it was not measured
  RunCost cost;
  std::vector<PublishedFile> files;
  std::map<std::string, std::string> cherenkov, generator;  ///< both counters, as printed
};

/// The manifest as JSON. Its last line is `"sha256"`, of all that stands before.
std::string manifest_text(const RunManifest& manifest);

/// A manifest is whole, and of a format that this program does not read.
struct OtherFormat : support::Error {
  using Error::Error;
};

/// Reads a manifest. Throws OtherFormat, and support::Error where it is no manifest or a byte of it has
/// changed.
RunManifest read_manifest(const fs::path& file);

// --- Packed files: outputs as a production keeps them, compressed by zstd.

/// Writes `bytes` as a zstd file (level 3, with zstd's own checksum) to a new file and waits until it is on
/// the disk. Returns its size. Throws WorkerError: disk_full where there is no room, try_again where it
/// cannot be written.
std::uint64_t pack_file(std::string_view bytes, const fs::path& packed);

/// Gives what a packed file holds to `take`, piece by piece. Throws support::Error where it cannot be read or
/// is not whole.
void unpack_file(const fs::path& packed, const std::function<void(std::string_view)>& take);
/// SHA-256 of what a packed file holds. Throws support::Error where it cannot be read or is not whole.
std::string unpacked_sha256(const fs::path& packed);

// --- Making a run: in a folder on a node's scratch disk.

/// Where runs are made: `asked` where it is not empty, else the first that is a folder of
/// $_CONDOR_SCRATCH_DIR, $SLURM_TMPDIR, $TMPDIR; else /tmp. Absolute. Throws WorkerError (try_again) where
/// `asked` is no folder.
fs::path scratch_folder(const fs::path& asked);

/// What to run.
struct RunOrder {
  const ProductionPlan& plan;
  std::int64_t run = 0;
  fs::path scratch;    ///< as scratch_folder() takes it
  bool stock = false;  ///< with the stock program instead of the patched one
  long showers = 0;    ///< 0: the plan's
  std::function<void()> check = support::check_interrupt;  ///< called about once a second; may throw
  fs::path failed_log{};  ///< gets the log of a run that fails; empty: none is kept
  bool after = true;      ///< the plan's command gets the run's files
  fs::path staging{};     ///< gets its outputs, packed (pack_outputs()); empty: they go with the run's folder
};

/// What a whole run left.
struct FinishedRun {
  RunManifest manifest;               ///< but for attempt and class
  std::vector<std::string> messages;  ///< of the Cherenkov stage, but for its summary
};

/// Checks the checksums of card.template and of the program's files; makes the run folder: the card, and
/// links to the program's tables, also those that cards name as ../NAME. Runs the program, checks its outputs
/// (check_outputs()), hands its telescope data to the card's command where there is one, and all its files to
/// the plan's. Tables that a run makes for itself are no outputs (tables_in()). Throws
/// WorkerError where anything is not what the plan says, the program crashed, was killed or left an
/// incomplete run, the command failed, the disk is full or the program cannot be started.
FinishedRun make_run(const RunOrder& order);

/// Why the outputs in a run's folder (output_files()) are not those of the whole run; one line each, empty
/// where they are:
/// - the files that its log names are there, and hold something;
/// - there is one output beside the log;
/// - particle and telescope files, compressed ones too, are whole and hold `showers` events
/// (why_not_whole());
/// - in telescope files every object's length adds up, inner ones included (eventio_gap());
/// - run headers hold the run's number, and the first event's header the planned start of each sequence.
std::vector<std::string> check_outputs(const fs::path& folder, long showers, const PlannedRun& run);

/// The shower at which a run stopped: the highest number that its log or its files say was begun, 0 where
/// none was. Two attempts that crash at the same place give the same number.
long last_begun_shower(const fs::path& folder);

// --- Results: files first, the manifest last. Manifests alone say which runs are done.

/// Checksums of the outputs by their names, and packed copies of them in `staging`, a folder on the file
/// system of the results; of light that went into a pipe only with `keep_light`. Returns them with
/// `published` set to the name in `staging`. Throws WorkerError: disk_full or try_again.
std::vector<PublishedFile> pack_outputs(const std::map<std::string, fs::path>& outputs, std::int64_t run,
                                        const fs::path& staging, bool keep_light = false);

/// Links the staged files and then the manifest into results/NNN. Nothing there is ever overwritten, so of
/// two attempts one publishes: true. The other one compares content: it agrees and leaves no trace: false.
/// Or both go to quarantine/RUN, and the run is to be made again: throws WorkerError ("disagrees"), and
/// support::Error where it cannot write. `manifest.files` are in `staging`.
bool publish(const ProductionPlan& plan, RunManifest manifest, const fs::path& staging);

/// How the outputs of two manifests of one run differ, by their content (content_digest()); empty where they
/// agree. Files that the plan's command made are not compared.
std::string difference(const RunManifest& a, const RunManifest& b);

/// How much of a published run is read.
enum class VerifyDepth {
  sizes,   ///< the manifest, and the sizes of the files that it names
  digests  ///< and the checksum of all that they hold
};

// States of a run, as they are printed and written.
inline constexpr const char* kPublished = "published";  ///< its manifest and files are as they should be
inline constexpr const char* kRunning = "running";      ///< there is no manifest, and a worker is at it
inline constexpr const char* kMissing = "missing";      ///< there is no manifest
inline constexpr const char* kRejected = "rejected";    ///< there is one, and it or a file is not right
inline constexpr const char* kPoisoned = "poisoned";    ///< none, and two attempts stopped at the same shower

struct RunState {
  std::string state = kMissing;
  std::string reason{};                   ///< where it is rejected, poisoned, or an attempt failed
  std::optional<RunManifest> manifest{};  ///< of a published run
  std::vector<Attempt> attempts{};        ///< that failed or are at work
};

/// Verifies one run. Right is a manifest of this plan and of this
/// run (a copy of another's is not), with the planned seeds and showers, whose files are there with their
/// sizes and, where asked, their checksums. Throws OtherFormat.
RunState verify_run(const ProductionPlan& plan, std::int64_t run, VerifyDepth depth);

/// Moves the manifest of a rejected run, and the files that carry its number, to quarantine/RUN/, so that the
/// run is made again. Does nothing where there is no manifest. Throws support::Error where it cannot.
void set_aside(const ProductionPlan& plan, std::int64_t run, const std::string& reason);

}  // namespace overlay
