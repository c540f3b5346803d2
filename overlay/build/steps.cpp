// Writes what each build is made of, and lets CMake make what is missing or old (overlay/superbuild). Its
// steps: copy, configure, patch, make, link. Each writes in its build's folder alone, and keeps what a user
// put into the run folder of the copy.
#include "overlay/build/steps.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// What a build is made of: "source" (folder), "standin", "options", "environment", "stage" (whether it is
/// to be in), "patcher" (empty: stock).
constexpr const char* kSettings = "settings.json";
constexpr const char* kRunList = "run.list";  // what stood in tree/run after the last step
constexpr const char* kStock = "stock-tree";  // what is patched, while it is
constexpr const char* kPatchManifest = "manifest.json";
constexpr const char* kNote = "overlay: note: ";  // begins the lines of a step that the user is to see

/// Environment variable of the step make: processes of make, 1 unless set. It is no setting, since the
/// program does not depend on it.
constexpr const char* kMakeJobs = "OVERLAY_MAKE_JOBS";

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && is_elf(file) &&
         (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

/// CORSIKA's programs in run/.
std::vector<fs::path> programs_in(const fs::path& tree) {
  auto found = matching_files(tree / "run", {"corsika*"});
  std::erase_if(found, [](const fs::path& file) { return !is_program(file); });
  return found;
}

void delete_programs(const fs::path& tree) {
  for (const auto& old : programs_in(tree)) support::delete_file(old);
}

void step_copy(const fs::path& folder, const json& settings) {
  refuse_output_in_tree(settings.at("source"), folder / "tree", "the copy");
  support::remove_folder(folder / kStock);
  support::delete_file(folder / kPatchManifest);
  copy_sources(settings.at("source").get<std::string>(), folder / "tree");
  if (lacks_configure(folder / "tree")) make_configure(folder / "tree", folder / "autoreconf.log");
  delete_programs(folder / "tree");
  support::delete_file(folder / "program.txt");
}

bool is_patched_build(const json& settings) { return settings.at("patcher") != ""; }

void step_configure(const fs::path& folder, const json& settings) {
  if (is_patched_build(settings)) support::write_file(folder / kLinkOptions, link_options(false));
  if (settings.at("standin")) return;
  configure_with_coconut(folder / "tree", settings.at("options"), settings.at("environment"),
                         folder / "configure.log");
}

/// The configured tree becomes the stock one, of which the patched copy takes the place. Where both are
/// there, a call was killed before it deleted the stock one.
void step_patch(const fs::path& folder, const json& settings) {
  const auto log = folder / "patch.log", manifest = folder / kPatchManifest, tree = folder / "tree";
  const auto stock = folder / kStock;
  if (fs::exists(manifest) && !fs::exists(stock)) return;  // the call that patched was killed later
  support::delete_file(log);
  support::delete_file(manifest);
  if (!fs::exists(stock)) fs::rename(tree, stock);
  support::remove_folder(tree);
  // What the Cherenkov stage covers depends on the options that the program is compiled with.
  const auto options = settings.at("standin").get<bool>()
                           ? settings.at("options").get<std::vector<std::string>>()
                           : selected_options(stock);
  std::vector<std::string> more{"--out", tree.string(), "--manifest", manifest.string()};
  if (!options.empty()) more.emplace_back("--options");
  more.insert(more.end(), options.begin(), options.end());
  const auto result = run_patcher(settings.at("patcher"), stock, more);
  support::write_file(log, result.output);
  if (result.status != 0)
    throw support::Error(
        fmt::format("the sources were not patched: {} (log: {})", telling_line(result.output), log.string()));
  // Whole or not at all, for the next call: what is left of it after a kill is deleted with what is
  // unfinished.
  const support::TemporaryFolder patched(folder.parent_path(), ".unfinished");
  fs::rename(stock, patched.path() / "tree");
}

/// Calls make for each of the targets; the program that comes of it is in program.txt.
void make_program(const fs::path& folder, const json& settings, const std::vector<std::string>& targets) {
  const auto tree = folder / "tree";
  const auto log = folder / "make.log";
  support::delete_file(log);
  auto environment = settings.at("environment").get<std::map<std::string, std::string>>();
  if (settings.at("standin"))
    environment["OPTIONS"] = support::join(settings.at("options").get<std::vector<std::string>>());
  // Drops the variables that an outer make sets for itself.
  for (const char* name : {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}) environment[name] = "";
  const char* set = std::getenv(kMakeJobs);
  const std::string jobs = std::string("-j") + (set != nullptr ? set : "1");
  delete_programs(tree);
  int status = 0;
  for (const auto& target : targets)
    status =
        support::run({.argv = {"make", jobs, target}, .cwd = tree, .environment = environment, .log = log})
            .status;
  const auto found = programs_in(tree);
  if (status != 0 || found.size() != 1)
    throw support::Error(fmt::format("the program was not built: {} (log: {})",
                                     status != 0 ? telling_line(support::read_file(log))
                                                 : fmt::format("{} programs were made", found.size()),
                                     log.string()));
  support::write_file(folder / "program.txt", found[0].string() + "\n");
}

/// As coconut does it: `install` also puts libraries where the link looks for them.
const char* main_target(const json& settings) { return settings.at("standin") ? "all" : "install"; }

void step_make(const fs::path& folder, const json& settings) {
  if (is_patched_build(settings)) support::write_file(folder / kLinkOptions, link_options(false));
  make_program(folder, settings, {"clean", main_target(settings)});
  if (!is_patched_build(settings)) return;
  const auto sources = sources_digest(support::read_file(folder / kPatchManifest), folder / "tree");
  support::write_file(folder / kSourcesDigest, sources + "\n");
  // As the next call would write it, so that nothing is linked twice.
  if (is_known(sources)) support::write_file(folder / kProven, sources + "\n");
}

/// Links the program again where the stage must be switched on or off.
void step_link(const fs::path& folder, const json& settings) {
  const auto sources = first_line_of(folder / kSourcesDigest);
  const auto options = link_options(!sources.empty() && sources == first_line_of(folder / kProven));
  if (support::read_file(folder / kLinkOptions) == options) return;
  support::write_file(folder / kLinkOptions, options);
  for (const auto& entry : fs::directory_iterator(folder / "tree" / "src"))
    if (is_program(entry.path())) support::delete_file(entry.path());
  make_program(folder, settings, {main_target(settings)});
}

/// The steps, as a user is told of them.
const std::map<std::string, std::pair<std::string, void (*)(const fs::path&, const json&)>> kSteps{
    {"copy", {"copying the sources", step_copy}},
    {"configure", {"configuring", step_configure}},
    {"patch", {"patching", step_patch}},
    {"make", {"compiling", step_make}},
    {"link", {"linking", step_link}}};

/// What steps read, and what tells that a step is to be done again.
void write_inputs(const BuildSet& set, const std::vector<std::string>& builds, const OurLibrary* library,
                  bool stage) {
  // Names of all builds are always there, so that asking for one more changes nothing about the others.
  for (const auto& name : kBuilds) {
    const auto folder = set.builds / name;
    std::error_code error;
    fs::create_directories(folder, error);
    if (!contains(builds, name) && fs::exists(folder / kSettings, error)) continue;
    const OurLibrary* ours = is_patched(name) ? library : nullptr;
    write_settings(folder, {{"source", set.source.string()},
                            {"standin", set.standin},
                            {"options", set.profile.options},
                            {"environment", environment_of(name, set.flags, ours, stage, folder / "tree")},
                            {"stage", stage},
                            {"patcher", ours != nullptr ? ours->patcher.string() : ""}});
    support::write_file(folder / "tree.txt",
                        set.sha256 + "\n" + (ours != nullptr ? ours->patcher_fingerprint : ""));
    support::write_file(folder / "library.txt", ours != nullptr ? ours->library_fingerprint : "none");
  }
}

/// Notes in each patched build whether its sources are known or proven. Returns whether that is new.
bool write_proven(const BuildSet& set, const std::vector<std::string>& builds) {
  bool changed = false;
  for (const auto& name : builds) {
    if (!is_patched(name)) continue;
    auto conditions = set.conditions;
    conditions.sources = first_line_of(set.builds / name / kSourcesDigest);
    const auto file = set.builds / name / kProven;
    const auto line = verdict_on(conditions, set.builds).first ? conditions.sources : "none";
    changed = changed || first_line_of(file) != line;
    support::write_file(file, line + "\n");
  }
  return changed;
}

/// The rest of each line that begins so.
std::vector<std::string> lines_after(const std::string& output, const std::string& sign) {
  std::vector<std::string> lines;
  for (const auto& line : support::split(output))
    if (line.starts_with(sign)) lines.push_back(line.substr(sign.size()));
  return lines;
}

void run_cmake(const BuildSet& set, const std::vector<std::string>& targets, int jobs) {
  const auto& base = set.builds;
  const auto superbuild = base / "superbuild", log = base / "superbuild.log";
  const auto set_up = support::run(
      {.argv = {"cmake", "--fresh", "-G", "Ninja", "-S", (source_root() / "overlay" / "superbuild").string(),
                "-B", superbuild.string(), "-DPLAN_DIR=" + base.string(),
                "-DOVERLAY=" + (build_root() / "bin" / "overlay").string(),
                "-DBUILDS=" + support::join(kBuilds, ";")}});
  support::write_file(log, set_up.output);
  if (set_up.status != 0) throw support::Error("the superbuild could not be set up (log: {})", log.string());
  std::vector<std::string> argv{"cmake",   "--build", superbuild.string(), "--parallel", std::to_string(jobs),
                                "--target"};
  argv.insert(argv.end(), targets.begin(), targets.end());
  const auto missing = [&](const std::string& name) { return !fs::exists(base / name / "program.txt"); };
  if (std::any_of(targets.begin(), targets.end(), missing))
    message(fmt::format("building {} of {} ({}, {})", support::join(targets, ", "), set.corsika_version,
                        set.profile.name, base.filename().string()));
  const auto elapsed_s = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  support::Command build{argv};
  build.environment[kMakeJobs] = std::to_string(jobs);
  // After 5, 10, 20 and 40 s, and then twice a minute.
  build.meanwhile = [&, next_s = 5.]() mutable {
    if (elapsed_s() < next_s) return;
    next_s += std::min(next_s, 30.);
    if (const auto text = progress_of(base, targets); !text.empty())
      message(fmt::format("{:.0f} s: {}", elapsed_s(), text));
  };
  const auto built = support::run(build);
  for (const auto& note : lines_after(built.output, kNote)) message(note);
  support::write_file(log, set_up.output + built.output);
  if (built.status != 0) {
    const auto reasons = lines_after(built.output, "overlay: error: ");
    throw support::Error(reasons.empty() ? fmt::format("a build failed (log: {})", log.string())
                                         : reasons.front());
  }
  if (elapsed_s() > 2) message(fmt::format("built in {:.0f} s", elapsed_s()));
}

}  // namespace

std::string first_line_of(const fs::path& file) {
  std::ifstream in(file);  // which may be deleted at any time
  std::error_code error;
  if (!in && fs::exists(file, error)) throw support::Error("cannot read {}", file.string());
  std::string line;
  std::getline(in, line);
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
    if (is_kept_table(entry.path()))
      fs::remove(entry.path());  // of an earlier program
    else if (listed.find("\n" + entry.path().filename().string() + "\n") == std::string::npos)
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

void write_settings(const fs::path& folder, const json& settings) try {
  support::write_file(folder / kSettings, settings.dump(2) + "\n");
} catch (const json::exception&) {
  throw support::Error(
      "a path of this build has bytes that are no UTF-8; give --corsika and --out without them");
}

void run_step(const std::string& step, const fs::path& folder) {
  const auto settings = json::parse(support::read_file(folder / kSettings));
  if (const auto kept = keep_foreign_files(folder); !kept.empty())
    fmt::print(stderr, "{}{} held files that no build made; they are in {} now\n", kNote,
               (folder / "tree" / "run").string(), kept.string());
  const auto known = kSteps.find(step);
  if (known == kSteps.end()) throw support::Error("unknown step {}", step);
  support::write_file(folder / kStepNow, step + "\n");
  known->second.second(folder, settings);
  support::delete_file(folder / kStepNow);
  list_run_folder(folder);
}

std::string progress_of(const fs::path& base, const std::vector<std::string>& builds) {
  std::vector<std::string> parts;
  for (const auto& build : builds)
    if (const auto step = kSteps.find(first_line_of(base / build / kStepNow)); step != kSteps.end())
      parts.push_back(build + ": " + step->second.first);
  return support::join(parts, "; ");
}

void make_builds(const BuildSet& set, const std::vector<std::string>& builds, const OurLibrary* library,
                 bool stage, int jobs) {
  const Workplace workplace(set.builds);
  const auto content = [&] { return matching_files(set.builds, {"[!.]*"}); };  // without its lock
  const bool fresh = content().empty();
  try {
    write_inputs(set, builds, library, stage);
    write_proven(set, builds);
    run_cmake(set, builds, jobs);
    if (write_proven(set, builds)) run_cmake(set, builds, jobs);  // what was compiled is known now
  } catch (const support::Error& problem) {
    if (!support::disk_is_full(set.out, problem.what())) throw;
    if (fresh)
      for (const auto& made : content()) support::remove_folder(made);
    report_full_disk(set.out);
  }
}

}  // namespace overlay
