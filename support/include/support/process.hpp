#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace support {

/// A program to run. It gets a process group of its own, so that an interrupt ends it and all that it
/// started.
struct Command {
  std::vector<std::string> argv{};
  std::filesystem::path cwd{};                       ///< empty: where we are
  std::map<std::string, std::string> environment{};  ///< on top of ours
  std::string input{};                               ///< standard input; it then ends
  std::filesystem::path log{};      ///< standard output and error go here, appended; empty: kept
  bool separate_errors = false;     ///< standard error passes through to ours
  std::chrono::seconds timeout{0};  ///< 0: none
};

struct CommandResult {
  int status = 0;  ///< exit status; 128 + signal where a signal ended it; 127 where it could not be started
  bool timed_out = false;
  std::string output;  ///< what it wrote, where there is no log
};

/// Runs a command to its end. Throws Interrupted where a signal asked us to stop.
CommandResult run(const Command& command);

/// A program that is talked to: `answer` is called with what it wrote since the last call each time that it
/// wrote `marker`, and what it returns is written to its standard input.
CommandResult converse(const Command& command, const std::string& marker,
                       const std::function<std::string(const std::string&)>& answer);

/// Makes SIGINT, SIGTERM and SIGHUP end the running child and raise Interrupted in run() and
/// check_interrupt().
void install_interrupt_handlers();
void check_interrupt();

/// Full path of a program in PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// The words joined by blanks, for messages.
std::string join(const std::vector<std::string>& words, const std::string& separator = " ");

/// Text of a file; an Error where it cannot be read.
std::string read_file(const std::filesystem::path& file);

/// Writes a file beside its place and renames it there: whole or not at all. An unchanged file is left alone.
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace support
