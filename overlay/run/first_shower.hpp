// When a run's first shower begins: what a program does before that line of its log is start-up. Reads the
// log and the process's clock; changes nothing of the run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// Headings in the log that CORSIKA prints first when the first shower begins; the stand-in has its own.
const std::vector<std::string>& first_shower_marks();

/// Environment of a run whose log is watched: gfortran's library writes each line of the log at once. The log
/// has the same bytes for stock and patched either way.
extern const std::pair<const char*, const char*> kLinesAtOnce;

/// What a run had taken when its first shower began, in seconds.
struct StartupTime {
  double wall_s = 0, cpu_s = 0;
};

/// Watches the log of one running process. Where the kernel can tell that the folder changed (inotify),
/// waiting costs nothing; else look() has to be called often.
class StartupWatcher {
 public:
  /// `started`: when the process was started. The log need not be there yet. Begin before the process writes
  /// to it.
  StartupWatcher(pid_t process, std::filesystem::path log, std::vector<std::string> marks,
                 std::chrono::steady_clock::time_point started);
  ~StartupWatcher();
  StartupWatcher(const StartupWatcher&) = delete;
  StartupWatcher& operator=(const StartupWatcher&) = delete;

  /// Descriptor to poll for reading; -1 where there is none, or once nothing is waited for any more.
  int handle() const { return handle_; }
  /// Whether the shower has not begun yet, as far as look() saw.
  bool waiting() const { return waiting_; }
  /// Reads what is new in the log.
  void look();
  /// Nothing where the log never said it.
  const std::optional<StartupTime>& found() const { return found_; }

 private:
  void stop();

  pid_t process_;
  std::filesystem::path log_;
  std::vector<std::string> marks_;
  std::chrono::steady_clock::time_point started_;
  std::streamoff read_ = 0;  ///< bytes of whole lines that were looked at
  int handle_ = -1;
  bool waiting_ = true;
  std::optional<StartupTime> found_;
};

}  // namespace overlay
