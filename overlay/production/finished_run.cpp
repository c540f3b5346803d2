// A run and its checks: made in a folder on a node's scratch disk. Writes in that folder alone.
#include <cstdlib>
#include <fstream>

#include "overlay/card/card.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/production/run.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/run/runner.hpp"
#include "support/checksum.hpp"
#include "support/machine.hpp"

namespace overlay {
namespace {

constexpr const char* kPipeLog = "light-pipe.log";  // of the command behind TELFIL
constexpr const char* kAfterLog = "after.log";

/// Why the headers of a file are not those of the planned run; empty where they are.
std::string wrong_headers(std::string_view bytes, const FileBlocks& blocks, const PlannedRun& run) {
  constexpr std::uint64_t kRunNumber = 2;  // word of RUNH
  for (const BlockPlace& header : blocks.runs)
    if (header_word(bytes, header, kRunNumber) != static_cast<float>(run.run))
      return fmt::format("is of run {:.0f}, not of run {}; the plan has run {}",
                         header_word(bytes, header, kRunNumber), run.run, run.run);
  if (blocks.events.empty()) return {};
  const auto starts = starts_in_header(bytes, blocks.events.front());
  if (starts.size() < run.seeds.size())
    return fmt::format("says that {} sequences were seeded; the plan has {}", starts.size(),
                       run.seeds.size());
  for (std::size_t i = 0; i < run.seeds.size(); ++i) {
    // A plan has only seeds and millions that the header's floats hold exactly. The first sequence may have
    // drawn the primary before the header is written, a few numbers at most.
    constexpr std::uint64_t kDrawnBefore = 1000;
    const std::uint64_t planned = skipped_numbers(run.seeds[i]);
    const bool start = starts[i].first >= planned && starts[i].first <= planned + kDrawnBefore;
    if (starts[i].seed != run.seeds[i].seed || !start)
      return fmt::format("begins sequence {} with seed {} after {} numbers; the plan has seed {} after {}",
                         i + 1, starts[i].seed, starts[i].first, run.seeds[i].seed, planned);
  }
  return {};
}

/// The highest number behind one of these texts in a log.
long highest_in_log(const fs::path& log) {
  std::ifstream in(log);
  long highest = 0;
  for (std::string line; std::getline(in, line);)
    for (const std::string_view mark : {" SHOWER NO ", " EVENT "}) {
      const std::size_t at = line.find(mark);
      if (at == std::string::npos || line.find("END OF") != std::string::npos) continue;
      highest =
          std::max(highest, card_integer(card_word(std::string_view(line).substr(at + mark.size()), 1), 0));
    }
  return highest;
}

/// Makes `scratch`/attempt/run, with links to all files beside the program but those that no run reads,
/// beside folders of more tables, which EPOS adds to.
fs::path make_run_folder(const fs::path& executable, const std::string& card, const fs::path& scratch) {
  const fs::path tables = executable.parent_path();
  BuildSet set;
  for (const auto& entry : fs::recursive_directory_iterator(tables)) {
    const std::string name = entry.path().lexically_relative(tables).string();
    const bool library = name.starts_with("lib") && name.find(".so") != std::string::npos;
    if (entry.is_regular_file() && name != "example.card" && name != executable.filename() && !library)
      set.data_files[name] = entry.path();
  }
  for (const auto& entry : fs::directory_iterator(tables.parent_path()))
    if (entry.is_directory() && entry.path() != tables)
      set.folders_beside[entry.path().filename().string()] = entry.path();
  return prepare_run_dir(set, card, scratch / "attempt" / "run");
}

/// The exit status and the outcome of a run that failed.
WorkerError rejected(const RunFailed& failure, long shower, const fs::path& scratch) {
  using Why = RunFailed::Why;
  std::string reason = failure.what();
  reason.resize(std::min(reason.size(), reason.rfind(" (see ")));  // the log's place: scratch is deleted
  if (failure.why == Why::disk_full) return cannot_write(scratch, ENOSPC);
  if (failure.why == Why::card) return {WorkerExit::never, reason};
  // Nobody's program sends itself such signals: an engine did, an operator, or the kernel where memory ran
  // out.
  if (!failure.by_the_program()) return {WorkerExit::try_again, reason, "killed"};
  return {WorkerExit::try_again, reason, "crash", shower};
}

/// The card of a run, once the checksums of card.template and of the program's files are right.
std::string checked_card(const RunOrder& order, const fs::path& program) {
  const std::string ours = program.parent_path().parent_path().string() + "/";
  try {
    for (const std::string& under : {ours, std::string("card.template")})
      for (const std::string& change : changed_files(order.plan, under))
        throw WorkerError(WorkerExit::never, change);
    const std::string card = run_card(order.plan, support::read_file(order.plan.folder / "card.template"),
                                      planned_run(order.plan, order.run));
    return order.showers > 0 ? card_with_showers(card, order.showers) : card;
  } catch (const support::Error& problem) {
    throw WorkerError(WorkerExit::never, problem.what());
  }
}

void check_whole(const RunOrder& order, const std::string& card, const fs::path& folder) {
  const std::vector<std::string> problems =
      check_outputs(folder, Card(card).showers(), planned_run(order.plan, order.run));
  if (problems.empty()) return;
  if (support::disk_is_full(folder, "")) throw cannot_write(folder, ENOSPC);
  const std::string why = fmt::format("run {} is not whole although the program exited with 0: {}", order.run,
                                      support::join(problems, "; "));
  if (why.find("the plan has") != std::string::npos) throw WorkerError(WorkerExit::never, why);
  throw WorkerError(WorkerExit::try_again, why, "incomplete", last_begun_shower(folder));
}

/// The command behind TELFIL | gets the light; its status is the run's.
void run_command_behind(const RunOrder& order, const std::string& card, const fs::path& folder) {
  const auto command = telescope_command(Card(card));
  if (!command) return;
  const std::string why =
      run_behind_telescope_pipe(*command, folder, folder / kPipeLog, std::chrono::milliseconds{0});
  if (!why.empty())
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("the command behind TELFIL of run {} {}", order.run, why), "pipe-command");
}

/// The plan's command gets the run's files, in their folder; what it writes there becomes an output.
void run_command_after(const RunOrder& order, const fs::path& folder) {
  if (order.plan.after.empty() || !order.after) return;
  support::Command shell{.argv = {"sh", "-c", order.plan.after}, .cwd = folder, .log = folder / kAfterLog};
  shell.environment = {{"RUN", std::to_string(order.run)},
                       {"PRODUCTION", fs::absolute(order.plan.folder).lexically_normal().string()}};
  shell.meanwhile = [&order] {  // signs of life; run() sees signals itself, and gives the command time to end
    try {
      order.check();
    } catch (const support::Interrupted&) {
    }
  };
  support::write_file(shell.log, "");
  if (const auto result = support::run(shell); result.status != 0)
    throw WorkerError(
        WorkerExit::try_again,
        fmt::format("the command after run {} (--after) failed with exit status {}; it said: {}", order.run,
                    result.status, last_said(shell.log, 1)),
        "after");
}

/// The logs of a run that failed, of which the folder goes, as one text. Writes nothing where it cannot.
void keep_logs(const fs::path& folder, const fs::path& errors, const fs::path& kept) try {
  constexpr std::size_t kMost = 4 << 20;  // bytes from the end of each
  std::string text;
  for (const auto& file : {folder / "log", errors, folder / kPipeLog, folder / kAfterLog}) {
    std::error_code error;
    if (!fs::exists(file, error) || fs::file_size(file, error) == 0) continue;
    const FileContent content(file);
    const auto bytes = content.bytes();
    if (!text.empty()) text += fmt::format("\n==> {} <==\n", file.filename().string());
    text += bytes.substr(bytes.size() - std::min(kMost, bytes.size()));
  }
  if (!text.empty()) support::write_file(kept, text);
} catch (const support::Error&) {  // why the run failed counts more
}

}  // namespace

std::vector<std::string> check_outputs(const fs::path& folder, long showers, const PlannedRun& run) {
  std::vector<std::string> problems;
  const auto files = output_files(folder);
  std::vector<std::string> wanted;
  if (const auto log = files.find("log"); log != files.end())
    wanted = outputs_named(FileContent(log->second).bytes());
  for (const std::string& name : wanted)
    if (!is_written(name, files)) problems.push_back(fmt::format("{} is missing", name));
  if (files.size() <= files.count("log")) problems.emplace_back("nothing but a log was written");
  for (const auto& [name, path] : files) {
    try {
      const FileContent content(path, name, path.parent_path());
      const std::string_view bytes = content.bytes();
      std::string why = why_not_whole(bytes, showers);
      if (why.empty() && form_of(bytes) == FileForm::telescope)
        if (const std::string gap = eventio_gap(bytes); !gap.empty()) why = "is not whole: " + gap;
      if (why.empty()) why = wrong_headers(bytes, blocks_of(bytes), run);
      if (!why.empty())
        problems.push_back(fmt::format("{} {}", name, why));
      else if (fs::file_size(path) == 0 && std::find(wanted.begin(), wanted.end(), name) != wanted.end())
        problems.push_back(fmt::format("{} is empty", name));
    } catch (const support::Error& problem) {
      problems.emplace_back(problem.what());
    }
  }
  return problems;
}

long last_begun_shower(const fs::path& folder) {
  long highest = highest_in_log(folder / "log");
  for (const auto& [name, path] : output_files(folder)) {
    const FileContent content(path);
    const FileBlocks blocks = blocks_of(content.bytes());
    highest = std::max(highest, static_cast<long>(blocks.event_headers));
  }
  return highest;
}

fs::path scratch_folder(const fs::path& asked) {
  std::error_code error;
  if (!asked.empty()) {
    if (!fs::is_directory(asked, error))
      throw WorkerError(WorkerExit::try_again,
                        fmt::format("--scratch cannot be {}; give a folder", asked.string()));
    return fs::canonical(asked);
  }
  for (const char* name : {"_CONDOR_SCRATCH_DIR", "SLURM_TMPDIR", "TMPDIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0' && fs::is_directory(value, error)) return fs::canonical(value);
  }
  return "/tmp";
}

FinishedRun make_run(const RunOrder& order) {
  const std::string program = order.stock ? order.plan.stock : order.plan.program;
  const std::string card = checked_card(order, program);
  const support::TemporaryFolder scratch(scratch_folder(order.scratch),
                                         fmt::format("overlay-run-{}", order.run));
  RunSpec spec;
  spec.label = order.stock ? "stock program's" : "patched program's";
  spec.executable = fs::absolute(order.plan.folder / program).lexically_normal();
  spec.folder = make_run_folder(spec.executable, card, scratch.path());
  spec.errors = scratch.path() / "errors";
  spec.check = order.check;
  spec.environment = {{"RANMAR_SUMMARY", "1"}, {"CHERENKOV_SUMMARY", "1"}};
  // The patched program finds the libraries beside it by itself; stock is as CORSIKA's own build links it.
  if (order.stock) spec.environment["LD_LIBRARY_PATH"] = spec.executable.parent_path().string();
  if (!order.plan.tunables.empty()) spec.environment["GLIBC_TUNABLES"] = order.plan.tunables;
  const support::Machine machine = support::describe_machine();
  RunManifest manifest(order.plan, order.run);
  manifest.card_sha256 = support::sha256_of_text(card);
  manifest.program_sha256 = order.plan.files.at(order.plan.program);
  manifest.host = host_name();
  manifest.processor = machine.cpu;
  manifest.kernel = machine.kernel;
  manifest.system = machine.system;
  RunCost& cost = manifest.cost;
  cost.began = utc_now();
  std::map<std::string, fs::path> own, outputs;  // what CORSIKA wrote, and with what the plan's command added
  try {
    try {
      const RunResult result = run_program(spec);
      cost = {cost.began,         utc_now(),       result.wall_s,
              result.user_s,      result.system_s, result.startup_cpu_s.value_or(0),
              result.peak_rss_kib};
    } catch (const RunFailed& failure) {
      throw rejected(failure, last_begun_shower(spec.folder), scratch.path());
    }
    check_whole(order, card, spec.folder);
    run_command_behind(order, card, spec.folder);
    own = output_files(spec.folder);
    run_command_after(order, spec.folder);
    outputs = output_files(spec.folder);
  } catch (const WorkerError& error) {
    if (error.status != WorkerExit::disk_full && !order.failed_log.empty())
      keep_logs(spec.folder, spec.errors, order.failed_log);
    throw;
  }
  cost.ended = utc_now();
  for (const auto& table : tables_in(spec.folder)) outputs.erase(table);
  manifest.files = pack_outputs(outputs, order.run, order.staging.empty() ? scratch.path() : order.staging,
                                order.plan.keep_light);
  for (auto& file : manifest.files)
    if (!own.contains(file.name)) file.content_sha256.clear();
  const std::string errors = support::read_file(spec.errors);
  const auto light = part_said(errors, "cherenkov:", "bunches");
  manifest.cherenkov = light.values;
  manifest.generator = part_said(errors, "ranmar:", "draws").values;
  return {manifest, light.others};
}

}  // namespace overlay
