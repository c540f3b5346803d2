// Attempts at runs: see the header. Writes below attempts/RUN alone.
#include "overlay/production/attempts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <map>

#include "overlay/production/exit_codes.hpp"
#include "overlay/production/json_record.hpp"
#include "overlay/production/plan.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStarted = "started.json";
constexpr std::int64_t kBeat_s = 60, kGone_s = 3600;

/// started.json: who is at work.
struct Mark {
  std::string id, host, machine;
  pid_t process = 0;
  std::uint64_t processes = 0;  ///< the namespace of its process number; 0: not known
  std::string began;
};

std::int64_t now_s() { return static_cast<std::int64_t>(std::time(nullptr)); }

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
  if (kill(process, 0) != 0) return errno == ESRCH;
  try {
    const std::string stat = support::read_file(fmt::format("/proc/{}/stat", process));
    const std::size_t name_end = stat.rfind(')');  // a name may hold blanks and parentheses
    const char state = name_end + 2 < stat.size() ? stat[name_end + 2] : '?';
    return state == 'Z' || state == 'X';
  } catch (const support::Error&) {
    return kill(process, 0) != 0 && errno == ESRCH;  // it ended meanwhile, or /proc is not there
  }
}

/// Whether the worker that left this mark is gone.
bool is_gone(const fs::path& folder, const Mark& mark) {
  if (mark.machine == machine_name() && mark.processes != 0 && mark.processes == own_processes() &&
      mark.process > 0)
    return has_ended(mark.process);
  struct stat status {};
  const fs::path sign = fs::exists(folder / kStarted) ? folder / kStarted : folder;
  return stat(sign.c_str(), &status) == 0 && now_s() - status.st_mtime > kGone_s;
}

}  // namespace

template <class Use>
void members(Attempt& attempt, const Use& use) {
  use("id", attempt.id);
  use("host", attempt.host);
  use("outcome", attempt.outcome);
  use("reason", attempt.reason);
  use("ended", attempt.ended);
  use("exit", attempt.exit);
  use("shower", attempt.shower);
}

namespace {

template <class Use>
void members(Mark& mark, const Use& use) {
  use("id", mark.id);
  use("host", mark.host);
  use("machine", mark.machine);
  use("process", mark.process);
  use("namespace", mark.processes);
  use("began", mark.began);
}

/// What a file says; nothing of a damaged one, which must not keep the others from being read.
template <class Structure>
Structure read_or_none(const fs::path& file) {
  Structure read;
  try {
    read_record(nlohmann::ordered_json::parse(support::read_file(file)), read);
  } catch (const std::exception&) {
    return {};
  }
  return read;
}

void write_attempt(const fs::path& folder, const Attempt& attempt) {
  support::write_file(folder / (attempt.id + ".json"), text_of(json_of(attempt)) + "\n");
}

}  // namespace

std::string utc_text(std::time_t time, const char* format) {
  std::tm day{};
  char text[32] = "";
  if (gmtime_r(&time, &day) != nullptr) std::strftime(text, sizeof text, format, &day);
  return text;
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

std::string host_name() {
  // Slurm excludes a node by the name that it has there.
  const char* node = std::getenv("SLURMD_NODENAME");
  return node != nullptr && *node != '\0' ? std::string(node) : machine_name();
}

RunningAttempt::RunningAttempt(fs::path production, std::int64_t run)
    : production_(std::move(production)), run_(run) {
  id_ = fmt::format("{}-{}-{}-{}", utc_text(std::time(nullptr), "%Y%m%dT%H%M%SZ"), host_name(), getpid(),
                    support::random_name(2));
  folder_ = production_ / attempts_folder(run_) / id_;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw cannot_write(folder_, error.value());
  try {
    const Mark mark{id_, host_name(), machine_name(), getpid(), own_processes(), utc_now()};
    support::write_file(folder_ / kStarted, text_of(json_of(mark)) + "\n");
  } catch (const support::Error& problem) {
    support::remove_folder(folder_);
    throw;
  }
  last_beat_s_ = now_s();
}

RunningAttempt::~RunningAttempt() {
  support::remove_folder(folder_);
  rmdir((production_ / attempts_folder(run_)).c_str());  // stays where an attempt failed
}

void RunningAttempt::beat() {
  const std::int64_t now = now_s();
  const bool clock_went_back = now < last_beat_s_;
  if (!clock_went_back && now - last_beat_s_ < kBeat_s) return;
  last_beat_s_ = now;
  utimensat(AT_FDCWD, (folder_ / kStarted).c_str(), nullptr, 0);
}

void RunningAttempt::failed(Attempt attempt) {
  attempt.id = id_;
  attempt.host = host_name();
  attempt.ended = utc_now();
  try {
    write_attempt(production_ / attempts_folder(run_), attempt);
  } catch (const support::Error&) {
    // Then the disk is full, which the exit status says.
  }
}

std::vector<Attempt> attempts_at(const fs::path& production, std::int64_t run) {
  std::vector<Attempt> attempts;
  std::error_code error;
  for (fs::directory_iterator it(production / attempts_folder(run), error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_directory()) {
      auto& running = attempts.emplace_back();
      running.id = it->path().filename().string();
      running.host = read_or_none<Mark>(it->path() / kStarted).host;
      running.outcome = "running";
    } else if (it->path().extension() == ".json") {
      attempts.push_back(read_or_none<Attempt>(it->path()));
    }
  }
  std::sort(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) { return a.id < b.id; });
  return attempts;
}

void note_vanished(const fs::path& production, std::int64_t run) {
  const fs::path folder = production / attempts_folder(run);
  for (const Attempt& running : attempts_at(production, run)) {
    const fs::path mark = folder / running.id;
    if (running.outcome != "running" || !is_gone(mark, read_or_none<Mark>(mark / kStarted))) continue;
    try {
      write_attempt(folder, {running.id, running.host, "vanished",
                             "the worker was killed, or its node went down", utc_now()});
      support::remove_folder(mark);
    } catch (const support::Error&) {
      // Then the disk is full: another worker will note it.
    }
  }
}

std::optional<std::string> poisoned(const fs::path& production, std::int64_t run) {
  std::map<long, std::vector<std::string>> crashes;  // by shower: where
  for (const Attempt& attempt : attempts_at(production, run))
    if (attempt.outcome == "crash" || attempt.outcome == "incomplete") {
      std::vector<std::string>& hosts = crashes[attempt.shower];
      hosts.push_back(attempt.host);
      if (hosts.size() >= 2)
        return fmt::format(
            "run {} stopped at shower {} in two attempts with the same seeds, on {} and {}; {} says how", run,
            attempt.shower, hosts[0], hosts[1], attempts_folder(run).string());
    }
  return std::nullopt;
}

}  // namespace overlay
