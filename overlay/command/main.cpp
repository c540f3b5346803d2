// overlay, the program that a person types. Turns every failure into one line on standard error and an exit
// status.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "commands.hpp"
#include "support/process.hpp"

namespace {

int fail(const std::string& what, int status) {
  std::fflush(stdout);
  fmt::print(stderr, "overlay: error: {}\n", what.substr(0, what.find('\n')));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    support::open_standard_descriptors();
    support::install_interrupt_handlers();
    const int status = overlay::run_command_line(argc, argv);
    std::fflush(nullptr);
    return status;
  } catch (const support::Interrupted& stopped) {
    return fail(stopped.what(), 130);
  } catch (const std::exception& problem) {
    return fail(problem.what(), 1);
  }
}
