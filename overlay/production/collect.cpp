// Collects a production. The manifest is written while runs are read, under a name of its own, and renamed at
// the end.
#include "overlay/production/collect.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "overlay/production/attempts.hpp"
#include "overlay/production/audit.hpp"
#include "overlay/production/json_record.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::ordered_json;
namespace {

std::string json_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// One run of the production's manifest.
std::string run_entry(const RunManifest& manifest) {
  auto files = ordered_json::array();
  for (const auto& file : manifest.files)
    files.push_back({{"name", file.name},
                     {"published", file.published},
                     {"bytes", file.bytes},
                     {"sha256", file.sha256},
                     {"content_sha256", file.content_sha256}});
  return json_line({{"run", manifest.run},
                    {"setting", manifest.setting},
                    {"host", manifest.host},
                    {"cpu_s", manifest.cost.cpu_s()},
                    {"files", files}});
}

/// Lists of files by setting and kind of file, of so many runs each.
class FileLists {
 public:
  FileLists(fs::path folder, std::int64_t runs) : folder_(std::move(folder)), runs_(runs) {}

  void add(const ProductionPlan& plan, const RunManifest& manifest) {
    if (runs_ <= 0) return;
    for (const auto& file : manifest.files) {
      if (file.name == "log" || file.published.empty()) continue;
      auto kind = file.name;
      const auto number = run_name(manifest.run);
      if (const auto at = kind.find(number); at != std::string::npos) kind.erase(at, number.size());
      for (char& c : kind)
        if (c == '/') c = '-';
      auto& list = lists_[fmt::format("setting-{:03}/{}", manifest.setting, kind)];
      if (list.runs % runs_ == 0) start(list, fmt::format("setting-{:03}/{}", manifest.setting, kind));
      ++list.runs;
      list.out << (results_folder(plan, manifest.run) / file.published).generic_string() << '\n';
    }
  }

  std::int64_t finish() {
    for (auto& [name, list] : lists_) close(list);
    return written_;
  }

 private:
  struct List {
    std::ofstream out;
    std::int64_t runs = 0;
  };

  void start(List& list, const std::string& name) {
    close(list);
    const auto file = folder_ / name / fmt::format("{:05}.txt", list.runs / runs_);
    fs::create_directories(file.parent_path());
    list.out.open(file, std::ios::binary | std::ios::trunc);
    ++written_;
  }

  void close(List& list) const {
    if (!list.out.is_open()) return;
    list.out.close();
    if (!list.out)
      throw support::Error(fmt::format("cannot write below {}: is there space?", folder_.string()));
  }

  fs::path folder_;
  std::int64_t runs_, written_ = 0;
  std::map<std::string, List> lists_;
};

ordered_json groups_of(const Survey& survey) {
  auto groups = ordered_json::array();
  for (const auto& group : survey.groups)
    groups.push_back({{"class", group.node_class},
                      {"runs", group.runs},
                      {"hosts", group.hosts},
                      {"processors", group.processors}});
  return groups;
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
                          {"classes", groups_of(survey)},
                          {"audits", audits_json(audits_of(request.folder))}};
  auto text = text_of(head);
  text.resize(text.size() - 2);  // the last line end and brace
  return text + ",\n  \"run_list\": [\n";
}

/// Copies the entries behind the head, and closes the list.
void join_files(const fs::path& file, const std::string& head, const fs::path& entries) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << head;
  std::ifstream in(entries, std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  out << "\n  ]\n}\n";
  out.close();
  if (!out) throw support::Error(fmt::format("cannot write {}: is there space?", file.string()));
}

void add_text(support::Sha256& sum, const std::string& text) { sum.update(text.data(), text.size()); }

bool is_list(const std::string& name) {
  return name.size() == 9 && name.ends_with(".txt") && name.find_first_not_of("0123456789") == 5;
}

/// Puts new lists in the place of those that were there; other files stay.
void publish_lists(const fs::path& made, const fs::path& place) {
  std::vector<fs::path> old;
  if (fs::is_directory(place))
    for (const auto& entry : fs::recursive_directory_iterator(place))
      if (entry.is_regular_file() && is_list(entry.path().filename().string())) old.push_back(entry.path());
  for (const auto& file : old) fs::remove(file);
  for (const auto& entry : fs::recursive_directory_iterator(made)) {
    if (!entry.is_regular_file()) continue;
    const auto to = place / entry.path().lexically_relative(made);
    fs::create_directories(to.parent_path());
    fs::rename(entry.path(), to);
  }
}

[[noreturn]] void refuse(const ProductionPlan& plan, const Survey& survey) {
  throw support::Error(
      fmt::format("{} of {} runs of production {} are done ({} at work, {} missing, {} rejected, {} "
                  "poisoned); run the rest, or "
                  "give --accept-partial",
                  survey.published, plan.run_count(), plan.name, survey.running, survey.missing,
                  survey.rejected, survey.poisoned));
}

}  // namespace

Collected collect_production(const ProductionPlan& plan, const CollectRequest& request) {
  const support::TemporaryFolder temporary(request.folder, ".overlay-collect");
  const auto entries = temporary.path() / "runs";
  std::ofstream out(entries, std::ios::binary);
  support::Sha256 content;
  FileLists lists(temporary.path() / "lists", request.list);
  const char* before = "    ";
  const auto survey = survey_of(
      plan, request.folder, request.digests ? VerifyDepth::digests : VerifyDepth::sizes,
      [&](const RunManifest& manifest) {
        out << std::exchange(before, ",\n    ") << run_entry(manifest);
        for (const auto& file : manifest.files)
          add_text(content, fmt::format("{} {} {}\n", manifest.run, file.name, file.content_sha256));
        lists.add(plan, manifest);
      });
  out.close();
  if (!out) throw support::Error(fmt::format("cannot write in {}: is there space?", request.folder.string()));
  if (!survey.complete() && !request.accept_partial) refuse(plan, survey);
  const Collected collected{survey, request.folder / "production-manifest.json", content.hexadecimal(),
                            lists.finish()};
  const auto joined = temporary.path() / "manifest";
  join_files(joined, head_text(plan, request, survey, collected.content_sha256), entries);
  if (collected.lists > 0) publish_lists(temporary.path() / "lists", request.folder / "lists");
  fs::rename(joined, collected.manifest);
  return collected;
}

}  // namespace overlay
