// Attempts at runs, and how a worker ends. Writes below attempts/RUN alone.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "overlay/build/profile.hpp"
#include "overlay/production/run.hpp"

namespace overlay {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Attempt, id, host, outcome, reason, ended, shower, machine,
                                                process, processes)

namespace {

constexpr const char* kStarted = "started.json";
constexpr std::int64_t kBeat_s = 60, kGone_s = 3600;

std::string machine_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::uint64_t own_processes() {
  struct stat space {};
  return stat("/proc/self/ns/pid", &space) == 0 ? static_cast<std::uint64_t>(space.st_ino) : 0;
}

/// Whether a process of this machine has ended. A zombie has: it may stay for ever, in containers whose first
/// process takes no orphan's status.
bool has_ended(pid_t process) {
  try {
    const std::string stat = support::read_file(fmt::format("/proc/{}/stat", process));
    const std::size_t name_end = stat.rfind(')');  // a name may hold blanks and parentheses
    const char state = name_end + 2 < stat.size() ? stat[name_end + 2] : '?';
    return state == 'Z' || state == 'X';
  } catch (const support::Error&) {
    return kill(process, 0) != 0 && errno == ESRCH;  // or /proc is not there
  }
}

/// Whether the worker that left this mark in a folder is gone.
bool is_gone(const fs::path& folder, const Attempt& mark) {
  if (mark.machine == machine_name() && mark.processes != 0 && mark.processes == own_processes() &&
      mark.process > 0)
    return has_ended(mark.process);
  struct stat status {};
  const fs::path sign = fs::exists(folder / kStarted) ? folder / kStarted : folder;
  return stat(sign.c_str(), &status) == 0 && std::time(nullptr) - status.st_mtime > kGone_s;
}

/// What a file says; nothing of a damaged one, which must not keep the others from being read.
Attempt read_or_none(const fs::path& file) try {
  return json_of(support::read_file(file));
} catch (const std::exception&) {
  return {};
}

/// Does nothing where the disk is full: an exit status says so, or another worker will write it.
bool write_attempt(const fs::path& folder, const Attempt& attempt) {
  try {
    support::write_file(folder / (attempt.id + ".json"), text_of(attempt) + "\n");
    return true;
  } catch (const support::Error&) {
    return false;
  }
}

}  // namespace

WorkerError::WorkerError(WorkerExit exit, const std::string& message, const std::string& how, long at)
    : Error(message), status(exit), outcome(how), shower(at) {
  if (outcome.empty())
    outcome = status == WorkerExit::never        ? "refused"
              : status == WorkerExit::other_bits ? "other-bits"
              : status == WorkerExit::disk_full  ? "disk-full"
                                                 : "failed";
}

WorkerError cannot_write(const fs::path& file, int problem) {
  if (problem == ENOSPC || problem == EDQUOT)
    return {WorkerExit::disk_full,
            fmt::format("the disk of {} is full; free some space, or give --scratch DIR elsewhere",
                        file.parent_path().string())};
  return {WorkerExit::try_again, fmt::format("cannot write {} ({})", file.string(), std::strerror(problem))};
}

bool link_to(const fs::path& from, const fs::path& to) {
  if (link(from.c_str(), to.c_str()) == 0) return true;
  if (errno != EEXIST) throw cannot_write(to, errno);
  return false;
}

fs::path this_program() { return fs::read_symlink("/proc/self/exe"); }

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw cannot_write(folder, error.value());
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string host_name() {
  // Slurm excludes a node by the name that it has there.
  const char* node = std::getenv("SLURMD_NODENAME");
  return node != nullptr && *node != '\0' ? std::string(node) : machine_name();
}

RunningAttempt::RunningAttempt(const fs::path& production, std::int64_t run)
    : id(fmt::format("{:%Y%m%dT%H%M%SZ}-{}-{}-{}", fmt::gmtime(std::time(nullptr)), host_name(), getpid(),
                     support::random_name())),
      folder(production / attempts_folder(run) / id),
      log(fs::path(folder) += ".log"),
      last_beat_(std::chrono::steady_clock::now()) {
  make_folder(folder);
  try {
    support::write_file(folder / kStarted, text_of(Attempt{.id = id,
                                                           .host = host_name(),
                                                           .outcome = kRunning,
                                                           .machine = machine_name(),
                                                           .process = getpid(),
                                                           .processes = own_processes()}) +
                                               "\n");
  } catch (const support::Error&) {
    support::remove_folder(folder);
    throw;
  }
}

RunningAttempt::~RunningAttempt() {
  support::remove_folder(folder);
  rmdir(folder.parent_path().c_str());  // stays where an attempt failed
}

void RunningAttempt::beat(std::chrono::steady_clock::time_point now) {
  if (now - last_beat_ < std::chrono::seconds(kBeat_s)) return;
  last_beat_ = now;
  utimensat(AT_FDCWD, (folder / kStarted).c_str(), nullptr, 0);
}

void RunningAttempt::failed(const WorkerError& how) {
  write_attempt(folder.parent_path(), {id, host_name(), how.outcome, how.what(), utc_now(), how.shower});
}

std::vector<Attempt> attempts_at(const fs::path& production, std::int64_t run) {
  std::vector<Attempt> attempts;
  for (const auto& path : paths_in(production / attempts_folder(run)))
    if (std::error_code error; fs::is_directory(path, error)) {
      auto& running = attempts.emplace_back(read_or_none(path / kStarted));
      running.id = path.filename();
      running.outcome = kRunning;
    } else if (path.extension() == ".json") {
      attempts.push_back(read_or_none(path));
    }
  std::ranges::stable_sort(attempts, {}, &Attempt::id);
  return attempts;
}

void note_vanished(const fs::path& production, std::int64_t run) {
  const fs::path folder = production / attempts_folder(run);
  for (Attempt& each : attempts_at(production, run)) {
    if (each.outcome != kRunning || !is_gone(folder / each.id, each)) continue;
    each.outcome = "vanished";
    each.reason = "the worker was killed, or its node went down";
    each.ended = utc_now();
    if (write_attempt(folder, each)) support::remove_folder(folder / each.id);
  }
}

RunLog last_log(const ProductionPlan& plan, std::int64_t run) {
  planned_run(plan, run);  // it has that run
  std::error_code error;
  if (fs::exists(plan.folder / manifest_path(plan, run), error)) {
    const auto manifest = read_manifest(plan.folder / manifest_path(plan, run));
    RunLog found{fmt::format("run {}: published, made on {}, {}", run, manifest.host, manifest.cost.ended),
                 {}};
    for (const auto& file : manifest.files)
      if (file.name == "log") found.file = results_folder(plan, run) / file.published;
    return found;
  }
  auto attempts = attempts_at(plan.folder, run);
  const bool at_work =
      std::erase_if(attempts, [](const Attempt& each) { return each.outcome == kRunning; }) > 0;
  if (attempts.empty())
    throw support::Error("run {} {}", run,
                         at_work ? "is at work for the first time; its log is on its node until it ends"
                                 : "was not begun; there is no log");
  const auto& last = attempts.back();
  const auto log = attempts_folder(run) / (last.id + ".log");
  return {
      fmt::format("run {}: {}{}\n{}: {}, on {}, {}", run, last.reason,
                  at_work ? " (and it is at work again)" : "", last.id, last.outcome, last.host, last.ended),
      fs::exists(plan.folder / log, error) ? log : fs::path()};
}

std::string poisoned(std::int64_t run, const std::vector<Attempt>& attempts) {
  std::map<long, std::vector<std::string>> crashes;  // by shower: where
  for (const Attempt& attempt : attempts)
    if (attempt.outcome == "crash" || attempt.outcome == "incomplete") {
      std::vector<std::string>& hosts = crashes[attempt.shower];
      hosts.push_back(attempt.host);
      if (hosts.size() >= 2)
        return fmt::format(
            "run {} stopped at shower {} in two attempts with the same seeds, on {} and {}; {} says how", run,
            attempt.shower, hosts[0], hosts[1], attempts_folder(run).string());
    }
  return {};
}

}  // namespace overlay
