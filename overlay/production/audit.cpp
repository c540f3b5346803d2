// Runs made beside the production's own: pilot runs of `check`, which say what a production will need, and
// audits, published runs made again and compared. Writes pilot.json, and one small file for each audit in
// audits/.
#include <algorithm>
#include <cmath>

#include "overlay/build/workplace.hpp"
#include "overlay/production/production.hpp"
#include "overlay/report/page.hpp"

namespace overlay {
using nlohmann::json;

namespace {

constexpr double kMiB = 1024.0 * 1024.0, kKiBinMiB = 1024.0;

/// The pilot run with the seeds of the first run of a setting.
Pilot pilot_of(const ProductionPlan& plan, const PilotRequest& request, std::int64_t run) {
  Pilot pilot;
  const long shower_count = std::min(request.showers, plan.showers);
  const FinishedRun made = make_run({plan, run, request.scratch, false, shower_count});
  const double showers = static_cast<double>(shower_count),
               more = static_cast<double>(plan.showers) / showers;
  // The packed copies stand beside what the run wrote only where scratch is the results' disk: count them
  // apart.
  for (const PublishedFile& file : made.manifest.files) {
    pilot.packed_mib += static_cast<double>(file.packed_bytes) / kMiB * more;
    pilot.disk_mib += static_cast<double>(file.bytes) / kMiB * more;
  }
  const double cpu = made.manifest.cost.cpu_s();
  const double startup = std::min(made.manifest.cost.startup_cpu_s, cpu);
  pilot.seconds = startup + (made.manifest.cost.wall_s - startup) * more;
  pilot.memory_mib = static_cast<double>(made.manifest.cost.peak_rss_kib) / kKiBinMiB;
  fmt::print(
      "pilot      run {} with {} showers: CPU time {} of start-up and {} a shower; a whole run: wall time "
      "{}, {} of memory, {} on scratch, {} kept\n",
      run, shower_count, duration(startup), duration((cpu - startup) / showers), duration(pilot.seconds),
      bytes_text(pilot.memory_mib * kMiB), bytes_text(pilot.disk_mib * kMiB),
      bytes_text(pilot.packed_mib * kMiB));
  for (const std::string& line : made.messages) fmt::print("note       run {} said: {}\n", run, line);
  return pilot;
}

/// Prints whether a disk has room for `needed` MiB.
bool has_room(const fs::path& where, double needed, const char* what) {
  std::error_code error;
  const double free = static_cast<double>(fs::space(where, error).available) / kMiB;
  const std::string line = fmt::format("{} needs {} in {}, where {} are free", what,
                                       bytes_text(needed * kMiB), where.string(), bytes_text(free * kMiB));
  if (error || free >= needed)
    fmt::print("ok         {}\n", line);
  else
    fmt::print(stderr, "overlay: error: {}; free some, or plan fewer runs\n", line);
  return error || free >= needed;
}

/// `count` of the runs, evenly spread.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& all, std::size_t count) {
  std::vector<std::int64_t> chosen;
  count = std::min(count, all.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
  return chosen;
}

/// Makes a run again, says what came of it, and writes it down.
json audit_run(const ProductionPlan& plan, const AuditRequest& request, std::int64_t number,
               const char* kind) {
  const RunManifest manifest = read_manifest(request.folder / manifest_path(plan, number));
  const RunManifest made = make_run({.plan = plan,
                                     .run = number,
                                     .scratch = request.scratch,
                                     .stock = kind == std::string("stock"),
                                     .after = false})
                               .manifest;
  std::string reason = verify_run(plan, number, VerifyDepth::digests).reason;
  if (reason.empty()) reason = difference(manifest, made);
  const json audited{{"run", number},
                     {"kind", kind},
                     {"made_on", manifest.host},
                     {"audited_on", host_name()},
                     {"equal", reason.empty()},
                     {"reason", reason},
                     {"published_cpu_s", manifest.cost.cpu_s()},
                     {"audit_cpu_s", made.cost.cpu_s()}};
  make_folder(request.folder / "audits");
  support::write_file(
      request.folder / "audits" / fmt::format("{}-{}-{}.json", run_name(number), kind, host_name()),
      text_of(audited) + "\n");
  const auto what = fmt::format("run {} ({}), made on {}", number, kind, manifest.host);
  if (reason.empty())
    fmt::print("equal      {}, again on {}\n", what, host_name());
  else
    fmt::print(stderr, "overlay: error: {}, is not what {} makes: {}\n", what, host_name(), reason);
  return audited;
}

}  // namespace

int check_production(const PilotRequest& request) {
  check_least("--pilot-showers", static_cast<double>(request.showers), 1);
  const ProductionPlan plan = read_plan(request.folder);
  fmt::print(
      "ok         runs {}; seeds of the places from {} on, which no other production of the ledger has\n",
      plan.run_numbers(), plan.ranges[0].first_place);
  const auto changes = changed_files(plan);
  for (const std::string& change : changes) fmt::print(stderr, "overlay: error: {}\n", change);
  if (!changes.empty()) return 1;
  fmt::print("ok         {} files have their checksums\n", plan.files.size());
  const std::string libm = checked_class(plan, this_program());
  if (libm.empty())
    fmt::print("ok         the class of nodes is not checked (--processors any)\n");
  else
    fmt::print("ok         this node is of the production's class: libm {}{}\n", libm.substr(0, 12),
               plan.class_policy == "pinned" ? ", pinned" : "");
  Pilot most;
  double kept = 0;
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    const auto run = plan.run_at(static_cast<std::int64_t>(i) * plan.ranges[0].runs_per_setting);
    const Pilot pilot = pilot_of(plan, request, run);
    kept += pilot.packed_mib * static_cast<double>(plan.runs_of_setting());
    for (auto need : {&Pilot::memory_mib, &Pilot::disk_mib, &Pilot::seconds, &Pilot::packed_mib})
      most.*need = std::max(most.*need, pilot.*need);
  }
  support::write_file(request.folder / "pilot.json", text_of(most) + "\n");
  const bool kept_fits = has_room(request.folder, kept, "the production");
  return has_room(scratch_folder(request.scratch), most.disk_mib, "a run") && kept_fits ? 0 : 1;
}

int audit_production(const AuditRequest& request) {
  if (request.stock == 0 && request.elsewhere == 0 && request.runs.empty())
    throw support::Error("there is nothing to audit; give --stock N, --elsewhere SHARE%, or both");
  check_least("--stock", static_cast<double>(request.stock), 0);
  if (!(request.elsewhere >= 0 && request.elsewhere <= 1))
    throw support::Error("--elsewhere cannot be that; give a share of 0% to 100%");
  const ProductionPlan plan = read_plan(request.folder);
  std::vector<std::int64_t> published, others;  // all of them, and those made on other nodes
  survey_of(plan, VerifyDepth::sizes, [&](const RunManifest& manifest) {
    const auto& asked = request.runs;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), manifest.run) == asked.end()) return;
    published.push_back(manifest.run);
    if (manifest.host != host_name()) others.push_back(manifest.run);
  });
  for (const std::int64_t run : request.runs)
    if (std::find(published.begin(), published.end(), run) == published.end())
      throw support::Error("run {} is not published; audit one that is", run);
  if (published.empty()) throw support::Error("no run is published yet; audit when some are");
  if (request.elsewhere > 0 && others.empty() && request.stock == 0)
    throw support::Error(
        "all published runs were made on {}, this node; call audit --elsewhere on another one", host_name());
  auto audits = json::array();
  const bool all = !request.runs.empty();
  if (request.stock > 0 || request.elsewhere == 0)
    for (const auto run : all ? published : spread(published, static_cast<std::size_t>(request.stock)))
      audits.push_back(audit_run(plan, request, run, "stock"));
  const double share = std::ceil(request.elsewhere * static_cast<double>(published.size()));
  for (const auto run : all&& share > 0 ? others : spread(others, static_cast<std::size_t>(share)))
    audits.push_back(audit_run(plan, request, run, "elsewhere"));
  if (const auto gain = gain_over_stock(audits); !gain.empty()) fmt::print("gain       {}\n", gain);
  return std::ranges::all_of(audits, [](const auto& run) { return run.at("equal") == true; }) ? 0 : 1;
}

json audits_of(const fs::path& folder) {
  auto audits = json::array();
  for (const fs::path& file : paths_in(folder / "audits")) {
    if (file.extension() != ".json") continue;
    auto audit = json::parse(support::read_file(file), nullptr, false);
    if (audit.is_object() && audit.contains("audit_cpu_s")) audits.push_back(std::move(audit));
  }
  return audits;
}

std::string gain_over_stock(const json& audits) {
  std::vector<double> stock, published;
  for (const auto& audit : audits) {
    const double again = audit.at("audit_cpu_s"), before = audit.at("published_cpu_s");
    if (audit.at("kind") != "stock" || !(again > 0) || !(before > 0)) continue;
    stock.push_back(again);
    published.push_back(before);
  }
  if (stock.empty()) return {};
  const auto ratio = support::paired_ratio(stock, published);
  return fmt::format("{:.2f} times stock's throughput{}, {} audited with stock", ratio.value,
                     ratio.has_interval ? fmt::format(" ({:.2f} to {:.2f})", ratio.low, ratio.high) : "",
                     stock.size() == 1 ? "1 run" : fmt::format("the median of {} runs", stock.size()));
}

}  // namespace overlay
