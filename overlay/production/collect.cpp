// Collects a production. Writes production-manifest.json and lists/ in the production's folder.
#include "overlay/production/json_record.hpp"
#include "overlay/production/production.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::ordered_json;
namespace {

/// One run of the production's manifest.
std::string run_entry(const RunManifest& manifest) {
  auto files = ordered_json::array();
  for (const auto& file : manifest.files)
    files.push_back({{"name", file.name},
                     {"published", file.published},
                     {"bytes", file.bytes},
                     {"sha256", file.sha256},
                     {"content_sha256", file.content_sha256}});
  return text_of({{"run", manifest.run},
                  {"setting", manifest.setting},
                  {"host", manifest.host},
                  {"cpu_s", manifest.cost.cpu_s()},
                  {"files", files}},
                 -1);
}

/// The list that a file belongs to, by setting and kind of file; empty where it belongs to none.
std::string list_of(const RunManifest& manifest, const PublishedFile& file) {
  if (file.name == "log" || file.published.empty()) return {};
  auto kind = file.name;
  const auto number = run_name(manifest.run);
  if (const auto at = kind.find(number); at != std::string::npos) kind.erase(at, number.size());
  std::replace(kind.begin(), kind.end(), '/', '-');
  return fmt::format("setting-{:03}/{}", manifest.setting, kind);
}

/// What stands before the runs' entries: all that is known of the production as a whole.
std::string head_text(const ProductionPlan& plan, const CollectRequest& request, const Survey& survey,
                      const std::string& content) {
  const ordered_json head{{"format", 1},
                          {"production", plan.name},
                          {"plan_sha256", plan_digest(request.folder)},
                          {"made", utc_now()},
                          {"overlay", OVERLAY_VERSION},
                          {"corsika", plan.corsika_version},
                          {"runs", plan.run_count()},
                          {"showers_of_run", plan.showers},
                          {"complete", survey.complete()},
                          {"accepted_partial", !survey.complete()},
                          {"absent", range_text(survey.absent)},
                          {"verified", request.digests ? "digests" : "sizes"},
                          {"content_sha256", content},
                          {"bytes", survey.bytes},
                          {"packed_bytes", survey.packed_bytes},
                          {"cpu_s", survey.cpu_s},
                          {"failed_attempts", survey.failed_attempts},
                          {"classes", survey.groups},
                          {"audits", audits_of(request.folder)}};
  auto text = text_of(head);
  text.resize(text.size() - 2);  // the last line end and brace
  return text + ",\n  \"run_list\": [\n";
}

/// Puts new lists, texts by name, in the place of those that were there; other files stay.
void write_lists(const std::map<std::string, std::string>& lists, const fs::path& place) {
  fs::create_directories(place);
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(place))
    if (entry.path().filename().string().starts_with("setting-")) old.push_back(entry.path());
  for (const auto& folder : old) fs::remove_all(folder);
  for (const auto& [name, text] : lists) {
    fs::create_directories((place / name).parent_path());
    support::write_file(place / name, text);
  }
}

}  // namespace

Collected collect_production(const ProductionPlan& plan, const CollectRequest& request) {
  std::string entries;
  support::Sha256 content;
  std::map<std::string, std::int64_t> files_of;  // by setting and kind of file
  std::map<std::string, std::string> lists;
  const auto survey =
      survey_of(plan, request.folder, request.digests ? VerifyDepth::digests : VerifyDepth::sizes,
                [&](const RunManifest& manifest) {
                  entries += (entries.empty() ? "    " : ",\n    ") + run_entry(manifest);
                  for (const auto& file : manifest.files) {
                    const auto line = fmt::format("{} {} {}\n", manifest.run, file.name, file.content_sha256);
                    content.update(line.data(), line.size());
                    const auto list = request.list > 0 ? list_of(manifest, file) : "";
                    if (!list.empty())
                      lists[fmt::format("{}/{:05}.txt", list, files_of[list]++ / request.list)] +=
                          (results_folder(plan, manifest.run) / file.published).generic_string() + "\n";
                  }
                });
  if (!survey.complete() && !request.accept_partial)
    throw support::Error(
        "{} of {} runs of production {} are done ({}); run the rest, or give --accept-partial",
        survey.of(kPublished), plan.run_count(), plan.name, survey.not_done());
  Collected collected{survey, content.hexadecimal(), lists.size()};
  if (!lists.empty()) write_lists(lists, request.folder / "lists");
  support::write_file(request.folder / "production-manifest.json",
                      head_text(plan, request, survey, collected.content_sha256) + entries + "\n  ]\n}\n");
  return collected;
}

}  // namespace overlay
