// The command behind `TELFIL |command`: it runs once for each program, on the bytes that the first pair of
// runs sent. Writes what the command writes, and its log beside the run folder.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "overlay/card/telescope_output.hpp"
#include "overlay/compare/comparison.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/telescope_pipe.hpp"

namespace overlay {
namespace fs = std::filesystem;

void run_card_command(const Comparison& comparison, const FirstPair& first) {
  const auto& names = comparison.set.profile.options;
  const auto command = telescope_command(Card(comparison.set.card));
  if (!command || std::find(names.begin(), names.end(), "IACT") == names.end()) return;
  Report& report = comparison.report;
  for (const auto& [program, run] : {std::pair{"stock", &first.stock}, {"patched", &first.patched}}) {
    const fs::path& folder = run->result.folder;
    if (!fs::exists(folder / kPipedTelescopeData)) continue;  // it got nothing
    const double limit_s = comparison.options.timeout_s > 0 ? comparison.options.timeout_s
                                                            : std::max(600.0, 20 * run->result.wall_s);
    const std::string why = run_behind_telescope_pipe(
        *command, folder, comparison.runs.claim(folder.filename().string() + ".command.log"),
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(limit_s)));
    if (!why.empty() && report.command_failed.empty())
      report.command_failed =
          fmt::format("your command (TELFIL |{}) {} on the light of {}", *command, why, program);
  }
  if (report.command_failed.empty())
    add_note(report, fmt::format("the light went into a command (TELFIL |{}): the bytes of the pipe were "
                                 "compared, and the command ran once on those of each program and succeeded",
                                 *command));
}

}  // namespace overlay
