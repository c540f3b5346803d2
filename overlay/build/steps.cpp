// Writes what each build is made of, and lets CMake make what is missing or old (overlay/superbuild). Its
// steps: copy, configure, patch, make. Each writes in its build's folder alone, and keeps what a user
// put into the run folder of the copy.
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/build/workplace.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// What a build is made of: "source" (folder), "standin", "options", "environment", "patcher" (empty: stock),
/// and checksums, so that another text tells that all is to be done again.
constexpr const char* kSettings = "settings.json";
constexpr const char* kStepNow = "step.txt";  // the step that is being done
constexpr const char* kRunList = "run.list";  // what stood in tree/run after the last step
constexpr const char* kStock = "stock-tree";  // what is patched, while it is
constexpr const char* kPatchManifest = "manifest.json";
constexpr const char* kNote = "overlay: note: ";  // begins the lines of a step that the user is to see

bool is_program(const fs::path& file) {
  return fs::is_regular_file(file) && is_elf(file) &&
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
  support::remove_folder(folder / "tree");
  const support::TemporaryFolder unfinished(folder.parent_path(), ".unfinished");
  copy_sources(settings.at("source").get<std::string>(), unfinished.path() / "tree");
  fs::rename(unfinished.path() / "tree", folder / "tree");
  if (lacks_configure(folder / "tree")) make_configure(folder / "tree", folder / "autoreconf.log");
  delete_programs(folder / "tree");
  support::delete_file(folder / "program.txt");
}

void step_configure(const fs::path& folder, const json& settings) {
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

/// As coconut does it: `install` also puts libraries where the link looks for them. The path of the program
/// is in program.txt then.
void step_make(const fs::path& folder, const json& settings) {
  const auto tree = folder / "tree";
  const auto log = folder / "make.log";
  const bool standin = settings.at("standin");
  support::delete_file(log);
  auto environment = settings.at("environment").get<std::map<std::string, std::string>>();
  if (standin) environment["OPTIONS"] = support::join(settings.at("options").get<std::vector<std::string>>());
  delete_programs(tree);
  int status = 0;
  for (const char* target : {"clean", standin ? "all" : "install"})
    status =
        support::run({.argv = {"make", target}, .cwd = tree, .environment = environment, .log = log}).status;
  const auto found = programs_in(tree);
  if (status != 0 || found.size() != 1)
    throw support::Error(fmt::format("the program was not built: {} (log: {})",
                                     status != 0 ? telling_line(support::read_file(log))
                                                 : fmt::format("{} programs were made", found.size()),
                                     log.string()));
  support::write_file(folder / "program.txt", found[0].string() + "\n");
}

/// The steps, as a user is told of them.
const std::map<std::string, std::pair<std::string, void (*)(const fs::path&, const json&)>> kSteps{
    {"copy", {"copying the sources", step_copy}},
    {"configure", {"configuring", step_configure}},
    {"patch", {"patching", step_patch}},
    {"make", {"compiling", step_make}}};

/// What steps read, and what tells that a step is to be done again.
void write_inputs(const BuildSet& set, const std::vector<std::string>& builds, const OurLibrary* library,
                  bool stage) {
  // Names of all builds are always there, so that asking for one more changes nothing about the others.
  for (const auto& name : kBuilds) {
    const auto folder = set.builds / name;
    fs::create_directories(folder);
    if (!contains(builds, name) && fs::exists(folder / kSettings)) continue;
    const OurLibrary* ours = is_patched(name) ? library : nullptr;
    write_settings(folder, {{"source", set.source.string()},
                            {"sha256", set.sha256},
                            {"standin", set.standin},
                            {"options", set.profile.options},
                            {"environment", environment_of(name, set.flags, ours, stage, folder / "tree")},
                            {"patcher", ours != nullptr ? ours->patcher.string() : ""},
                            {"patcher_sha256", ours != nullptr ? ours->patcher_fingerprint : ""}});
    support::write_file(folder / kLinkOptions, "-rpath $ORIGIN --disable-new-dtags\n");
    support::write_file(folder / "library.txt", ours != nullptr ? ours->library_fingerprint : "none");
  }
}

fs::path built_program(const fs::path& folder) {
  fs::path program = first_line(support::read_file(folder / "program.txt"));
  if (!fs::is_regular_file(program))
    throw support::Error("{} has gone; delete {} and build again", program.string(), folder.string());
  return program;
}

/// Lets the stage of a patched program work, or not: one character of it says so (cherenkov_flag.cpp in
/// fortran-bindings).
void mark_proven(const fs::path& program, bool works, const fs::path& builds) {
  const std::string mark = "cherenkov stage proven: ";
  auto bytes = support::read_file(program);
  const auto at = bytes.find(mark) + mark.size();
  if (bytes.find(mark) == std::string::npos || bytes[at] == (works ? '1' : '0'))
    return;  // a wrapper has none
  bytes[at] = works ? '1' : '0';
  const support::TemporaryFolder unfinished(builds, ".unfinished");
  const auto marked = unfinished.path() / "program";
  support::write_file(marked, bytes);
  fs::permissions(marked, fs::status(program).permissions());
  fs::rename(marked, program);
}

/// Moves what no step made out of `folder`/tree/run: outputs of runs that were started there, a user's
/// programs. Returns the new folder beside tree/ that holds it, empty where there was nothing. Throws
/// filesystem_error where it cannot be moved.
fs::path keep_foreign_files(const fs::path& folder) {
  const auto run = folder / "tree" / "run";
  if (!fs::is_regular_file(folder / kRunList) || !fs::is_directory(fs::symlink_status(run))) return {};
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
  // No setting, since programs do not depend on it. An outer make may have set the others for itself.
  build.environment = {{"MAKEFLAGS", fmt::format("-j{}", jobs)}, {"MFLAGS", ""}, {"MAKELEVEL", ""}};
  // After 5, 10, 20 and 40 s, and then twice a minute.
  build.meanwhile = [&, next_s = 5.]() mutable {
    if (elapsed_s() < next_s) return;
    next_s += std::min(next_s, 30.);
    std::string text;
    for (const auto& target : targets) {
      std::string now;
      std::getline(std::ifstream(base / target / kStepNow), now);  // which may be deleted at any time
      if (const auto step = kSteps.find(now); step != kSteps.end())
        text += (text.empty() ? "" : "; ") + target + ": " + step->second.first;
    }
    if (!text.empty()) message(fmt::format("{:.0f} s: {}", elapsed_s(), text));
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
  std::string names;
  for (const auto& file : matching_files(folder / "tree" / "run", {"*"}))
    names += file.filename().string() + "\n";
  support::write_file(folder / kRunList, names);
}

void make_builds(BuildSet& set, const std::vector<std::string>& builds, const OurLibrary* library, int jobs) {
  const Workplace workplace(set.builds);
  const auto content = [&] { return matching_files(set.builds, {"[!.]*"}); };  // without its lock
  const bool fresh = content().empty(), stage = library != nullptr && rounds_one_by_one(set.flags);
  try {
    write_inputs(set, builds, library, stage);
    run_cmake(set, builds, jobs);
    for (const auto& build : builds) {
      const auto made = set.builds / build;
      const auto& program = set.programs[build] = built_program(made);
      if (!is_patched(build)) continue;
      const auto in_it = stage_of_build(made, stage, set.conditions);
      mark_proven(program, in_it.works, set.builds);
      if (build != "patched" && !set.patched_tree.empty()) continue;
      set.patched_tree = made / "tree";
      set.cherenkov_stage = in_it;
    }
  } catch (const support::Error& problem) {
    if (!support::disk_is_full(set.out, problem.what())) throw;
    if (fresh)
      for (const auto& made : content()) support::remove_folder(made);
    report_full_disk(set.out);
  }
}

}  // namespace overlay
