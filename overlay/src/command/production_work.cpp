// overlay production run, start, check and audit: what makes runs, and what checks them. Prints one line for
// what an engine's log is to hold, and more for a person.
#include <fmt/format.h>

#include "overlay/production/libm_bits.hpp"
#include "overlay/production/worker.hpp"
#include "production_work_commands.hpp"

namespace overlay {
namespace {

/// The file of this program.
std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace

int run_production_run(const WorkRequest& request) {
  const WorkerResult result = work_on_run(request.folder, request.run, {request.scratch, this_program()});
  if (result.exit == WorkerExit::done)
    fmt::print("{}\n", result.said);
  else
    fmt::print(stderr, "overlay: error: {}\n", result.said);
  return static_cast<int>(result.exit);
}

int run_production_libm_bits() {
  fmt::print("{}\n", libm_bits());
  return 0;
}

}  // namespace overlay
