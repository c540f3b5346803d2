// All that a patched CORSIKA says on behalf of this project goes through say(). A message changes no file and
// ends no run: CORSIKA may have opened an output as descriptor 2, and standard error may be a broken pipe or
// a full disk.
#pragma once

namespace corsika_runtime {

/// Writes one line on standard error: text as of printf, without the newline; at most 1 kB of it. Nothing is
/// written where standard error was closed when the program started, or is another file by now. What
/// cannot be written, or not within a second, is lost. For any thread.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

/// To be called before a device is started, whose libraries open files. Throws std::runtime_error, with one
/// line, where descriptor 0, 1 or 2 was closed when the program started: a library's file would take the
/// number that a file of CORSIKA has without it.
void require_standard_streams();

/// For tests, which put another file in the place of standard error.
extern bool standard_error_may_be_replaced;

}  // namespace corsika_runtime
