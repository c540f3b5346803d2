#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "commands.hpp"
#include "support/process.hpp"

int main(int argc, char** argv) {
  auto fail = [](const std::string& what, int status) {
    std::fflush(stdout);
    std::string line = what.substr(0, what.find('\n'));
    fmt::print(stderr, "overlay: error: {}\n", line);
    return status;
  };
  try {
    support::install_interrupt_handlers();
    CLI::App app{"Patches, builds, runs and compares CORSIKA 7: the same bytes in less time.", "overlay"};
    app.require_subcommand(1);
    app.set_version_flag("--version", OVERLAY_VERSION);
    app.footer(
        "Everything made goes under build/overlay, or where --out DIR says. Start with: overlay doctor");
    overlay::add_build(app);
    overlay::add_compare(app);
    overlay::add_patch(app);
    overlay::add_prove(app);
    overlay::add_bench(app);
    overlay::add_doctor(app);
    overlay::add_step(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& success) {
      return app.exit(success);
    } catch (const CLI::ParseError& problem) {
      return fail(fmt::format("{}; see overlay --help", problem.what()), 2);
    }
    return 0;
  } catch (const support::Interrupted& stopped) {
    return fail(stopped.what(), 130);
  } catch (const std::exception& problem) {
    return fail(problem.what(), 1);
  }
}
