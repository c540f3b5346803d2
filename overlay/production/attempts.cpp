// Attempts at runs: see the header. Writes below attempts/RUN alone.
#include "overlay/production/attempts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "overlay/production/exit_codes.hpp"
#include "overlay/production/plan.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* kStarted = "started.json";
constexpr std::int64_t kBeat_s = 60, kGone_s = 3600;

std::int64_t now_s() { return static_cast<std::int64_t>(std::time(nullptr)); }

std::string utc(std::time_t time, const char* format) {
  std::tm day{};
  gmtime_r(&time, &day);
  char text[32] = "";
  std::strftime(text, sizeof text, format, &day);
  return text;
}

json json_of(const Attempt& attempt) {
  return {{"id", attempt.id},         {"host", attempt.host},   {"outcome", attempt.outcome},
          {"reason", attempt.reason}, {"ended", attempt.ended}, {"exit", attempt.exit},
          {"shower", attempt.shower}};
}

/// A member that is a text; empty where it is not there, or something else: a damaged file must not keep the
/// others from being read.
std::string text_in(const json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

/// A member that is a whole number of that type; 0 where it is not.
template <class Number>
Number whole_in(const json& object, const char* key) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_number_integer()) return 0;
  const bool fits = member->is_number_unsigned() ? std::in_range<Number>(member->get<std::uint64_t>())
                                                 : std::in_range<Number>(member->get<std::int64_t>());
  return fits ? member->get<Number>() : 0;
}

Attempt attempt_of(const json& text) {
  Attempt attempt;
  attempt.id = text_in(text, "id");
  attempt.host = text_in(text, "host");
  attempt.outcome = text_in(text, "outcome");
  attempt.reason = text_in(text, "reason");
  attempt.ended = text_in(text, "ended");
  attempt.exit = whole_in<int>(text, "exit");
  attempt.shower = whole_in<long>(text, "shower");
  return attempt;
}

json read_json(const fs::path& file) {
  try {
    json text = json::parse(support::read_file(file), nullptr, false);
    return text.is_object() ? text : json::object();
  } catch (const support::Error&) {
    return json::object();
  }
}

void write_attempt(const fs::path& folder, const Attempt& attempt) {
  support::write_file(folder / (attempt.id + ".json"),
                      json_of(attempt).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string machine_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
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
bool is_gone(const fs::path& mark, const json& started) {
  const auto process = whole_in<pid_t>(started, "process");
  const auto processes = whole_in<std::uint64_t>(started, "namespace");
  if (text_in(started, "machine") == machine_name() && processes != 0 && process > 0) {
    struct stat space {};
    const bool same =
        stat("/proc/self/ns/pid", &space) == 0 && processes == static_cast<std::uint64_t>(space.st_ino);
    if (same) return has_ended(process);
  }
  struct stat status {};
  const fs::path sign = fs::exists(mark / kStarted) ? mark / kStarted : mark;
  return stat(sign.c_str(), &status) == 0 && now_s() - status.st_mtime > kGone_s;
}

}  // namespace

std::string host_name() {
  // Slurm excludes a node by the name that it has there.
  const char* node = std::getenv("SLURMD_NODENAME");
  return node != nullptr && *node != '\0' ? std::string(node) : machine_name();
}

std::string utc_now() { return utc(std::time(nullptr), "%Y-%m-%dT%H:%M:%SZ"); }

RunningAttempt::RunningAttempt(fs::path production, std::int64_t run)
    : production_(std::move(production)), run_(run) {
  const fs::path parent = production_ / attempts_folder(run_);
  id_ = fmt::format("{}-{}-{}-{}", utc(std::time(nullptr), "%Y%m%dT%H%M%SZ"), host_name(), getpid(),
                    support::random_name(2));
  folder_ = parent / id_;
  std::error_code error;
  fs::create_directories(folder_, error);
  try {
    if (error) throw support::Error(error.message());
    struct stat space {};
    const bool known = stat("/proc/self/ns/pid", &space) == 0;
    const json started{{"id", id_},
                       {"host", host_name()},
                       {"machine", machine_name()},
                       {"process", getpid()},
                       {"namespace", known ? static_cast<std::uint64_t>(space.st_ino) : 0},
                       {"began", utc_now()}};
    support::write_file(folder_ / kStarted, started.dump(2) + "\n");
  } catch (const support::Error& problem) {
    support::remove_folder(folder_);
    const bool full =
        error == std::errc::no_space_on_device || support::disk_is_full(production_, problem.what());
    throw WorkerError(full ? WorkerExit::disk_full : WorkerExit::try_again,
                      full ? fmt::format("the disk of {} is full; free some space", production_.string())
                           : fmt::format("cannot make {} ({})", folder_.string(), problem.what()));
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
      const json started = read_json(it->path() / kStarted);
      Attempt attempt;
      attempt.id = it->path().filename().string();
      attempt.host = text_in(started, "host");
      attempt.outcome = "running";
      attempts.push_back(attempt);
    } else if (it->path().extension() == ".json") {
      attempts.push_back(attempt_of(read_json(it->path())));
    }
  }
  std::sort(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) { return a.id < b.id; });
  return attempts;
}

void note_vanished(const fs::path& production, std::int64_t run) {
  const fs::path folder = production / attempts_folder(run);
  std::vector<fs::path> marks;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory()) marks.push_back(it->path());
  for (const fs::path& mark : marks) {
    const json started = read_json(mark / kStarted);
    if (!is_gone(mark, started)) continue;
    Attempt attempt;
    attempt.id = mark.filename().string();
    attempt.host = text_in(started, "host");
    attempt.outcome = "vanished";
    attempt.reason = "the worker was killed, or its node went down";
    attempt.ended = utc_now();
    try {
      write_attempt(folder, attempt);
    } catch (const support::Error&) {
      continue;
    }
    support::remove_folder(mark);
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
