// Builds of one profile: checks the request, gets the sources, lets steps.cpp make what is missing, and
// says what there is; and folders to run a program in. Writes below --out alone, in new run folders, and in
// folders of tables beside them that it made itself.
#include "overlay/build/build.hpp"

#include <cstring>
#include <thread>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/nearest.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

void check_names(const BuildRequest& request, const std::vector<std::string>& which) {
  for (const auto& build : which)
    if (!contains(kBuilds, build))
      throw support::Error("unknown build '{}'; there are {}", build, support::join(kBuilds, ", "));
  check_one_of("--gpu", request.gpu, {"auto", "on", "off"});
  check_least("--jobs", request.jobs, 0);
  if (request.atmosphere_dir && !fs::is_directory(support::status_of(*request.atmosphere_dir)))
    throw support::Error("no folder {}, given with --atmosphere-dir", request.atmosphere_dir->string());
}

fs::path checked_out_folder(const fs::path& given) {
  auto out = absolute_folder(given);
  if (out.string().find_first_of(" \t\n:") != std::string::npos)
    throw support::Error("make cannot work in '{}': give --out DIR without blanks and colons", out.string());
  return out;
}

void check_tools(bool standin) {
  std::vector<std::string> tools{"gfortran", "gcc", "cpp", "make",  "cmake",
                                 "ninja",    "ar",  "cp",  "chmod", "tar"};
  if (!standin) tools.push_back("perl");
  std::vector<std::string> missing;
  for (const auto& tool : tools)
    if (!support::find_program(tool)) missing.push_back(tool);
  if (!missing.empty())
    throw support::Error("missing tools: {}; scripts/install-dependencies installs them on Debian and Ubuntu",
                         support::join(missing, ", "));
}

std::optional<OurLibrary> library_for(const BuildRequest& request, const std::vector<std::string>& which) {
  if (!std::any_of(which.begin(), which.end(), is_patched)) return std::nullopt;
  auto library = find_our_library(build_root(), source_root() / "fortran-bindings" / "include", request.gpu);
  if (request.gpu == "on" && !library.with_cuda)
    throw support::Error(
        "--gpu on: this overlay was built without CUDA; install the CUDA toolkit and build again, or take "
        "--gpu auto");
  return library;
}

/// One folder a profile; a user's profile of the same name is another one. Without a profile one a set of
/// options.
std::string folder_of(const Profile& profile) {
  if (profile.file.empty())
    return "options-" + support::sha256_of_text(support::join(profile.options)).substr(0, 6);
  if (profile.file.parent_path() == fs::absolute(profiles_folder())) return profile.name;
  return profile.name + "-" + support::sha256_of_text(profile.file.string()).substr(0, 6);
}

/// Gives runs what the card names to be read: files and folders beside the card, else beside the tree's
/// tables, under the names that it gives them. Throws Error where there is no such file or folder, and
/// CORSIKA would end.
void add_named_files(BuildSet& set) {
  const auto& card = set.profile.card_file;
  for (const auto& [how, keyword, name] : named_files(Card(set.card))) {
    const auto relative = fs::path(name).lexically_normal();
    const bool tables = how == Names::tables;
    // A run folder is called run, and has all tables of the tree.
    if (how == Names::output || how == Names::prefix || keyword == "ATMOSPHERE" ||
        (tables && (relative == "." || relative == "./" || relative == "../run/" || relative == "../run")))
      continue;
    fs::path found;
    std::error_code error;
    for (const auto& folder : {card.parent_path(), set.source / "run"})
      if (found.empty() && fs::exists(folder / name, error) &&
          fs::is_directory(folder / name, error) == tables)
        found = folder / name;
    const bool stays = stays_in_folder(name), whole = relative.is_absolute();
    if (!found.empty() && stays) set.data_files[relative.string()] = fs::canonical(found);
    if (tables && (found.empty() || !(stays || whole)))
      throw support::Error(
          "no folder {}, which the card's {} names; give a whole path, or ./ for the tree's tables", name,
          keyword);
    if (how == Names::input && found.empty() && (stays || whole))
      throw support::Error("no file {}, which the card's {} names; put it beside {}", name, keyword,
                           card.string());
  }
}

std::string options_source(const BuildRequest& request, const Profile& profile) {
  return request.config             ? "--config"
         : !request.options.empty() ? "--options"
                                    : "the options of " + profile.name;
}

/// Settles the options of set.profile by what the tree holds. Throws Error where a table, a package or an
/// option is missing.
void settle_options(BuildSet& set, const BuildRequest& request) {
  const auto models = read_models();
  set.profile.options = resolve_alternatives(models, set.source, set.profile.options, set.substitutes);
  const auto missing = missing_parts(models, set.source, set.profile.options);
  if (!missing.empty())
    throw support::Error("missing in {}: {}; put it there, or take another {}", set.source.string(),
                         support::join(missing, ", "),
                         names_options(request) ? "interaction model" : "profile");
  if (const auto unknown = unknown_options(set.source, set.profile.options); !unknown.empty()) {
    const auto nearest = support::nearest(unknown.front(), options_left_out(set.source, {}));
    throw support::Error(
        "release {} has no option {}; {}correct {}", set.corsika_version, support::join(unknown, ", "),
        nearest.empty() ? "" : "did you mean " + nearest + "? If so, ", options_source(request, set.profile));
  }
}

/// Takes the package's atmosphere where the table of the profile's own is not found. `first`: as
/// find_atmosphere() takes it.
void settle_atmosphere(BuildSet& set, const std::vector<fs::path>& first) {
  auto& profile = set.profile;
  if (profile.atmosphere == 0 || !has_placeholder(profile.card_template, "ATMOSPHERE")) return;
  const auto name = fmt::format("atmprof{}.dat", profile.atmosphere);
  if (const auto table = find_atmosphere(name, set.source, first); !table.empty()) {
    set.notes.push_back(fmt::format("atmosphere {}: {}", profile.atmosphere, table.string()));
  } else if (profile.atmosphere_fallback != 0) {
    set.substitutes.push_back(fmt::format(
        "atmosphere {} (of the package) stands in for {}: {} is not at hand (--atmosphere-dir DIR)",
        profile.atmosphere_fallback, profile.atmosphere, name));
    profile.atmosphere = profile.atmosphere_fallback;
  }
}

/// Gives runs the table of the card's atmosphere, which may be in an archive still. Throws Error where it is
/// not found.
void add_atmosphere(BuildSet& set, const std::vector<fs::path>& first) {
  const auto name = atmosphere_file(Card(set.card));
  if (name.empty()) return;
  const auto table = find_atmosphere(name, set.source, first);
  if (table.empty()) {
    std::string others;
    for (const auto& file : matching_files(set.source / "run", {"atmprof*.dat"}))
      others += file.stem().string().substr(std::strlen("atmprof")) + ", ";
    throw support::Error(
        "missing table {}; put it beside {}, give the folder that holds it with --atmosphere-dir, or take "
        "another with --atmosphere: {}or one of the package's, as 6",
        name, set.profile.card_file.string(), others);
  }
  if (!fs::path(name).is_absolute()) set.data_files[name] = table;
}

/// Throws Error where CORSIKA would refuse the card, or another one that the program is to read.
void check_cards(BuildSet& set, const BuildRequest& request) {
  const corsika_patches::FixedFormSource source(
      corsika_patches::TextFile(support::read_file(set.source / "src" / "corsika.F")));
  const auto left_out = options_left_out(set.source, set.profile.options);
  if (request.drop_unknown_lines)
    set.card = card_of_known_lines(set.card, source, set.profile.options, left_out);
  auto cards = request.more_cards;
  cards.insert(cards.begin(), set.card);
  for (const auto& card : cards)
    if (const auto why = card_refusal(card, source, set.profile.options, left_out); !why.empty())
      throw support::Error("{}: {}", set.profile.card_file.string(), why);
}

/// Fills in data_files and folders_beside from a built tree.
void gather_data_files(BuildSet& set, const fs::path& tree) {
  if (set.standin) {
    for (const auto& file : matching_files(tree / "data", {"*"}))
      set.data_files[file.filename().string()] = fs::canonical(file);
    return;
  }
  const auto models = read_models();
  for (const auto& file : matching_files(tree / "run", models["run_folder"]["files"].texts()))
    if (is_data_file(file)) set.data_files.emplace(file.filename().string(), fs::canonical(file));
  for (const auto& folder : models["run_folder"]["beside"].texts())
    if (fs::is_directory(tree / folder)) set.folders_beside[folder] = fs::canonical(tree / folder);
  // By now a table of the atmosphere that was in an archive is out of it.
  for (auto& [name, file] : set.data_files)
    if (file.filename() != fs::path(name).filename() && file.extension() == ".gz")
      file = find_atmosphere(name, tree, {});
}

constexpr const char* kOurs = ".made-by-overlay";  // in folders of tables beside run folders

/// A folder of links beside the run folder, since EPOS writes tables that it misses. One of ours that is
/// there stays with all that is in it: runs beside this one may be using it.
void make_beside(const fs::path& beside, const fs::path& source) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(beside, error)) &&
      !(fs::is_directory(beside, error) && fs::is_empty(beside, error)) &&
      !fs::is_regular_file(beside / kOurs, error))
    throw support::Error(
        "{} is there and not ours, and cards name tables in a folder of that name; give a run folder "
        "elsewhere",
        beside.string());
  fs::create_directory(beside);
  support::write_file(beside / kOurs, "Tables for the runs in the folders beside this one.\n");
  for (const auto& entry : fs::directory_iterator(source)) {
    if (!entry.is_regular_file()) continue;
    const auto link = beside / entry.path().filename();
    fs::create_symlink(entry.path(), link, error);
    if (error && error != std::errc::file_exists) throw fs::filesystem_error("", link, error);
  }
}

}  // namespace

BuildSet build_profile(const BuildRequest& request, const std::vector<std::string>& which) {
  // Everything that can be wrong is looked at before anything is written.
  check_names(request, which);
  check_flags(request.flags);
  const bool standin = request.corsika == "standin", given = are_given(request.flags);
  const auto out = checked_out_folder(request.out);
  const auto profile = asked_profile(request);
  render_card(profile);  // every placeholder is known
  check_tools(standin);
  const auto library = library_for(request, which);
  if (library && given) refuse_flags_that_change_bits(request.flags);

  auto set = obtain_source(request);
  set.flags = request.flags;
  set.out = out;
  set.profile = profile;
  const std::vector<fs::path> tables{set.profile.card_file.parent_path(),
                                     request.atmosphere_dir.value_or("")};
  if (!standin) {
    check_autotools(set.source);
    settle_options(set, request);
    settle_atmosphere(set, tables);
    if (!request.substitutes && !set.substitutes.empty())
      throw support::Error("{}; put it there, take another profile, or give --allow-substitutes",
                           support::join(set.substitutes, "; "));
  }
  const auto card = render_card(set.profile);
  set.card = outputs_elsewhere(card, set.profile.options).empty() ? card : card_with_outputs_here(card);
  if (set.card != card)
    set.notes.push_back(
        "the card writes outside of the run folder (DIRECT, TELFIL); its copies made here write into it");
  std::string wrong;  // all that is, in one message
  const auto look = [&](const auto& check) {
    try {
      check();
    } catch (const support::Error& problem) {
      wrong += (wrong.empty() ? "" : "; also: ") + std::string(problem.what());
    }
  };
  if (!standin) {
    look([&] { check_cards(set, request); });
    look([&] { add_atmosphere(set, tables); });
  }
  look([&] { add_named_files(set); });
  if (!wrong.empty()) throw support::Error(wrong);
  if (const auto note = unquoted_command(Card(set.card)); !note.empty()) set.notes.push_back(note);
  const auto say_note = [&](const std::string& note) {
    if (!request.quiet) message(note);
  };
  for (const auto* lines : {&set.substitutes, &set.notes})
    for (const auto& note : *lines) say_note(note);
  const auto version_of = [](const char* compiler) {
    return first_line(support::run({.argv = {compiler, "--version"}}).output);
  };
  set.compilers = version_of("gfortran") + "; " + version_of("gcc");
  set.builds = set.out / "builds" / set.source_id / folder_of(set.profile) /
               (given ? "given-" + support::sha256_of_text(set.flags).substr(0, 8) : set.flags);
  set.conditions.stage = library ? OVERLAY_VERSION "+" + library->library_fingerprint : "";
  set.conditions.options = {set.profile.options.begin(), set.profile.options.end()};
  set.conditions.compiler = set.compilers;
  set.conditions.flags = flags_of("stock", set.flags);
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (!which.empty())
    make_builds(set, which, library ? &*library : nullptr, request.jobs > 0 ? request.jobs : processors);

  const auto tree =
      set.programs.empty() ? set.source : set.programs.begin()->second.parent_path().parent_path();
  gather_data_files(set, tree);
  std::vector<std::string> added;  // by coconut itself
  if (!set.standin && !set.programs.empty()) added = selected_options(tree);
  std::erase_if(added, [&](const auto& name) { return contains(set.profile.options, name); });
  if (!added.empty()) {
    const bool charm = contains(added, "CHARM") && contains(set.profile.options, "SIBYLL");
    set.notes.push_back(fmt::format("{} is not in {}; coconut adds it{}", support::join(added, ", "),
                                    options_source(request, set.profile), charm ? " for SIBYLL" : ""));
    say_note(set.notes.back());
    set.profile.options.insert(set.profile.options.end(), added.begin(), added.end());
  }
  return set;
}

fs::path prepare_run_dir(const BuildSet& set, const std::string& card, const fs::path& dest) {
  auto folder = absolute_folder(dest);
  try {
    if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder)))
      throw support::Error("run folder {} is not empty; runs get fresh folders, so delete it or take another",
                           folder.string());
    fs::create_directories(folder);
    for (const auto& [name, source] : set.folders_beside) make_beside(folder.parent_path() / name, source);
    for (const auto& [name, file] : set.data_files) {
      fs::create_directories((folder / name).parent_path());
      fs::create_symlink(file, folder / name);
    }
    for (const auto& name : output_folders(Card(card))) fs::create_directories(folder / name);
  } catch (const fs::filesystem_error& problem) {
    throw support::Error("cannot make the run folder {}: {} ({})", folder.string(), problem.path1().string(),
                         problem.code().message());
  }
  support::write_file(folder / "card", card);
  return folder;
}

}  // namespace overlay
