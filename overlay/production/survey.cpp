// The walk over a production's runs, 1000 runs at a time, and what is collected on it. Writes
// production-manifest.json and lists/ in the production's folder.
#include <fmt/chrono.h>

#include <algorithm>
#include <cstdlib>

#include "overlay/build/workplace.hpp"
#include "overlay/production/production.hpp"
#include "overlay/run/runner.hpp"
#include "support/checksum.hpp"
#include "support/machine.hpp"

namespace overlay {
namespace {

using nlohmann::json;

/// The runs that a folder has names of, with this ending. Empty where there is no folder.
std::set<std::int64_t> runs_in(const fs::path& folder, const std::string& ending) {
  std::set<std::int64_t> runs;
  std::error_code error;
  fs::directory_iterator it(folder, error);
  if (error == std::errc::no_such_file_or_directory) return runs;
  for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
    const auto name = it->path().filename().string();
    const std::int64_t run = std::strtoll(name.c_str(), nullptr, 10);
    if (name == run_name(run) + ending) runs.insert(run);
  }
  if (error) throw support::Error("cannot read {} ({}); may you read it?", folder.string(), error.message());
  return runs;
}

/// Says where a run of a production with offsets may have drawn numbers of the next run.
void check_stride(Survey& survey, const ProductionPlan& plan, const RunManifest& manifest) {
  if (!plan.offsets()) return;
  // As many in all sequences together: then no sequence drew more.
  const auto drawn = number_in(manifest.generator, "draws");
  if (drawn && *drawn <= static_cast<std::uint64_t>(plan.stride)) return;
  const std::string what = drawn
                               ? fmt::format("it drew {} numbers, and runs are {} apart", *drawn, plan.stride)
                               : "how many numbers it drew is not known";
  survey.issues.push_back({manifest.run, "stride", what + ": it may have used those of the next run"});
}

void add_published(Survey& survey, const ProductionPlan& plan, const RunManifest& manifest) {
  check_stride(survey, plan, manifest);
  RunFigures run{manifest.cost, manifest.run, manifest.setting};
  for (const auto& file : manifest.files) {
    run.packed_bytes += static_cast<double>(file.packed_bytes);
    survey.packed_bytes += file.packed_bytes;
    survey.bytes += file.bytes;
  }
  survey.cpu_s += run.cpu_s();
  survey.figures.push_back(run);
  auto& groups = survey.groups;
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const auto& each) { return each.node_class == manifest.node_class; });
  if (group == groups.end()) group = groups.insert(groups.end(), NodeGroup{manifest.node_class, 0, {}, {}});
  ++group->runs;
  group->hosts.insert(manifest.host);
  group->processors.insert(manifest.processor);
}

void add_run(Survey& survey, const ProductionPlan& plan, std::int64_t number, const RunState& run) {
  for (const auto& attempt : run.attempts) {
    if (attempt.outcome == kRunning) continue;
    ++survey.failed_attempts;
    ++survey.outcomes[attempt.outcome];
    if (attempt.outcome == "other-bits") survey.other_bits.insert(attempt.host);
  }
  ++survey.states[run.state];
  if (run.state == kPublished) return add_published(survey, plan, *run.manifest);
  survey.absent.push_back(number);
  if (run.state != kPoisoned) survey.pending.push_back(number);
  if (!run.reason.empty() && run.state != kRunning)
    survey.issues.push_back({number, run.state == kMissing ? "failed" : run.state, run.reason});
}

/// One run of the production's manifest.
std::string run_entry(const RunManifest& manifest) {
  return text_of({{"run", manifest.run},
                  {"setting", manifest.setting},
                  {"host", manifest.host},
                  {"cpu_s", manifest.cost.cpu_s()},
                  {"files", manifest.files}},
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
  auto classes = json::array();
  for (const auto& group : survey.groups)
    classes.push_back({{"class", group.node_class},
                       {"runs", group.runs},
                       {"hosts", group.hosts},
                       {"processors", group.processors}});
  const json head{{"format", 1},
                  {"production", plan.name},
                  {"plan_sha256", plan.digest},
                  {"made", utc_now()},
                  {"overlay", OVERLAY_VERSION},
                  {"corsika", plan.corsika_version},
                  {"substitutes", plan.substitutes},
                  {"runs", plan.run_count()},
                  {"run_numbers", plan.run_numbers()},
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
                  {"classes", classes},
                  {"audits", audits_of(plan.folder)}};
  auto text = text_of(head);
  text.resize(text.size() - 2);  // the last line end and brace
  return text + ",\n  \"run_list\": [\n";
}

/// Puts new lists, texts by name, in the place of those that were there; other files stay.
void write_lists(const std::map<std::string, std::string>& lists, const fs::path& place) {
  for (const auto& path : paths_in(place))
    if (path.filename().string().starts_with("setting-")) fs::remove_all(path);
  for (const auto& [name, text] : lists) {
    fs::create_directories((place / name).parent_path());
    support::write_file(place / name, text);
  }
}

}  // namespace

Survey survey_of(const ProductionPlan& plan, VerifyDepth depth,
                 const std::function<void(const RunManifest&)>& visit) {
  Survey survey;
  survey.planned = plan.run_count();
  const auto attempted = runs_in(plan.folder / "attempts", "");
  for (std::int64_t first = 0; first < survey.planned; first += kRunsOfFolder) {  // indices
    const auto end = std::min(first + kRunsOfFolder, survey.planned);
    const auto manifests = runs_in(plan.folder / results_folder(plan, plan.run_at(first)), ".json");
    std::vector<RunState> runs(static_cast<std::size_t>(end - first));
    in_parallel(runs.size(), support::allowed_cores().size(), [&](std::size_t i) {
      support::check_interrupt();
      const auto number = plan.run_at(first + static_cast<std::int64_t>(i));
      if (attempted.contains(number) || manifests.contains(number)) runs[i] = verify_run(plan, number, depth);
    });
    for (std::size_t i = 0; i < runs.size(); ++i) {
      add_run(survey, plan, plan.run_at(first + static_cast<std::int64_t>(i)), runs[i]);
      if (visit && runs[i].manifest) visit(*runs[i].manifest);
    }
  }
  std::stable_sort(survey.groups.begin(), survey.groups.end(),
                   [](const auto& a, const auto& b) { return a.runs > b.runs; });
  return survey;
}

std::string Survey::not_done() const {
  return fmt::format("{} at work, {} missing, {} rejected, {} poisoned", of(kRunning), of(kMissing),
                     of(kRejected), of(kPoisoned));
}

std::optional<EndEstimate> Survey::estimate(double now_s) const {
  constexpr double kHour_s = 3600;
  const auto left = static_cast<double>(planned - of(kPublished));
  double ended = 0, began = now_s;
  for (const auto& run : figures) {
    const double began_s = seconds_of_utc(run.began), ended_s = seconds_of_utc(run.ended);
    if (began_s > 0) began = std::min(began, began_s);
    if (ended_s > now_s - kHour_s && ended_s <= now_s) ++ended;
  }
  if (ended == 0 || left <= 0) return std::nullopt;
  const double rate = ended / std::clamp(now_s - began, 1., kHour_s);
  return EndEstimate{rate * kHour_s, now_s + left / rate};
}

double seconds_of_utc(const std::string& text) {
  std::tm day{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &day);
  return end != nullptr && *end == '\0' ? static_cast<double>(timegm(&day)) : 0;
}

std::string utc_of_seconds(double seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string range_text(const std::vector<std::int64_t>& runs) {
  std::string text;
  for (std::size_t at = 0; at < runs.size();) {
    auto end = at + 1;
    while (end < runs.size() && runs[end] == runs[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", runs[at]);
    if (end - at > 1) text += fmt::format("-{}", runs[end - 1]);
    at = end;
  }
  return text;
}

std::vector<std::string> array_lines(const std::vector<std::int64_t>& pending, std::int64_t first_run,
                                     std::int64_t size) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < pending.size();) {
    const auto base = first_run + (pending[at] - first_run) / size * size;
    std::vector<std::int64_t> tasks;
    for (; at < pending.size() && pending[at] < base + size; ++at) tasks.push_back(pending[at] - base);
    lines.push_back(fmt::format("{} {}", base, range_text(tasks)));
  }
  return lines;
}

Collected collect_production(const ProductionPlan& plan, const CollectRequest& request) {
  std::string entries;
  support::Checksum content;
  std::map<std::string, std::int64_t> files_of;  // by setting and kind of file
  std::map<std::string, std::string> lists;
  const auto survey = survey_of(
      plan, request.digests ? VerifyDepth::digests : VerifyDepth::sizes, [&](const RunManifest& manifest) {
        entries += (entries.empty() ? "    " : ",\n    ") + run_entry(manifest);
        for (const auto& file : manifest.files) {
          content.update(fmt::format("{} {} {}\n", manifest.run, file.name, file.content_sha256));
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
