// Runs made again and compared: see the header.
#include "overlay/production/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "overlay/identity/file_content.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/production/attempts.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/finished_run.hpp"
#include "overlay/production/json_record.hpp"
#include "overlay/production/packed_file.hpp"
#include "overlay/production/survey.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;

template <class Use>
void members(AuditedRun& audited, const Use& use) {
  use("run", audited.run);
  use("kind", audited.kind);
  use("made_on", audited.made_on);
  use("audited_on", audited.audited_on);
  use("equal", audited.equal);
  use("reason", audited.reason);
  use("published_cpu_s", audited.published_cpu_s);
  use("audit_cpu_s", audited.audit_cpu_s);
}

namespace {

/// `count` of the runs, evenly spread.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& all, std::size_t count) {
  std::vector<std::int64_t> chosen;
  count = std::min(count, all.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
  return chosen;
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

std::string differences(const FinishedRun& made, const RunManifest& manifest, const fs::path& results,
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

AuditedRun audit_run(const ProductionPlan& plan, const AuditRequest& request, std::int64_t number,
                     const std::string& kind) {
  const RunManifest manifest = read_manifest(request.folder / manifest_path(plan, number));
  const support::TemporaryFolder scratch(scratch_folder(request.scratch), "overlay-audit");
  const std::string program = kind == "stock" ? plan.stock : plan.program;
  const PlannedRun run = planned_run(plan, number);
  const std::string card = checked_card(plan, request.folder, program, run);
  const FinishedRun made =
      make_run({plan, request.folder, program, run, card, scratch.path(), support::check_interrupt});
  AuditedRun audited{number, kind, manifest.host,         host_name(),
                     false,  "",   manifest.cost.cpu_s(), made.cost.cpu_s()};
  audited.reason = differences(made, manifest, request.folder / results_folder(plan, number), scratch.path());
  audited.equal = audited.reason.empty();
  fs::create_directories(request.folder / "audits");
  support::write_file(
      request.folder / "audits" / fmt::format("{}-{}-{}.json", run_name(number), kind, audited.audited_on),
      text_of(json_of(audited)) + "\n");
  return audited;
}

}  // namespace

std::vector<AuditedRun> audit_production(const AuditRequest& request) {
  if (request.stock == 0 && request.elsewhere == 0 && request.runs.empty())
    throw support::Error("there is nothing to audit; give --stock N, --elsewhere SHARE%, or both");
  if (request.stock < 0)
    throw support::Error(fmt::format("--stock cannot be {}; give 0 or more", request.stock));
  if (!(request.elsewhere >= 0 && request.elsewhere <= 1))
    throw support::Error("--elsewhere cannot be that; give a share of 0% to 100%");
  const ProductionPlan plan = read_plan(request.folder);
  std::vector<std::int64_t> published, others;  // all of them, and those made on other nodes
  survey_of(plan, request.folder, VerifyDepth::sizes, [&](const RunManifest& manifest) {
    const auto& asked = request.runs;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), manifest.run) == asked.end()) return;
    published.push_back(manifest.run);
    if (manifest.host != host_name()) others.push_back(manifest.run);
  });
  for (const std::int64_t run : request.runs)
    if (std::find(published.begin(), published.end(), run) == published.end())
      throw support::Error(fmt::format("run {} is not published; audit one that is", run));
  if (published.empty()) throw support::Error("no run is published yet; audit when some are");
  if (request.elsewhere > 0 && others.empty() && request.stock == 0)
    throw support::Error(fmt::format(
        "all published runs were made on {}, this node; call audit --elsewhere on another one", host_name()));
  std::vector<AuditedRun> audits;
  const bool all = !request.runs.empty();
  if (request.stock > 0 || request.elsewhere == 0)
    for (const auto run : all ? published : spread(published, static_cast<std::size_t>(request.stock)))
      audits.push_back(audit_run(plan, request, run, "stock"));
  const double share = std::ceil(request.elsewhere * static_cast<double>(published.size()));
  for (const auto run : all&& share > 0 ? others : spread(others, static_cast<std::size_t>(share)))
    audits.push_back(audit_run(plan, request, run, "elsewhere"));
  return audits;
}

std::vector<AuditedRun> audits_of(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder / "audits", error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") files.insert(it->path());
  std::vector<AuditedRun> audits;
  for (const fs::path& file : files) {
    try {
      AuditedRun audited;
      read_record(nlohmann::ordered_json::parse(support::read_file(file)), audited);
      audits.push_back(std::move(audited));
    } catch (const std::exception&) {
      continue;
    }
  }
  return audits;
}

nlohmann::ordered_json audits_json(const std::vector<AuditedRun>& audits) { return json_of(audits); }

std::optional<StockGain> gain_over_stock(const std::vector<AuditedRun>& audits) {
  std::vector<double> stock, published;
  for (const auto& audit : audits) {
    if (audit.kind != "stock" || !(audit.audit_cpu_s > 0) || !(audit.published_cpu_s > 0)) continue;
    stock.push_back(audit.audit_cpu_s);
    published.push_back(audit.published_cpu_s);
  }
  if (stock.empty()) return std::nullopt;
  return StockGain{support::paired_ratio(stock, published), static_cast<std::int64_t>(stock.size())};
}

std::string text_of(const StockGain& gain) {
  const auto& ratio = gain.ratio;
  const std::string interval =
      ratio.has_interval ? fmt::format(" ({:.2f} to {:.2f})", ratio.low, ratio.high) : "";
  return fmt::format("{:.2f} times stock's throughput{}, {} audited with stock", ratio.value, interval,
                     gain.runs == 1 ? "1 run" : fmt::format("the median of {} runs", gain.runs));
}

}  // namespace overlay
