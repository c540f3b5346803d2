// Runs made again and compared: see the header.
#include "overlay/production/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "overlay/identity/compressed_file.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/production/attempts.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/made_run.hpp"
#include "overlay/production/packed_file.hpp"
#include "overlay/production/scratch.hpp"
#include "overlay/production/verify_run.hpp"
#include "overlay/production/worker_steps.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// `count` of the runs, evenly spread.
std::vector<RunManifest> spread(const std::vector<RunManifest>& all, std::size_t count) {
  std::vector<RunManifest> chosen;
  count = std::min(count, all.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
  return chosen;
}

std::vector<RunManifest> published_runs(const ProductionPlan& plan, const AuditRequest& request) {
  const std::string digest = plan_digest(request.folder);
  std::vector<RunManifest> published;
  const auto look = [&](std::int64_t run) {
    RunState state = verify_run(plan, request.folder, digest, run, VerifyDepth::sizes);
    if (state.kind == RunState::Kind::published) published.push_back(std::move(*state.manifest));
  };
  if (request.runs.empty())
    for (std::int64_t run = plan.first_run; run <= plan.last_run(); ++run) look(run);
  for (const std::int64_t run : request.runs) {
    const std::size_t before = published.size();
    look(run);
    if (published.size() == before)
      throw support::Error(fmt::format("run {} is not published; audit one that is", run));
  }
  if (published.empty()) throw support::Error("no run is published yet; audit when some are");
  return published;
}

/// Why an output is not the published one; empty where it is.
std::string difference(const OutputFile& output, const PublishedFile& published, const fs::path& results,
                       const fs::path& scratch) {
  if (published.published.empty()) {  // light that went into a pipe: its checksum is all that was kept
    support::TemporaryFolder none(scratch, "none");
    const auto now = pack_outputs({{output.path, output.name, false}}, 0, none.path());
    return now.at(0).content_sha256 == published.content_sha256
               ? std::string()
               : fmt::format("{} has other content", output.name);
  }
  const support::TemporaryFolder folder(scratch, "published");
  unpack_file(results / published.published, folder.path() / "file");
  const FileContent first(folder.path() / "file", output.name, scratch),
      again(output.path, output.name, scratch);
  const FileIdentity identity = compare_bytes(output.name, first.bytes(), again.bytes());
  if (identity.equal) return {};
  return fmt::format("{} differs from byte {} on: {}", output.name, identity.first_difference.value_or(0),
                     identity.reason);
}

std::string differences(const MadeRun& made, const RunManifest& manifest, const fs::path& results,
                        const fs::path& scratch) {
  for (const PublishedFile& file : manifest.files) {
    const auto again = std::find_if(made.outputs.begin(), made.outputs.end(),
                                    [&](const OutputFile& output) { return output.name == file.name; });
    if (again == made.outputs.end()) return fmt::format("{} was not written again", file.name);
    if (const std::string why = difference(*again, file, results, scratch); !why.empty()) return why;
  }
  if (made.outputs.size() != manifest.files.size()) return "more files were written than are published";
  return {};
}

/// Throws where a file of the stock program is not the plan's.
void check_stock(const ProductionPlan& plan, const fs::path& folder) {
  const std::string stock = fs::path(plan.stock).parent_path().parent_path().string() + "/";
  for (const auto& [name, sum] : plan.files)
    if (name.starts_with(stock) && support::sha256_of_file(folder / name) != sum)
      throw WorkerError(
          WorkerExit::never,
          fmt::format("{} is not the file that production.toml names; restore it", (folder / name).string()));
}

void keep(const fs::path& folder, const AuditedRun& audited) {
  const json text{{"format", 1},
                  {"run", audited.run},
                  {"kind", audited.kind},
                  {"made_on", audited.made_on},
                  {"audited_on", audited.audited_on},
                  {"audited", utc_now()},
                  {"equal", audited.equal},
                  {"reason", audited.reason},
                  {"published_cpu_s", audited.published_cpu_s},
                  {"audit_cpu_s", audited.audit_cpu_s}};
  fs::create_directories(folder / "audits");
  support::write_file(
      folder / "audits" /
          fmt::format("{}-{}-{}.json", run_name(audited.run), audited.kind, audited.audited_on),
      text.dump(2) + "\n");
}

AuditedRun audit_run(const ProductionPlan& plan, const AuditRequest& request, const RunManifest& manifest,
                     const std::string& kind) {
  const support::TemporaryFolder scratch(scratch_folder(request.scratch), "overlay-audit");
  fs::create_directory(scratch.path() / "attempt");
  const RunInput input = checked_input(plan, request.folder, manifest.run);
  const RunOrder order{plan,
                       request.folder,
                       kind == "stock" ? plan.stock : plan.program,
                       input.run,
                       input.card,
                       scratch.path() / "attempt",
                       [] { support::check_interrupt(); }};
  AuditedRun audited;
  audited.run = manifest.run;
  audited.kind = kind;
  audited.made_on = manifest.host;
  audited.audited_on = host_name();
  audited.published_cpu_s = manifest.cost.user_s + manifest.cost.system_s;
  const MadeRun made = make_run(order);
  audited.audit_cpu_s = made.cost.user_s + made.cost.system_s;
  audited.reason =
      differences(made, manifest, request.folder / results_folder(plan, manifest.run), scratch.path());
  audited.equal = audited.reason.empty();
  keep(request.folder, audited);
  return audited;
}

}  // namespace

bool AuditReport::equal() const {
  return std::all_of(runs.begin(), runs.end(), [](const AuditedRun& run) { return run.equal; });
}

AuditReport audit_production(const AuditRequest& request) {
  if (request.stock < 0)
    throw support::Error(fmt::format("--stock cannot be {}; give 0 or more", request.stock));
  if (!(request.elsewhere >= 0 && request.elsewhere <= 1))
    throw support::Error("--elsewhere cannot be that; give a share of 0% to 100%");
  const ProductionPlan plan = read_plan(request.folder);
  const std::vector<RunManifest> published = published_runs(plan, request);
  AuditReport report;
  const auto chosen =
      request.runs.empty() ? spread(published, static_cast<std::size_t>(request.stock)) : published;
  if (request.stock > 0 || (!request.runs.empty() && request.elsewhere <= 0)) {
    check_stock(plan, request.folder);
    for (const RunManifest& manifest : chosen)
      report.runs.push_back(audit_run(plan, request, manifest, "stock"));
  }
  if (request.elsewhere <= 0) return report;
  std::vector<RunManifest> others;
  std::copy_if(published.begin(), published.end(), std::back_inserter(others),
               [](const RunManifest& manifest) { return manifest.host != host_name(); });
  if (others.empty()) {
    report.notes.push_back(fmt::format(
        "all published runs were made on {}, this node; call audit --elsewhere on another one", host_name()));
    return report;
  }
  const auto count =
      static_cast<std::size_t>(std::ceil(request.elsewhere * static_cast<double>(published.size())));
  for (const RunManifest& manifest : request.runs.empty() ? spread(others, count) : others)
    report.runs.push_back(audit_run(plan, request, manifest, "elsewhere"));
  return report;
}

std::vector<AuditedRun> audits_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder / "audits", error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  std::vector<AuditedRun> audits;
  for (const fs::path& file : files) {
    const json text = json::parse(support::read_file(file), nullptr, false);
    if (!text.is_object() || text.value("format", 0) != 1) continue;
    AuditedRun audited;
    audited.run = text.value("run", std::int64_t{0});
    audited.kind = text.value("kind", "");
    audited.made_on = text.value("made_on", "");
    audited.audited_on = text.value("audited_on", "");
    audited.equal = text.value("equal", false);
    audited.reason = text.value("reason", "");
    audited.published_cpu_s = text.value("published_cpu_s", 0.0);
    audited.audit_cpu_s = text.value("audit_cpu_s", 0.0);
    audits.push_back(std::move(audited));
  }
  return audits;
}

}  // namespace overlay
