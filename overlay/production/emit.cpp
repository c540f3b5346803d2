// Writes an engine's files from data/forms.txt: checks the options, and takes what a run needs from the
// pilot.
#include <algorithm>
#include <cmath>
#include <regex>

#include "overlay/build/profile.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/production/production.hpp"

namespace overlay {

extern const char* const kForms;  // data/forms.txt; made by CMake

using Values = std::map<std::string, std::string>;
namespace {

void check_emit(const EmitRequest& request) {
  check_one_of("--for", request.engine, {"htcondor", "slurm", "local"});
  check_one_of("--avoid", request.avoid, {"machine", "slot"});
  check_least("--memory", static_cast<double>(request.memory_mib), 0);
  check_least("--disk", static_cast<double>(request.disk_mib), 0);
  check_least("--time", static_cast<double>(request.minutes), 0);
  check_least("--retries", request.retries, 0);
  check_least("--array-size", static_cast<double>(request.array_size), 1);
  for (const auto& line : request.lines)
    if (line.find('\n') != std::string::npos)
      throw support::Error("--line takes one line; give it once for each");
}

/// The folder as engines' files take it: they have no common way to quote.
fs::path engine_path(const fs::path& given) {
  auto folder = absolute_folder(given);
  if (!std::regex_match(folder.string(), std::regex("[/A-Za-z0-9._+,=@-]*")))
    throw support::Error(
        "engines' files cannot hold the path '{}'; move the production to one of letters, digits and . _ - + "
        ", = @",
        folder.string());
  return folder;
}

/// The runs with indices from `first` to before `end` as one DAG. `part` names the folder of their logs.
std::string dag_text(const ProductionPlan& plan, Values values, std::int64_t first, std::int64_t end,
                     const std::string& part) {
  values["first"] = std::to_string(plan.run_at(first));
  values["last"] = std::to_string(plan.run_at(end - 1));
  values["part"] = part;
  for (auto index = first; index < end; ++index)
    values["jobs"] += fmt::format("JOB {} {}/htcondor/run.sub\n", plan.run_at(index), values["dir"]);
  fs::create_directories(fs::path(values["dir"]) / "htcondor" / "log" / part);
  return filled_form(kForms, "dag", values);
}

/// One DAG of all runs, or a DAG of DAGs: DAGMan holds each node of a DAG in memory for as long as it works
/// on it.
void write_dags(const ProductionPlan& plan, const fs::path& folder, Values values) {
  constexpr std::int64_t kNodes = 10'000;
  std::string text;
  const auto count = plan.run_count();
  if (count <= kNodes) {
    text = dag_text(plan, values, 0, count, "part-0000");
  } else {
    for (std::int64_t first = 0; first < count; first += kNodes) {
      const auto part = fmt::format("part-{:04}", first / kNodes);
      support::write_file(folder / (part + ".dag"),
                          dag_text(plan, values, first, std::min(first + kNodes, count), part));
      values["jobs"] +=
          fmt::format("SUBDAG EXTERNAL {0} {1}/{0}.dag\nCATEGORY {0} parts\n", part, folder.string());
    }
    text = filled_form(kForms, "dags", values);
  }
  support::write_file(folder / "production.dag",
                      text + fmt::format("FINAL collect {}/collect.sub\n", folder.string()));
}

/// Fills in what is not asked for, with room to spare, by pilot.json, which `overlay production check`
/// leaves. Returns where it is from.
std::string fill_in_needs(EmitRequest& request) {
  const auto fill_in = [](std::int64_t& asked, std::int64_t least, double needed) {
    if (!(needed >= 0 && needed < 1e9)) throw std::out_of_range("no need of a run");
    if (asked == 0) asked = std::max(least, static_cast<std::int64_t>(std::ceil(needed)));
  };
  const auto file = request.folder / "pilot.json";
  std::error_code error;
  if (!fs::exists(file, error)) {
    fill_in(request.memory_mib, 2048, 0);
    fill_in(request.disk_mib, 4096, 0);
    fill_in(request.minutes, 1440, 0);
    return "there was no pilot run; overlay production check makes one";
  }
  try {
    const auto pilot = json_of(support::read_file(file)).get<Pilot>();
    fill_in(request.memory_mib, 256, 1.5 * pilot.memory_mib);
    fill_in(request.disk_mib, 256, 1.5 * pilot.disk_mib);
    fill_in(request.minutes, 15, 4. * pilot.seconds / 60.);
  } catch (const std::exception&) {
    throw support::Error("{} is not what overlay production check writes; call check again", file.string());
  }
  return "from the pilot run";
}

}  // namespace

std::string emit_production(EmitRequest request) {
  static const std::map<std::string, std::vector<std::string>> kFiles{
      // the last one is started
      {"htcondor", {"run.sub", "collect.sub", "pre", "post", "production.dag"}},
      {"slurm", {"run", "collect", "submit"}},
      {"local", {"start"}}};
  check_emit(request);
  const auto& files = kFiles.at(request.engine);
  const auto plan = read_plan(request.folder);
  const auto from = fill_in_needs(request);
  const auto dir = engine_path(request.folder), folder = dir / request.engine;
  const bool slot = request.avoid == "slot";
  const Values values{
      {"name", plan.name},
      {"dir", dir.string()},
      {"memory", std::to_string(request.memory_mib)},
      {"disk", std::to_string(request.disk_mib)},
      {"minutes", std::to_string(request.minutes)},
      {"retries", std::to_string(request.retries)},
      {"size", std::to_string(request.array_size)},
      {"attribute", slot ? "Name" : "Machine"},
      {"not_last",
       slot ? "TARGET.Name =!= LastRemoteHost" : "split(LastRemoteHost, \"@\")[1] =!= TARGET.Machine"},
      {"your_lines", fmt::format("{}{}", fmt::join(request.lines, "\n"), request.lines.empty() ? "" : "\n")}};
  try {
    fs::create_directories(folder / (request.engine == "local" ? "" : "log"));
    for (const auto& name : files) {
      if (name == "production.dag") {
        write_dags(plan, folder, values);
        continue;
      }
      const auto text = filled_form(kForms, request.engine + "/" + name, values);
      support::write_file(folder / name, text);
      if (text.starts_with("#!"))
        fs::permissions(folder / name, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                        fs::perm_options::add);
    }
  } catch (const fs::filesystem_error& problem) {
    throw support::Error("cannot write in {} ({}); is there space, and may you write there?", dir.string(),
                         problem.code().message());
  }
  fmt::print("a run gets {} MiB of memory, {} MiB of disk, {} minutes: {}\n", request.memory_mib,
             request.disk_mib, request.minutes, from);
  return (request.engine == "htcondor" ? "condor_submit_dag " : "") + (folder / files.back()).string();
}

}  // namespace overlay
