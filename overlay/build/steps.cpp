// Makes what is missing or old of each build, by steps: copy, configure, patch, make, link. Each writes in
// its build's folder alone, and keeps what a user put into the run folder of the copy. And tells from the
// compiled source and the manifest of a patched build what the Cherenkov stage does in it.
#include "overlay/build/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"
#include "support/toml.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* kRunList = "run.list";  // what stood in tree/run after the last step
constexpr const char* kStock = "stock-tree";  // what is patched, while it is
constexpr const char* kPatchManifest = "manifest.json";
constexpr const char* kDone =
    "done.txt";  // the steps that were done, each with a checksum of what it depends on

/// One build of a plan.
struct Build {
  const BuildPlan& plan;
  std::string name;
  fs::path folder = plan.base / name, tree = folder / "tree";
  const OurLibrary* ours = is_patched(name) ? plan.library : nullptr;  ///< null: stock
  std::map<std::string, std::string> environment = environment_of(name, plan.flags, ours, plan.stage, tree);
};

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && is_elf(file) &&
         (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

/// CORSIKA's program in run/.
std::vector<fs::path> programs_in(const fs::path& tree) {
  auto found = matching_files(tree / "run", {"corsika*"});
  std::erase_if(found, [](const fs::path& file) { return !is_program(file); });
  return found;
}

void delete_programs(const fs::path& tree) {
  for (const auto& old : programs_in(tree)) support::delete_file(old);
}

void step_copy(const Build& build) {
  support::remove_folder(build.folder / kStock);
  support::delete_file(build.folder / kPatchManifest);
  copy_sources(build.plan.source->folder, build.tree);
  if (lacks_configure(build.tree)) make_configure(build.tree, build.folder / "autoreconf.log");
  delete_programs(build.tree);
  support::delete_file(build.folder / "program.txt");
}

void step_configure(const Build& build) {
  if (build.ours != nullptr) support::write_file(build.folder / kLinkOptions, link_options(false));
  if (!build.plan.source->standin)
    configure_with_coconut(
        {build.tree, build.plan.options, build.environment, build.folder / "configure.log"});
}

/// The configured tree becomes the stock one, of which the patched copy takes the place. Where both are
/// there, a call was killed before it deleted the stock one.
void step_patch(const Build& build) {
  if (build.ours == nullptr) return;
  const auto log = build.folder / "patch.log", manifest = build.folder / kPatchManifest,
             stock = build.folder / kStock;
  if (fs::exists(manifest) && !fs::exists(stock)) return;  // the call that patched was killed later
  support::delete_file(log);
  support::delete_file(manifest);
  if (!fs::exists(stock)) fs::rename(build.tree, stock);
  support::remove_folder(build.tree);
  // What the Cherenkov stage covers depends on the options that the program is compiled with.
  const auto options = build.plan.source->standin ? build.plan.options : selected_options(stock);
  std::vector<std::string> argv{
      build.ours->patcher.string(), "apply",      "--tree",         stock.string(), "--out",
      build.tree.string(),          "--manifest", manifest.string()};
  if (!options.empty()) argv.emplace_back("--options");
  argv.insert(argv.end(), options.begin(), options.end());
  const auto result = support::run({.argv = argv});
  support::write_file(log, result.output);
  if (result.status != 0)
    throw support::Error("the sources were not patched: {} (log: {})", telling_line(result.output),
                         log.string());
  // Whole or not at all, for the next call: what is left of it after a kill is deleted with what is
  // unfinished.
  const support::TemporaryFolder patched(build.plan.base, ".unfinished");
  fs::rename(stock, patched.path() / "tree");
}

/// Calls make for each of the targets; the program that comes of it is in program.txt.
void make_program(const Build& build, std::vector<std::string> targets) {
  const bool standin = build.plan.source->standin;
  // As coconut does it: `install` also puts libraries where the link looks for them.
  targets.emplace_back(standin ? "all" : "install");
  const auto log = build.folder / "make.log";
  support::delete_file(log);
  std::vector<std::string> variables;
  if (standin) {
    for (const auto& [name, value] : build.environment)
      variables.push_back(fmt::format("{}={}", name, value));
    variables.push_back("OPTIONS=" + support::join(build.plan.options));
  }
  delete_programs(build.tree);
  int status = 0;
  for (const auto& target : targets) {
    support::Command command{{"make", fmt::format("-j{}", build.plan.jobs), target}};
    command.argv.insert(command.argv.end(), variables.begin(), variables.end());
    command.cwd = build.tree;
    command.log = log;
    if (!standin) command.environment = build.environment;
    // make's own variables of an outer make are not for this one.
    for (const char* name : {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}) command.environment[name] = "";
    status = support::run(command).status;
  }
  const auto found = programs_in(build.tree);
  if (status != 0 || found.size() != 1)
    throw support::Error("the program was not built: {} (log: {})",
                         status != 0 ? telling_line(support::read_file(log))
                                     : fmt::format("{} programs were made", found.size()),
                         log.string());
  support::write_file(build.folder / "program.txt", found[0].string() + "\n");
}

void step_make(const Build& build) {
  if (build.ours != nullptr) support::write_file(build.folder / kLinkOptions, link_options(false));
  make_program(build, {"clean"});
  if (build.ours == nullptr) return;
  const auto sources = sources_digest(support::read_file(build.folder / kPatchManifest), build.tree);
  support::write_file(build.folder / kSourcesDigest, sources + "\n");
}

/// Links the program again where the stage is to work and does not, or works and is not to.
void step_link(const Build& build) {
  for (const auto& entry : fs::directory_iterator(build.tree / "src"))
    if (is_program(entry.path())) support::delete_file(entry.path());
  make_program(build, {});
}

/// The options of a patched build's link: whether its stage may work, since its sources are known or proven.
std::string wanted_link(const Build& build) {
  auto conditions = build.plan.conditions;
  conditions.sources = first_line_of(build.folder / kSourcesDigest);
  const auto proof = proof_for(conditions, build.plan.base);
  return link_options(is_known(conditions.sources) || (proof && proof->failure.empty()));
}

/// Does a step in a run folder that holds nothing but what steps made.
void perform(void (*step)(const Build&), const Build& build) {
  if (const auto kept = keep_foreign_files(build.folder); !kept.empty())
    message(fmt::format("note: {} held files that no build made; they are in {} now",
                        (build.tree / "run").string(), kept.string()));
  step(build);
  list_run_folder(build.folder);
}

/// Does the steps that were not done yet, or not with what they depend on now, and all that follow.
void bring_up_to_date(const Build& build) {
  const auto& [plan, name, folder, tree, ours, environment] = build;
  std::error_code error;  // the first file that cannot be written says it
  fs::create_directories(folder, error);
  // A card or a path of the user's may hold any bytes.
  const auto settings = json{{"source", plan.source->folder.string()},
                             {"standin", plan.source->standin},
                             {"options", plan.options},
                             {"environment", environment},
                             {"stage", plan.stage},
                             {"patcher", ours != nullptr ? ours->patcher.string() : ""}}
                            .dump(2, ' ', false, json::error_handler_t::replace);
  support::write_file(folder / "settings.json", settings + "\n");
  const auto sources = support::sha256_of_text(plan.source->sha256 + settings +
                                               (ours != nullptr ? ours->patcher_fingerprint : ""));
  const auto library = ours != nullptr ? ours->library_fingerprint : "none";
  const auto before = fs::exists(folder / kDone) ? support::read_file(folder / kDone) : "";
  const struct {
    const char* name;
    void (*step)(const Build&);
    std::string depends_on;
  } steps[] = {{"copy", step_copy, sources},
               {"configure", step_configure, sources},
               {"patch", step_patch, sources},
               {"make", step_make, library}};
  std::string done;
  for (const auto& [step_name, step, depends_on] : steps) {
    const auto with_this = done + fmt::format("{} {}\n", step_name, depends_on);
    if (!before.starts_with(with_this)) {
      support::write_file(folder / kDone, done);
      perform(step, build);
      support::write_file(folder / kDone, with_this);
    }
    done = with_this;
  }
  if (ours == nullptr) return;
  const auto options = wanted_link(build);
  if (support::read_file(folder / kLinkOptions) == options) return;
  support::write_file(folder / kDone, "");  // where the link is stopped all is made again
  support::write_file(folder / kLinkOptions, options);
  perform(step_link, build);
  support::write_file(folder / kDone, done);
}

/// What is in a folder but its lock.
std::vector<fs::path> content_of(const fs::path& folder) {
  auto content = matching_files(folder, {"*"});
  std::erase(content, folder / ".overlay-lock");
  return content;
}

}  // namespace

std::string first_line_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  return line;
}

fs::path keep_foreign_files(const fs::path& folder) {
  const auto run = folder / "tree" / "run";
  std::error_code error;
  if (!fs::is_regular_file(folder / kRunList, error) || !fs::is_directory(fs::symlink_status(run, error)))
    return {};
  const auto listed = "\n" + support::read_file(folder / kRunList);
  std::vector<fs::path> foreign;
  for (const auto& entry : fs::directory_iterator(run))
    if (listed.find("\n" + entry.path().filename().string() + "\n") == std::string::npos)
      foreign.push_back(entry.path());
  if (foreign.empty()) return {};
  const auto kept = folder / ("kept-from-run-" + support::random_name());
  fs::create_directory(kept);
  for (const auto& file : foreign) fs::rename(file, kept / file.filename());
  return kept;
}

void list_run_folder(const fs::path& folder) {
  std::string names;
  for (const auto& file : matching_files(folder / "tree" / "run", {"*"}))
    names += file.filename().string() + "\n";
  support::write_file(folder / kRunList, names);
}

void make_builds(const BuildPlan& plan) {
  const Workplace workplace(plan.base);
  const bool fresh = content_of(plan.base).empty();
  std::set<std::string> names, missing;
  for (const auto& build : plan.builds) names.insert(folder_name(build));
  std::vector<Build> builds;
  for (const auto& name : names) {
    if (!fs::exists(plan.base / name / "program.txt")) missing.insert(name);
    builds.push_back({plan, name});
  }
  if (!missing.empty()) message(fmt::format("building {} of {}", fmt::join(missing, ", "), plan.title));
  const auto start = std::chrono::steady_clock::now();
  try {
    in_parallel(builds.size(), static_cast<std::size_t>(plan.jobs),
                [&](std::size_t i) { bring_up_to_date(builds[i]); });
  } catch (const support::Error& problem) {
    if (!support::disk_is_full(plan.out, problem.what())) throw;
    if (fresh)
      for (const auto& made : content_of(plan.base)) support::remove_folder(made);
    report_full_disk(plan.out);
  }
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (seconds > 2) message(fmt::format("built in {:.0f} s", seconds));
}

namespace {

/// Throws filesystem_error where a folder cannot be read: without its sources the digest would be another.
bool holds_objects(const fs::path& folder) {
  return fs::exists(folder) &&
         std::any_of(fs::directory_iterator(folder), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return entry.path().extension() == ".o"; });
}

json manifest_in(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& problem) {
    throw support::Error("the patcher's manifest is not readable: {}; build again", problem.what());
  }
}

}  // namespace

std::string CherenkovStage::text() const {
  if (!is_covered()) return "not covered: " + reason;
  auto out = fmt::format("{}, {}", covered == "whole" ? "whole loop" : "bunch by bunch", why);
  return reason.empty() ? out : out + ": " + reason;
}

CherenkovStage stage_of_build(const fs::path& folder, bool asked) {
  CherenkovStage stage;
  std::string covered = "none";
  const json patched = manifest_in(support::read_file(folder / "manifest.json"));
  for (const json& each : patched.value("stages", json::array()))
    if (each.value("name", std::string()) == "cherenkov") {
      covered = each.value("covered", std::string("none"));
      stage.reason = each.value("reason", std::string());
    }
  if (covered == "none") return stage;
  const auto compiled = support::read_file(folder / "tree" / "src" / "corsikacompilefile.f");
  if (compiled.find("CALL CHRRUN") == std::string::npos) {
    stage.reason =
        asked ? "the compiled source does not call it; build again in another folder, with --out"
              : "the compilers fuse operations with these flags; --flags \"-O2 -ffp-contract=off\" has it";
    return stage;
  }
  stage.covered = covered;
  stage.sources = first_line_of(folder / kSourcesDigest);
  stage.works = is_known(stage.sources);
  stage.why = stage.works ? "known" : "not proven (overlay prove --cherenkov does that)";
  return stage;
}

std::string sources_digest(const std::string& manifest, const fs::path& tree) {
  const json patched = manifest_in(manifest);
  std::string text;
  try {
    for (const json& each : patched.at("sources")) {
      const auto path = each.at("path").get<std::string>();
      const auto folder = fs::path(path).parent_path();
      if (folder == "include" || holds_objects(tree / folder))
        text += path + " " + each.at("sha256").get<std::string>() + "\n";
    }
  } catch (const json::exception& problem) {
    throw support::Error("the patcher's manifest lists no sources: {}", problem.what());
  }
  return support::sha256_of_text(text);
}

bool is_known(const std::string& sources) {
  const auto list = support::Toml::read(profiles_folder() / "known-sources.toml");
  for (const auto& entry : list["sources"].list())
    if (entry["sha256"].text() == sources) return true;
  return false;
}

}  // namespace overlay
