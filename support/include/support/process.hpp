// Runs other programs and waits for them. Writes only the log and the errors file that a command names.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace support {

/// A program to run. It runs in a process group of its own, in the C locale (LC_ALL=C, unless `environment`
/// sets LC_ALL), so that what it prints can be read. All that it started ends with it, and all of it ends
/// when this program ends, even by kill -9.
struct Command {
  std::vector<std::string> argv{};
  std::filesystem::path cwd{};                       ///< empty: the current folder
  std::map<std::string, std::string> environment{};  ///< on top of ours
  std::string input{};                               ///< standard input, which then ends
  std::filesystem::path input_file{};  ///< standard input from this file instead; empty: `input`
  std::filesystem::path log{};         ///< output is appended here; empty: CommandResult::output
  enum class Errors { kWithOutput, kPassThrough, kDropped };
  Errors errors = Errors::kWithOutput;   ///< where standard error goes; kPassThrough: to our own
  std::chrono::milliseconds timeout{0};  ///< then the program gets SIGTERM, 3 s later SIGKILL; 0: no limit
  std::function<void()> meanwhile{};     ///< called some times a second while it runs; must not throw

  // For programs that are measured.
  std::filesystem::path program{};  ///< what is started; empty: the program that argv names
  std::optional<std::vector<std::string>> variables{};  ///< the whole environment, NAME=VALUE
  std::filesystem::path errors_file{};                  ///< gets standard error; empty: `errors`
  /// When it has ended by itself, what it started may go on. After a timeout, an interrupt or an exception
  /// all of it ends at once.
  bool leave_descendants_running = false;
  /// Called at the start and again and again, with the program's process; says for how many milliseconds at
  /// most it need not be called. What it throws ends the program at once.
  std::function<int(pid_t)> watch{};
};

struct CommandResult {
  int status = 0;  ///< exit status; 128 + signal where a signal ended it; 127 where it could not be started
  bool timed_out = false;
  std::string output;               ///< what it wrote, where there is no log
  double user_s = 0, system_s = 0;  ///< CPU time, descendants that were waited for included
  long peak_rss_kib = 0;            ///< of the largest process
};

/// Runs a command to its end. Several threads may do so at the same time. Throws Interrupted where a signal
/// asked this program to stop, Error where no process or pipe can be made or the log cannot be written.
CommandResult run(const Command& command);

/// Runs a tool (addr2line, gprof, ...) for its standard output alone; standard error is dropped.
CommandResult run_tool(const std::vector<std::string>& argv, const std::filesystem::path& input_file = {});

/// Opens /dev/null for standard input, output and errors where they are closed: else a file or a pipe of ours
/// gets such a number, and what is printed goes into it. Call it first in main().
void open_standard_descriptors();

/// Makes SIGINT, SIGTERM and SIGHUP end the running child and raise Interrupted in run() and
/// check_interrupt().
void install_interrupt_handlers();

/// Throws Interrupted where such a signal has come.
void check_interrupt();

/// A program in PATH: its folder there, and `name`. A name with a slash is looked up as it is, and comes back
/// unchanged. Nothing where there is no file that may be executed.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// The words with `separator` between them, for messages.
std::string join(const std::vector<std::string>& words, const std::string& separator = " ");

/// The parts of a text between separators: its lines.
std::vector<std::string> split(const std::string& text, char separator = '\n');

}  // namespace support
