// The ledger of seeds: blocks of places, handed out under a lock. Appends to the ledger alone.
#include "overlay/production/ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include "overlay/production/plan.hpp"
#include "support/error.hpp"

namespace overlay {
namespace fs = std::filesystem;
using support::one_line;
namespace {

constexpr std::string_view kLedgerHead =
    "# Seeds of productions: first place, places, production, date, first and last run. Written by overlay; "
    "delete no line.\n";

/// An open ledger that nobody else has locked.
class LockedLedger {
 public:
  explicit LockedLedger(const fs::path& file) : file_(file) {
    std::error_code error;
    fs::create_directories(fs::absolute(file).parent_path(), error);
    fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0) fail("open");
    while (flock(fd_, LOCK_EX) != 0)
      if (errno != EINTR) {
        const int problem = errno;
        close(fd_);
        errno = problem;
        fail("lock");
      }
  }
  ~LockedLedger() { close(fd_); }
  LockedLedger(const LockedLedger&) = delete;
  LockedLedger& operator=(const LockedLedger&) = delete;

  std::string read_all() const {
    std::string text;
    char piece[1 << 16];
    for (off_t at = 0;;) {
      const ssize_t got = pread(fd_, piece, sizeof piece, at);
      if (got < 0) fail("read");
      if (got == 0) return text;
      text.append(piece, static_cast<std::size_t>(got));
      at += got;
    }
  }

  /// Cuts the file to `size` bytes and appends `text` there; as it was where that fails.
  void append(std::size_t size, const std::string& text) const {
    const auto end = static_cast<off_t>(size);
    if (ftruncate(fd_, end) != 0) fail("write");
    errno = 0;
    const ssize_t written = pwrite(fd_, text.data(), text.size(), end);
    if (written == static_cast<ssize_t>(text.size()) && fsync(fd_) == 0) return;
    const int problem = written >= 0 && errno == 0 ? ENOSPC : errno;
    if (ftruncate(fd_, end) != 0) errno = problem;
    errno = problem;
    fail("write");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw support::Error(
        fmt::format("cannot {} the ledger of seeds {} ({}); give --ledger FILE that you may write to", what,
                    file_.string(), std::strerror(errno)));
  }

  fs::path file_;
  int fd_ = -1;
};

/// A number up to a tab; `text` then begins behind it. -1 where there is none.
std::int64_t number_before_tab(std::string_view& text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || used >= text.size() || text[used] != '\t') return -1;
  text.remove_prefix(used + 1);
  return value;
}

/// Compares `runs` with those of a row: production, date, first and last run. An older row has none.
void compare_runs_of(std::string_view row, LedgerRuns& runs) {
  const auto name = row.find('\t'), date = row.find('\t', name + 1);
  if (name == std::string_view::npos || date == std::string_view::npos) return;
  const std::string numbers = std::string(row.substr(date + 1)) + '\t';
  std::string_view rest = numbers;
  const auto first = number_before_tab(rest), last = number_before_tab(rest);
  if (first < 0 || last < first) return;
  if (first <= runs.last && runs.first <= last) runs.also_of = row.substr(0, name);
  runs.free = std::max(runs.free, last + 1);
}

/// The first free place: behind all lines. A last line without its end was cut off before its caller got it.
std::int64_t first_free(std::string_view text, const fs::path& file, std::size_t& whole, LedgerRuns* runs) {
  std::int64_t free = 0;
  whole = 0;
  for (std::size_t line = 1; whole < text.size(); ++line) {
    const auto end = text.find('\n', whole);
    if (end == std::string_view::npos) break;
    auto row = text.substr(whole, end - whole);
    if (!row.empty() && row[0] != '#') {
      const auto first = number_before_tab(row), places = number_before_tab(row);
      if (first < 0 || places < 1 || first > kPlaces || places > kPlaces)
        throw support::Error(fmt::format(
            "{}, line {}: that is no line of a ledger of seeds; give another --ledger", file.string(), line));
      free = std::max(free, first + places);
      if (runs != nullptr) compare_runs_of(row, *runs);
    }
    whole = end + 1;
  }
  return free;
}

}  // namespace

fs::path default_ledger() {
  if (const char* set = std::getenv("OVERLAY_LEDGER"); set != nullptr && *set != '\0') return set;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/')
    return fs::path(data) / "overlay" / "seeds.ledger";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw support::Error("HOME is not set, so there is no place for the ledger of seeds; give --ledger FILE");
  return fs::path(home) / ".local" / "share" / "overlay" / "seeds.ledger";
}

std::int64_t take_places(const fs::path& ledger, std::int64_t places, const std::string& production,
                         LedgerRuns* runs) {
  const LockedLedger file(ledger);
  const auto text = file.read_all();
  std::size_t whole = 0;
  const auto first = first_free(text, ledger, whole, runs);
  if (places < 1 || first > kPlaces - places)
    throw support::Error(
        fmt::format("the ledger {} has seeds left for {} of {} runs, and this production has {}; give fewer "
                    "runs, --seeds "
                    "offsets, or another --ledger for productions that are never used together",
                    ledger.string(), std::max<std::int64_t>(0, kPlaces - first), kPlaces, places));
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  if (gmtime_r(&now, &utc) != nullptr) std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  const std::string head(text.empty() ? kLedgerHead : std::string_view());
  const std::string numbers = runs == nullptr ? "" : fmt::format("\t{}\t{}", runs->first, runs->last);
  const std::string line =
      fmt::format("{}{}\t{}\t{}\t{}{}\n", head, first, places, one_line(production), date, numbers);
  file.append(whole, line);
  return first;
}

}  // namespace overlay
