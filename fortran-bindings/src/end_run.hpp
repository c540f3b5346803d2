// How an entry point that CORSIKA calls ends the program where it cannot go on: the only way in
// fortran-bindings. Touches only open files.
#pragma once

#include <exception>

namespace fortran_bindings {

// Writes out what C and Fortran hold in buffers, says `PART: error: WHY` in one line on standard error, and
// ends the program with status 1 through exit(), so that CORSIKA's files are closed as at any end. part:
// "ranmar" or "cherenkov". Where an exit handler comes here again, the program ends at once.
[[noreturn]] void end_run(const char* part, const char* why) noexcept;

// What `function` returns. Fortran cannot catch an exception: where one is thrown, the program ends by
// end_run().
template <class Function>
auto or_end(const char* part, Function&& function) noexcept -> decltype(function()) {
  try {
    return function();
  } catch (const std::exception& e) {
    end_run(part, e.what());
  }
}

}  // namespace fortran_bindings
