#include "overlay/build/build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "overlay/build/coconut.hpp"
#include "overlay/build/models.hpp"
#include "overlay/build/source.hpp"
#include "overlay/card/card.hpp"
#include "support/checksum.hpp"
#include "support/process.hpp"

#ifndef OVERLAY_SOURCE_ROOT
#define OVERLAY_SOURCE_ROOT "."
#endif
#ifndef OVERLAY_BUILD_ROOT
#define OVERLAY_BUILD_ROOT "."
#endif

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

fs::path build_root() {
  if (const char* set = std::getenv("OVERLAY_BUILD_ROOT")) return set;
  return OVERLAY_BUILD_ROOT;
}

void say(const std::string& line) {
  fmt::print(stderr, "overlay: {}\n", line);
  std::fflush(stderr);
}

struct Flags {
  std::string key, fflags, cflags;  ///< key is good as a folder name
};

Flags flags_of(const std::string& text) {
  if (text == "shipped") return {"shipped", "", ""};
  if (text == "tuned") return {"tuned", "-O2", "-O2"};
  if (text.empty() || text.find('-') == std::string::npos ||
      text.find_first_of("\n\"'`$;&|<>\\") != std::string::npos)
    throw support::Error(fmt::format(
        "flags '{}' make no sense; give shipped, tuned, or compiler flags such as \"-O3 -mavx2\"", text));
  return {"given-" + support::sha256_of_text(text).substr(0, 8), text, text};
}

/// Flags under which the same card no longer gives the same bytes.
bool changes_last_bits(const std::string& flags) {
  for (const char* bad : {"-march", "-mfma", "-ffast-math", "-Ofast", "-funsafe-math", "-fassociative"})
    if (flags.find(bad) != std::string::npos) return true;
  return false;
}

/// Whether the Cherenkov stage has the bits of a CORSIKA with these flags: those of operations that are
/// rounded one by one, in their order. On other processors compilers fuse some unless told not to.
bool stage_keeps_bits(const std::string& flags) {
#ifdef __x86_64__
  return !changes_last_bits(flags);
#else
  return flags.find("-ffp-contract=off") != std::string::npos && !changes_last_bits(flags);
#endif
}

std::string with(const std::string& flags, const std::string& more) {
  return flags.empty() || more.empty() ? flags + more : flags + " " + more;
}

void check_tools(bool standin) {
  std::vector<std::string> tools{"gfortran", "gcc", "cpp", "make",  "cmake",
                                 "ninja",    "ar",  "cp",  "chmod", "tar"};
  if (!standin) tools.push_back("perl");
  std::vector<std::string> missing;
  for (const auto& tool : tools)
    if (!support::find_program(tool)) missing.push_back(tool);
  if (!missing.empty())
    throw support::Error(
        fmt::format("missing tools: {}; scripts/install-dependencies installs them on Debian and Ubuntu",
                    support::join(missing, ", ")));
}

std::string first_line(std::vector<std::string> argv) {
  const auto result = support::run({.argv = std::move(argv)});
  return result.output.substr(0, result.output.find('\n'));
}

/// Holds a folder for one `overlay` at a time.
class Lock {
 public:
  explicit Lock(const fs::path& file) : fd_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (fd_ < 0)
      throw support::Error(
          fmt::format("cannot write in {}; give --out DIR elsewhere", file.parent_path().string()));
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    say(fmt::format("another overlay works in {}; waiting for it", file.parent_path().string()));
    while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      support::check_interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { close(fd_); }

 private:
  int fd_;
};

/// A full disk: what this call began is taken away again, and the message says so.
class OnFullDisk {
 public:
  OnFullDisk(fs::path base, fs::path out)
      : base_(std::move(base)), out_(std::move(out)), fresh_(!fs::exists(base_)) {}
  bool applies(const std::string& message) const {
    std::error_code error;
    const auto space = fs::space(fs::exists(out_) ? out_ : out_.parent_path(), error);
    return message.find("no space left") != std::string::npos ||
           message.find("No space left") != std::string::npos || (!error && space.available < (1u << 16));
  }
  [[noreturn]] void report() const {
    std::error_code ignored;
    if (fresh_) {
      fs::remove_all(base_, ignored);
      for (auto folder = base_.parent_path(); folder != out_.parent_path(); folder = folder.parent_path())
        fs::remove(folder, ignored);
    }
    throw support::Error(
        fmt::format("no space left in {}; free some (all builds of one profile take about 1 GB) or give "
                    "--out DIR elsewhere",
                    out_.string()));
  }

 private:
  fs::path base_, out_;
  bool fresh_;
};

struct Library {
  fs::path patcher, includes, link_line_file;
  std::string link_line;
  std::string patcher_fingerprint, library_fingerprint;
};

/// Our own library and patcher, as built; with nothing of CUDA where `gpu` is "off".
Library find_library(const std::string& gpu) {
  Library library;
  library.patcher = build_root() / "bin" / "corsika-patch";
  library.includes = fs::path(OVERLAY_SOURCE_ROOT) / "fortran-bindings" / "include";
  library.link_line_file =
      build_root() / "fortran-bindings" / (gpu == "off" ? "link-line-cpu.txt" : "link-line.txt");
  std::error_code error;
  for (const auto& needed : {library.patcher, library.link_line_file})
    if (!fs::is_regular_file(needed, error))
      throw support::Error(fmt::format(
          "{} is not there; build the project first (scripts/overlay does), or ask for stock builds only",
          needed.string()));
  library.link_line = support::read_file(library.link_line_file);
  std::replace(library.link_line.begin(), library.link_line.end(), '\n', ' ');
  library.link_line.erase(library.link_line.find_last_not_of(' ') + 1);

  // The patcher with its rules; the library with its includes.
  std::string patcher = support::sha256_of_file(library.patcher);
  const auto rules = fs::path(OVERLAY_SOURCE_ROOT) / "corsika-patches" / "rules";
  if (fs::is_directory(rules, error)) patcher += support::sha256_of_tree(rules);
  library.patcher_fingerprint = support::sha256_of_text(patcher);
  std::string parts = support::sha256_of_tree(library.includes);
  for (std::size_t at = 0; at < library.link_line.size();) {
    const auto end = std::min(library.link_line.find(' ', at), library.link_line.size());
    const fs::path word = library.link_line.substr(at, end - at);
    if (word.is_absolute() && fs::is_regular_file(word, error)) parts += support::sha256_of_file(word);
    at = end + 1;
  }
  library.library_fingerprint = support::sha256_of_text(parts);
  return library;
}

/// A shared library named by its path comes out of libtool before everything that needs it, and the linker
/// then drops it; as -l it stays in its place.
std::string libtool_safe(const std::string& link_line) {
  std::stringstream words(link_line);
  std::vector<std::string> result;
  for (std::string word; words >> word;) {
    const auto name = fs::path(word).filename().string();
    const auto so = name.find(".so");
    if (word.starts_with('/') && name.starts_with("lib") && so != std::string::npos) {
      result.push_back("-L" + fs::path(word).parent_path().string());
      word = "-l" + name.substr(3, so - 3);
    }
    result.push_back(word);
  }
  return support::join(result);
}

bool is_patched(const std::string& build) { return build.starts_with("patched"); }

/// The part of a build's name that its folder bears: stock-shipped is stock with other flags.
std::string folder_name(const std::string& build) { return build == "stock-shipped" ? "stock" : build; }

std::map<std::string, std::string> environment_of(const std::string& build, const Flags& flags,
                                                  const Library* library, const fs::path& tree) {
  std::map<std::string, std::string> e{{"F77", "gfortran"}, {"FC", "gfortran"}, {"CC", "gcc"}};
  std::string more;
  if (build.ends_with("-gprof")) more = "-pg";
  if (build.ends_with("-sampled")) more = "-g";
  e["FFLAGS"] = with(flags.fflags, more);
  e["CFLAGS"] = with(flags.cflags, more);
  e["LDFLAGS"] = build.ends_with("-gprof") ? "-pg" : "";
  e["CPPFLAGS"] = "";
  e["LIBS"] = "";
  if (is_patched(build) && library != nullptr) {
    // Our includes use the tree's own headers, and cpp looks for those beside ours first.
    const bool stage = stage_keeps_bits(flags.fflags + " " + flags.cflags);
    const bool generator = build != "patched-stage";
    e["CPPFLAGS"] = std::string(generator ? "-D__RANMARLIB__ " : "") + (stage ? "-D__CHERENKOVLIB__ " : "") +
                    "-I" + library->includes.string() + " -I" + (tree / "src").string();
    e["LIBS"] = libtool_safe(library->link_line);
  }
  return e;
}

std::string error_in(const std::string& output) {
  const std::string sign = "overlay: error: ";
  const auto at = output.find(sign);
  if (at == std::string::npos) return "";
  return output.substr(at + sign.size(), output.find('\n', at) - at - sign.size());
}

}  // namespace

const std::vector<std::string>& known_builds() {
  static const std::vector<std::string> names{"stock",         "patched",        "patched-stage",
                                              "stock-shipped", "stock-gprof",    "patched-gprof",
                                              "stock-sampled", "patched-sampled"};
  return names;
}

BuildSet build_profile(const BuildRequest& request, const std::vector<std::string>& which) {
  // Everything that can be wrong is looked at before anything is written.
  for (const auto& build : which)
    if (std::find(known_builds().begin(), known_builds().end(), build) == known_builds().end())
      throw support::Error(
          fmt::format("unknown build '{}'; there are {}", build, support::join(known_builds(), ", ")));
  if (request.gpu != "auto" && request.gpu != "on" && request.gpu != "off")
    throw support::Error(fmt::format("--gpu {} makes no sense; give auto, on or off", request.gpu));
  const Flags flags = flags_of(request.flags);
  BuildSet set;
  set.flags = request.flags;
  set.standin = request.corsika == "standin";
  set.out = fs::absolute(request.out).lexically_normal();
  if (!set.out.has_filename()) set.out = set.out.parent_path();
  if (set.out.string().find_first_of(" \t\n:") != std::string::npos)
    throw support::Error(
        fmt::format("make cannot work in '{}': give --out DIR without blanks and colons", set.out.string()));
  Parameters parameters = request.parameters;
  set.profile = load_profile(request.profile);
  if (set.standin && set.profile.standin) {
    if (set.profile.standin->showers) set.profile.showers = *set.profile.standin->showers;
    if (set.profile.standin->energy_range) set.profile.energy_range = *set.profile.standin->energy_range;
  }
  set.profile = with_parameters(set.profile, parameters);
  std::string own_card;
  if (request.card) {
    if (!fs::is_regular_file(*request.card))
      throw support::Error(fmt::format("no card {}", request.card->string()));
    own_card = support::read_file(*request.card);
    if (Card(own_card).lines().empty())
      throw support::Error(
          fmt::format("card {} has no keyword; give an input card of CORSIKA", request.card->string()));
  }
  if (set.standin) set.card = render_card(set.profile, true);
  check_tools(set.standin);
  std::optional<Library> library;
  if (std::any_of(which.begin(), which.end(), is_patched)) library = find_library(request.gpu);
  if (request.gpu == "on" && library && library->link_line.find("device_cuda") == std::string::npos)
    throw support::Error(
        "--gpu on: this overlay was built without CUDA; install the CUDA toolkit and build again, or take "
        "--gpu auto");
  if (request.atmosphere_dir && !fs::is_directory(*request.atmosphere_dir))
    throw support::Error(
        fmt::format("no folder {}, given with --atmosphere-dir", request.atmosphere_dir->string()));

  const auto source = obtain_source({request.corsika, set.out, request.sha256, request.known});
  set.corsika_version = source.version;
  set.sha256 = source.sha256;
  set.notes = source.notes;
  int atmosphere = 0;
  fs::path atmosphere_table;
  if (set.standin) {
    set.profile.options = set.profile.standin->options;
  } else {
    const auto models = Models::load();
    set.profile.options = settle_options(models, source.folder, set.profile.options, set.notes);
    const auto missing = missing_parts(models, source.folder, set.profile.options);
    if (!missing.empty())
      throw support::Error(fmt::format("missing in {}: {}; put it there, or take another profile",
                                       source.folder.string(), support::join(missing, ", ")));
    const auto menus = read_menus(source.folder);
    for (const auto& name : set.profile.options)
      if (menus.find(name) == nullptr)
        throw support::Error(fmt::format("release {} has no option {}; correct the options of profile {}",
                                         source.version, name, set.profile.name));
    const auto extra = request.atmosphere_dir.value_or(fs::path());
    if (own_card.empty() && set.profile.atmosphere != 0) {
      atmosphere = set.profile.atmosphere;
      atmosphere_table = find_atmosphere(atmosphere, source.folder, extra);
      if (atmosphere_table.empty() && set.profile.atmosphere_fallback != 0) {
        set.notes.push_back(
            fmt::format("atmosphere {} (of the package) stands in for {}: atmprof{}.dat is not at hand "
                        "(--atmosphere-dir DIR)",
                        set.profile.atmosphere_fallback, atmosphere, atmosphere));
        atmosphere = set.profile.atmosphere = set.profile.atmosphere_fallback;
        atmosphere_table = find_atmosphere(atmosphere, source.folder, extra);
      } else if (!atmosphere_table.empty()) {
        set.notes.push_back(fmt::format("atmosphere {}: {}", atmosphere, atmosphere_table.string()));
      }
    } else {
      atmosphere = Card(own_card).atmosphere();
      atmosphere_table = atmosphere == 0 ? fs::path() : find_atmosphere(atmosphere, source.folder, extra);
    }
    if (atmosphere != 0 && atmosphere_table.empty())
      throw support::Error(
          fmt::format("missing table atmprof{}.dat; give the folder that holds it with --atmosphere-dir, or "
                      "take one of the package's with --atmosphere 6",
                      atmosphere));
    set.card = render_card(set.profile, false);
  }
  if (!own_card.empty()) set.card = own_card;
  if (changes_last_bits(request.flags))
    set.notes.push_back(
        fmt::format("flags {}: last bits may differ from the usual builds'; stock and patched are still "
                    "compared with the same flags, and the Cherenkov stage is left out",
                    request.flags));
  else if (library && !stage_keeps_bits(flags.fflags + " " + flags.cflags))  // not on x86-64
    set.notes.push_back(
        fmt::format("flags {}: the Cherenkov stage is left out, since compilers for this processor may fuse "
                    "operations; with --flags \"-O2 -ffp-contract=off\" it is there",
                    request.flags));
  for (const auto& note : set.notes) say(note);
  set.compilers = first_line({"gfortran", "--version"}) + "; " + first_line({"gcc", "--version"});

  // One folder a profile and flags; a user's profile of the same name is another one.
  std::string profile_key = set.profile.name;
  if (set.profile.file.parent_path() != fs::absolute(profiles_folder()))
    profile_key += "-" + support::sha256_of_text(set.profile.file.string()).substr(0, 6);
  const int jobs =
      request.jobs > 0 ? request.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::map<std::string, std::vector<std::string>> groups;  // flags -> builds
  for (const auto& build : which) groups[build == "stock-shipped" ? "shipped" : flags.key].push_back(build);

  for (const auto& group : groups) {
    const auto& key = group.first;
    const auto& builds = group.second;
    const Flags these = key == "shipped" ? flags_of("shipped") : flags;
    const auto base = set.out / "builds" / source.id / profile_key / key;
    std::error_code error;
    OnFullDisk on_full_disk(base, set.out);
    fs::create_directories(base, error);
    if (error == std::errc::no_space_on_device) on_full_disk.report();
    if (error)
      throw support::Error(
          fmt::format("cannot write in {} ({}); give a folder that you may write to with --out DIR",
                      set.out.string(), error.message()));
    try {
      Lock lock(base / ".lock");
      std::vector<std::string> targets, names;
      for (const auto& build : builds) {
        const auto name = folder_name(build);
        if (std::find(targets.begin(), targets.end(), name) == targets.end()) targets.push_back(name);
      }
      // Names of all builds are always there, so that asking for one more changes nothing about the others.
      for (const auto& name : known_builds())
        if (folder_name(name) == name) names.push_back(name);
      for (const auto& name : names) {
        const auto folder = base / name;
        const bool asked = std::find(targets.begin(), targets.end(), name) != targets.end();
        fs::create_directories(folder, error);
        if (!asked && fs::exists(folder / "settings.json")) continue;
        const Library* ours = is_patched(name) && library ? &*library : nullptr;
        const json settings{{"build", name},
                            {"source", source.folder.string()},
                            {"standin", set.standin},
                            {"options", set.profile.options},
                            {"environment", environment_of(name, these, ours, folder / "tree")},
                            {"patcher", ours != nullptr ? ours->patcher.string() : ""},
                            {"jobs", jobs}};
        support::write_file(folder / "settings.json", settings.dump(2) + "\n");
        support::write_file(folder / "tree.txt",
                            source.sha256 + "\n" + (ours != nullptr ? ours->patcher_fingerprint + "\n" : ""));
        support::write_file(folder / "library.txt",
                            (ours != nullptr ? ours->library_fingerprint : std::string()) + "\n");
      }

      const auto superbuild = base / "superbuild";
      const auto log = base / "superbuild.log";
      fs::remove(log, error);
      const auto overlay = build_root() / "bin" / "overlay";
      const auto plan = fs::path(OVERLAY_SUPERBUILD_FOLDER);
      auto cmake =
          support::run({.argv = {"cmake", "--fresh", "-G", "Ninja", "-S", plan.string(), "-B",
                                 superbuild.string(), "-DPLAN_DIR=" + base.string(),
                                 "-DOVERLAY=" + overlay.string(), "-DBUILDS=" + support::join(names, ";")}});
      support::write_file(log, cmake.output);
      if (cmake.status != 0)
        throw support::Error(fmt::format("the superbuild could not be set up (log: {})", log.string()));
      std::vector<std::string> argv{
          "cmake", "--build", superbuild.string(), "--parallel", std::to_string(jobs), "--target"};
      argv.insert(argv.end(), targets.begin(), targets.end());
      auto missing_program = [&](const std::string& t) { return !fs::exists(base / t / "program.txt"); };
      if (std::any_of(targets.begin(), targets.end(), missing_program))
        say(fmt::format("building {} of {} ({}, {})", support::join(targets, ", "), source.version,
                        set.profile.name, key));
      const auto start = std::chrono::steady_clock::now();
      const auto built = support::run({.argv = argv});
      support::write_file(log, cmake.output + built.output);
      if (built.status != 0) {
        auto reason = error_in(built.output);
        if (reason.empty()) reason = fmt::format("a build failed (log: {})", log.string());
        throw support::Error(reason);
      }
      const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (seconds > 2) say(fmt::format("built in {:.0f} s", seconds));
    } catch (const support::Interrupted&) {
      throw;
    } catch (const support::Error& problem) {
      if (on_full_disk.applies(problem.what())) on_full_disk.report();
      throw;
    }

    for (const auto& build : builds) {
      const auto folder = base / folder_name(build);
      BuiltProgram program;
      program.build = build;
      program.executable = support::read_file(folder / "program.txt");
      program.executable = program.executable.string().substr(0, program.executable.string().find('\n'));
      if (!fs::is_regular_file(program.executable))
        throw support::Error(fmt::format("{} has gone; delete {} and build again",
                                         program.executable.string(), folder.string()));
      program.run_dir = folder / "tree" / "run";
      if (set.standin && !fs::is_directory(program.run_dir)) program.run_dir = folder / "tree";
      const auto environment = environment_of(folder_name(build), these, nullptr, {});
      program.fflags = environment.at("FFLAGS");
      program.cflags = environment.at("CFLAGS");
      set.programs[build] = program;
      if (build == "patched" || (is_patched(build) && set.patched_tree.empty())) {
        set.patched_tree = folder / "tree";
        set.manifest = folder / "manifest.json";
      }
    }
  }

  // Data files: from the first tree, and the atmosphere from where it was found (by now out of its archive).
  const auto tree = set.programs.empty() ? source.folder : set.programs.begin()->second.run_dir.parent_path();
  if (!set.standin) {
    const auto models = Models::load();
    for (const auto& entry : fs::directory_iterator(tree / "run"))
      for (const auto& wildcard : models.run_folder)
        if (matches(entry.path().filename().string(), wildcard) && is_data_file(entry.path()))
          set.data_files[entry.path().filename().string()] = fs::canonical(entry.path());
    for (const auto& folder : models.folders_beside)
      if (fs::is_directory(tree / folder)) set.folders_beside[folder] = fs::canonical(tree / folder);
    if (atmosphere != 0) {
      if (atmosphere_table.extension() != ".dat") atmosphere_table = find_atmosphere(atmosphere, tree, {});
      set.data_files[fmt::format("atmprof{}.dat", atmosphere)] = atmosphere_table;
    }
    const auto folder = tree.parent_path();
    if (fs::exists(folder / "selected.txt")) {
      std::stringstream selected(support::read_file(folder / "selected.txt"));
      std::vector<std::string> added;
      for (std::string name; std::getline(selected, name);)
        if (!name.empty() && std::find(set.profile.options.begin(), set.profile.options.end(), name) ==
                                 set.profile.options.end())
          added.push_back(name);
      if (!added.empty()) {
        set.notes.push_back("coconut added " + support::join(added, ", "));
        say(set.notes.back());
      }
    }
  } else if (fs::is_directory(tree / "data")) {
    for (const auto& entry : fs::directory_iterator(tree / "data"))
      set.data_files[entry.path().filename().string()] = fs::canonical(entry.path());
  }

  json record{
      {"profile", set.profile.name},
      {"profile_file", set.profile.file.string()},
      {"options", set.profile.options},
      {"corsika",
       {{"version", set.corsika_version}, {"sha256", set.sha256}, {"source", source.folder.string()}}},
      {"flags", set.flags},
      {"compilers", set.compilers},
      {"notes", set.notes},
      {"gpu", request.gpu}};
  for (const auto& [name, program] : set.programs)
    record["programs"].push_back({{"build", name},
                                  {"executable", program.executable.string()},
                                  {"fflags", program.fflags},
                                  {"cflags", program.cflags}});
  if (library)
    record["library"] = {{"link_line", library->link_line},
                         {"optimised", "always -O3"},
                         {"sha256", library->library_fingerprint}};
  support::write_file(set.out / "builds" / source.id / profile_key / flags.key / "build.json",
                      record.dump(2) + "\n");
  support::write_file(set.out / "builds" / source.id / profile_key / flags.key / "card", set.card);
  return set;
}

fs::path prepare_run_dir(const BuildSet& set, const std::string& build, const std::string& card,
                         const fs::path& dest) {
  if (!set.programs.contains(build))
    throw support::Error(fmt::format("there is no build '{}' to run", build));
  auto folder = fs::absolute(dest).lexically_normal();
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw support::Error(fmt::format(
        "run folder {} is not empty; runs get fresh folders, so delete it or take another", folder.string()));
  fs::create_directories(folder, error);
  for (const auto& [name, file] : set.data_files)
    if (!error) fs::create_symlink(file, folder / name, error);
  // Made anew for every run: EPOS writes tables that it misses.
  for (const auto& [name, source] : set.folders_beside) {
    const auto beside = folder.parent_path() / name;
    if (!error) fs::remove_all(beside, error);
    if (!error) fs::create_directory(beside, error);
    for (const auto& entry : fs::directory_iterator(source))
      if (!error && entry.is_regular_file())
        fs::create_symlink(entry.path(), beside / entry.path().filename(), error);
  }
  if (error)
    throw support::Error(fmt::format("cannot make the run folder {} ({})", folder.string(), error.message()));
  support::write_file(folder / "card", card);
  return folder;
}

}  // namespace overlay
