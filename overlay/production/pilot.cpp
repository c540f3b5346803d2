// Pilot runs: see the header.
#include "overlay/production/pilot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "overlay/card/card.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/finished_run.hpp"
#include "overlay/production/node_class.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr double kMiB = 1024.0 * 1024.0, kGiBinMiB = 1024.0;

/// The pilot run with the seeds of the first run of a setting.
PilotRun pilot_of(const ProductionPlan& plan, const PilotRequest& request, std::int64_t run) {
  const support::TemporaryFolder scratch(scratch_folder(request.scratch), "overlay-pilot");
  PilotRun pilot;
  pilot.run = run;
  pilot.showers = std::min(request.showers, plan.showers);
  const PlannedRun planned = planned_run(plan, run);
  const std::string card = checked_card(plan, request.folder, plan.program, planned);
  const FinishedRun made =
      make_run({plan, request.folder, plan.program, planned, card_with_showers(card, pilot.showers),
                scratch.path(), support::check_interrupt});
  const auto files = pack_outputs(made.outputs, run, scratch.path());
  const double showers = static_cast<double>(pilot.showers);
  const double more = static_cast<double>(plan.showers) / showers;
  double packed = 0, bytes = 0;
  for (const PublishedFile& file : files) {
    packed += static_cast<double>(file.packed_bytes) / kMiB;
    bytes += static_cast<double>(file.bytes) / kMiB;
  }
  const double cpu = made.cost.cpu_s();
  pilot.startup_s = std::min(made.cost.startup_cpu_s, cpu);
  pilot.cpu_s_per_shower = (cpu - pilot.startup_s) / showers;
  pilot.seconds = pilot.startup_s + (made.cost.wall_s - pilot.startup_s) * more;
  pilot.memory_mib = static_cast<double>(made.cost.peak_rss_kib) / kGiBinMiB;
  pilot.packed_mib = packed * more;
  pilot.messages = made.messages;
  // The packed copies stand beside what the run wrote only where scratch is the results' disk: count them.
  pilot.disk_mib = bytes * more;
  return pilot;
}

void write_pilot(const fs::path& folder, const PilotReport& report) {
  nlohmann::ordered_json text{
      {"format", 1}, {"memory_mib", 0.}, {"disk_mib", 0.}, {"seconds", 0.}, {"packed_mib", 0.}};
  auto runs = nlohmann::ordered_json::array();
  const auto raise = [&](const char* key, double value) {
    text[key] = std::max(text[key].get<double>(), value);
  };
  for (const PilotRun& run : report.runs) {
    raise("memory_mib", run.memory_mib);
    raise("disk_mib", run.disk_mib);
    raise("seconds", run.seconds);
    raise("packed_mib", run.packed_mib);
    runs.push_back({{"run", run.run},
                    {"showers", run.showers},
                    {"startup_s", run.startup_s},
                    {"cpu_s_per_shower", run.cpu_s_per_shower},
                    {"seconds", run.seconds},
                    {"memory_mib", run.memory_mib},
                    {"disk_mib", run.disk_mib},
                    {"packed_mib", run.packed_mib}});
  }
  text["runs"] = runs;
  support::write_file(folder / "pilot.json", text.dump(2) + "\n");
}

void check_disks(const ProductionPlan& plan, const PilotRequest& request, PilotReport& report) {
  double kept = 0, largest = 0;
  for (const PilotRun& run : report.runs) {
    kept += run.packed_mib * static_cast<double>(plan.runs_per_setting);
    largest = std::max(largest, run.disk_mib);
  }
  const auto look = [&](const fs::path& where, double needed, const char* what) {
    std::error_code error;
    const auto space = fs::space(where, error);
    if (error) return;
    const double free = static_cast<double>(space.available) / kMiB;
    const std::string line = fmt::format("{} needs {:.1f} GiB in {}, where {:.1f} GiB are free", what,
                                         needed / kGiBinMiB, where.string(), free / kGiBinMiB);
    if (free >= needed)
      report.facts.push_back(line);
    else
      report.problems.push_back(line + "; free some, or plan fewer runs");
  };
  look(request.folder, kept, "the production");
  look(scratch_folder(request.scratch), largest, "a run");
}

void check_class(const ProductionPlan& plan, const PilotRequest& request, PilotReport& report) {
  if (plan.class_policy == "any") {
    report.facts.emplace_back("the class of nodes is not checked (--processors any)");
    return;
  }
  report.facts.push_back(fmt::format("this node is of the production's class: libm {}{}",
                                     checked_class(plan, request.folder, request.overlay).substr(0, 12),
                                     plan.class_policy == "pinned" ? ", pinned" : ""));
}

}  // namespace

PilotReport check_production(const PilotRequest& request) {
  if (request.showers < 1)
    throw support::Error(fmt::format("--pilot-showers cannot be {}; give 1 or more", request.showers));
  const ProductionPlan plan = read_plan(request.folder);
  PilotReport report;
  report.facts.push_back(fmt::format(
      "runs {} to {}; seeds of the places from {} on, which no other production of the ledger has",
      plan.first_run, plan.last_run(), plan.first_place));
  report.problems = changed_files(plan, request.folder);
  if (!report.problems.empty()) return report;
  report.facts.push_back(fmt::format("{} files have their checksums", plan.files.size()));
  try {
    check_class(plan, request, report);
    for (std::size_t i = 0; i < plan.settings.size(); ++i)
      report.runs.push_back(
          pilot_of(plan, request, plan.first_run + static_cast<std::int64_t>(i) * plan.runs_per_setting));
  } catch (const WorkerError& problem) {
    report.problems.emplace_back(problem.what());
    return report;
  }
  check_disks(plan, request, report);
  write_pilot(request.folder, report);
  return report;
}

}  // namespace overlay
