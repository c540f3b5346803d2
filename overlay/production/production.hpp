// A production as a whole: what there is of it, and the commands on it. `overlay production` calls these.
#pragma once

#include "overlay/build/build.hpp"
#include "overlay/production/run.hpp"
#include "support/statistics.hpp"

namespace overlay {

// --- The one walk over all runs: their states, and sums over them. Reads the production's folder, several
// runs at a time; writes nothing.

/// What a published run took.
struct RunFigures : RunCost {
  std::int64_t run = 0;
  std::size_t setting = 0;
  double packed_bytes = 0;
};

/// Nodes that compute the same last bits.
struct NodeGroup {
  std::string node_class;  ///< empty where it was not measured
  std::int64_t runs = 0;
  std::set<std::string> hosts, processors;
};

/// A run that is not as it should be.
struct RunIssue {
  std::int64_t run = 0;
  std::string state;  ///< kRejected, kPoisoned, "failed", or "stride": it may have drawn more numbers than
                      ///< its offset leaves
  std::string reason;
};
/// When the rest will be done, by the runs that ended within the last hour, or since the first began
/// where that is less.
struct EndEstimate {
  double runs_per_hour = 0;
  double end_s = 0;  ///< since 1970, UTC
};

/// What there is of a production.
struct Survey {
  std::int64_t planned = 0;
  std::map<std::string, std::int64_t> states;  ///< runs by state: kPublished, ...
  std::vector<std::int64_t> absent;            ///< runs that are not published, by rising number
  std::vector<std::int64_t> pending;  ///< those of them that are to be made: all but the poisoned ones
  std::vector<RunFigures> figures;    ///< of published runs, by number
  std::vector<NodeGroup> groups;      ///< largest first
  std::vector<RunIssue> issues;       ///< by the run's number
  std::int64_t failed_attempts = 0;
  std::map<std::string, std::int64_t> outcomes;  ///< of failed attempts: "crash", "disk-full", ...
  std::set<std::string> other_bits;              ///< hosts that ended a run with 69: their last bits differ
  std::uint64_t bytes = 0, packed_bytes = 0;
  double cpu_s = 0;

  /// Runs of a state, and their share of all.
  std::int64_t of(const std::string& state) const { return states.contains(state) ? states.at(state) : 0; }
  double share(const char* state) const {
    return static_cast<double>(of(state)) / static_cast<double>(planned);
  }
  bool complete() const { return of(kPublished) == planned; }
  /// "2 at work, 3 missing, 0 rejected, 0 poisoned".
  std::string not_done() const;
  /// Nothing where no run ended within the last hour, or none is left. `now_s`: seconds since 1970.
  std::optional<EndEstimate> estimate(double now_s) const;
};

/// Looks at every run of the plan. Files are read only of runs that have a manifest or an attempt. `visit`
/// gets the manifest of each published run, by rising number. Throws what it throws, and support::Error where
/// a folder cannot be read.
Survey survey_of(const ProductionPlan& plan, VerifyDepth depth,
                 const std::function<void(const RunManifest&)>& visit = {});

/// Seconds since 1970 of "2026-11-22T20:15:00Z"; 0 where the text is not of that form.
double seconds_of_utc(const std::string& text);
/// For people: "2026-11-22 20:15 UTC".
std::string utc_of_seconds(double seconds);

/// Runs that an engine is to be given, as job arrays, one line each: base and tasks, "660000 0-11,13". A run
/// is base + task; tasks are below `size`. Bases are first_run (the plan's) + a multiple of `size`.
/// `pending`: by rising number.
std::vector<std::string> array_lines(const std::vector<std::int64_t>& pending, std::int64_t first_run,
                                     std::int64_t size);

/// Runs by rising number as ranges: "1-5,7".
std::string range_text(const std::vector<std::int64_t>& runs);

// --- start: runs what is not done on this machine, as many workers at a time as asked. Writes nothing
// itself.

/// The options of `overlay production start`.
struct LocalRequest {
  fs::path folder;                    ///< of the production
  fs::path overlay = this_program();  ///< its `production run` is a worker
  fs::path scratch;                   ///< empty: as a worker chooses
  int jobs = 0;                       ///< workers at a time; 0: as many as there are cores that we may use
  int retries = 2;                    ///< of a run that may yet succeed
  std::int64_t most = 0;              ///< end after so many runs were made; 0: all
};

/// Says once in a while on standard error how far it is, and what it did at the end. Where the production's
/// folder is no longer there, no more runs are begun. A signal ends the workers, which publish nothing
/// half-done. Returns 0 where all runs are done or `most` were made, 1 where some failed, 130 where a signal
/// or a node of other bits ended it. Throws support::Error where the plan is not right.
int start_production(const LocalRequest& request);

// --- check: what a production will need, seen before it is submitted.

/// What a whole run will need, by a pilot run; pilot.json holds the most of all settings.
struct Pilot {
  double memory_mib = 0;  ///< peak
  double disk_mib = 0;    ///< outputs of a whole run on scratch
  double seconds = 0;     ///< wall time of a whole run
  double packed_mib = 0;  ///< as they are kept
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Pilot, memory_mib, disk_mib, seconds, packed_mib)

/// The options of `overlay production check`.
struct PilotRequest {
  fs::path folder;    ///< of the production
  fs::path scratch;   ///< empty: as a worker chooses
  long showers = 10;  ///< of a pilot run, 1 or more; at most the plan's are made
};

/// Checks the plan's numbers, all files' checksums, this node's class and the disks, and makes one short run
/// of each setting, whose largest needs go to pilot.json. Prints what it finds; returns 1 where the
/// production cannot be submitted, else 0. Throws support::Error where the plan cannot be read, pilot.json
/// not be written, or fewer than 1 shower is asked for.
int check_production(const PilotRequest& request);

// --- audit: published runs made again, with the stock program or on another node, and compared.

/// The options of `overlay production audit`.
struct AuditRequest {
  fs::path folder;         ///< of the production
  fs::path scratch;        ///< empty: as a worker chooses
  std::int64_t stock = 0;  ///< published runs to make again with the stock program
  double elsewhere = 0;    ///< as many runs as this share (0 to 1) of all published ones, chosen from those
                           ///< made on other nodes
  /// These runs instead of a choice; with the stock program unless `elsewhere` is asked for.
  std::vector<std::int64_t> runs;
};

/// Chooses runs evenly over the published ones, makes each again in a folder of its own and compares every
/// output's checksum with the published one's (content_digest(): dates and times may differ, nothing else).
/// audits/RUN-KIND-HOST.json holds the result: run, kind ("stock" or "elsewhere"), made_on and audited_on
/// (hosts), equal, reason (the file, where it is not), published_cpu_s, audit_cpu_s; a later audit of the
/// same kind replaces it. Prints what it finds, and the gain over stock; returns 1 where a run differs, else
/// 0. Throws support::Error where there is nothing to audit, WorkerError where a run cannot be made again.
int audit_production(const AuditRequest& request);

/// The audits that a production's folder holds, by the names of their files. Damaged files are left out.
nlohmann::json audits_of(const fs::path& folder);

/// CPU time of stock over that of the published run: "8.29 times stock's throughput (8.24 to 10.30), the
/// median of 3 runs audited with stock", with its interval (support::bootstrap_median(): the range for 2 to 5
/// runs). Empty where no run was audited with stock.
std::string gain_over_stock(const nlohmann::json& audits);

// --- emit: the files by which an engine runs a production, htcondor/, slurm/ or local/ in its folder. They
// hold the folder's own path, so they are written anew where the folder was moved.

/// The options of `overlay production emit`.
struct EmitRequest {
  fs::path folder;                   ///< of the production
  std::string engine;                ///< htcondor, slurm or local
  std::int64_t memory_mib = 0;       ///< 0: from the pilot
  std::int64_t disk_mib = 0;         ///< 0: from the pilot
  std::int64_t minutes = 0;          ///< 0: from the pilot
  int retries = 5;                   ///< htcondor: of a run that may yet succeed
  std::string avoid = "machine";     ///< htcondor, after exit 69: another machine, or another "slot"
  std::int64_t array_size = 1000;    ///< slurm: runs of one array, at most its MaxArraySize less 1
  std::vector<std::string> lines{};  ///< lines for the engine's job file, as they are: a queue, an account
};

/// Writes the files of an engine, says what a run gets, and returns the command that starts it. A run gets,
/// with room to spare, 1.5 times the memory and disk, and 4 times the time, that the pilot runs foretell for
/// a whole run; at least 256 MiB of each, and 15 minutes; without a pilot 2 GiB, 4 GiB, a day. Throws
/// support::Error where an option is out of range, pilot.json is damaged, the folder's path holds characters
/// that these files cannot, and where a file cannot be written.
std::string emit_production(EmitRequest request);

// --- collect: one manifest of all runs, and lists of files for what comes next.

/// The options of `overlay production collect`.
struct CollectRequest {
  fs::path folder;
  bool accept_partial = false;  ///< write the manifest though runs are missing; it says so
  bool digests = false;         ///< read all files, not just their sizes
  std::int64_t list = 0;        ///< files of so many runs in each list; 0: no lists
};

/// What was collected.
struct Collected {
  Survey survey;
  std::string content_sha256;  ///< of all runs' contents: equal for two productions of equal contents
  std::size_t lists = 0;       ///< that were written
};

/// Verifies all runs and writes production-manifest.json and lists/. Throws support::Error, and leaves no
/// manifest, where runs are missing or wrong, unless `accept_partial`.
Collected collect_production(const ProductionPlan& plan, const CollectRequest& request);

// --- The page that a browser shows. Computes; the caller writes it.

/// What the published runs took, their rate, and the gain over stock by the audits that its folder holds, one
/// line each. `now_s`: seconds since 1970, for the estimate of the end.
std::vector<std::string> production_facts(const ProductionPlan& plan, const Survey& survey, double now_s);

/// One HTML file that needs no network and no script: counts, rates, times and sizes with their
/// distributions, outliers, nodes, audits.
std::string production_page(const ProductionPlan& plan, const Survey& survey, double now_s);

// --- new: the making of a production, and of its card. The folder appears whole or not at all.

/// Grid of a production: every combination is a setting, in the order primary, atmosphere, zenith (the last
/// changes fastest). An empty axis means the profile's or the card's own value.
struct ProductionGrid {
  std::vector<double> zeniths;         ///< degrees
  std::vector<int> atmospheres;        ///< numbers of tables
  std::vector<std::string> primaries;  ///< CORSIKA's particle codes; of a request names, too
};

/// What `overlay production new` and `extend` share.
struct RunsRequest {
  fs::path folder;                    ///< of the production
  std::int64_t runs = 0;              ///< of each setting
  std::int64_t first_run = 0;         ///< 0: the first numbers that no production of the ledger has
  fs::path ledger;                    ///< empty: default_ledger()
  fs::path program = this_program();  ///< the overlay that becomes, or must be, bin/overlay
};

/// The options of `overlay production new`. Its folder must not be there.
struct NewProduction : ProductionGrid, RunsRequest {
  fs::path like;        ///< an earlier production, of which all but runs and seeds is taken
  BuildRequest build;   ///< what to build; showers and energies are those of a run
  ProductionPlan plan;  ///< seeds, stride, class_policy, keep_light and after are as asked
};

/// Builds stock and patched, or takes those that are there, and publishes the production's folder. Throws
/// support::Error before anything is built where an option is wrong.
ProductionPlan create_production(NewProduction request);

/// Adds runs to a production: a range of numbers behind its last one, with seeds that no other run has.
/// Nothing that is there changes. Throws support::Error where an option is wrong, the ledger is not that of
/// the production, or the program is not its bin/overlay.
ProductionPlan extend_production(const RunsRequest& request);

/// A template with @PLACEHOLDERS@, and what each setting puts there.
struct ProductionCard {
  std::string text;
  std::vector<ProductionSetting> settings;
  int sequences = 0;  ///< that get a SEED line: as in the profile, or as the card had, at least 4
};

/// The card of a profile, as asked_profile() or a build gives it: RUNNR, NSHOW and SEED lines are
/// placeholders, and THETAP, ATMOSPHERE and PRMPAR where the grid says so. USER and HOST lines are taken out,
/// since the telescope file holds the card. Throws support::Error where a value is out of range or a
/// placeholder is not known.
ProductionCard production_card(Profile profile, BuildRequest build, const ProductionGrid& grid);

/// Why a card cannot be run on other machines, empty where it can: it has an absolute path or one from `~/`,
/// or writes outside of the run's folder.
std::string card_problem(const std::string& card, const std::vector<std::string>& options);

}  // namespace overlay
