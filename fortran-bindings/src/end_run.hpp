// How an entry point that CORSIKA calls ends the program where it cannot go on. Touches only open files.
#pragma once

namespace cherenkov::corsika {

// Writes out what C and Fortran hold in buffers, says `cherenkov: error: WHY` in one line on standard error,
// and ends the program with status 1 through exit(), so that CORSIKA's files are closed as at any end.
[[noreturn]] void end_run(const char* why) noexcept;

// The same with the line `cherenkov: LINE`.
[[noreturn]] void end_run_saying(const char* line) noexcept;

}  // namespace cherenkov::corsika
