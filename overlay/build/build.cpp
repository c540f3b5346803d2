// Builds of one profile: checks the request, gets the sources, lets superbuild.cpp make what is missing, and
// says what there is. Writes below --out alone.
#include "overlay/build/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "checkout.hpp"
#include "compiler_flags.hpp"
#include "corsika_options.hpp"
#include "message.hpp"
#include "our_library.hpp"
#include "overlay/build/flag_probe.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/tree_copy.hpp"
#include "overlay/card/card.hpp"
#include "overlay/card/card_files.hpp"
#include "superbuild.hpp"
#include "support/checksum.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

void check_names(const BuildRequest& request, const std::vector<std::string>& which) {
  for (const auto& build : which)
    if (std::find(known_builds().begin(), known_builds().end(), build) == known_builds().end())
      throw support::Error(
          fmt::format("unknown build '{}'; there are {}", build, support::join(known_builds(), ", ")));
  if (request.gpu != "auto" && request.gpu != "on" && request.gpu != "off")
    throw support::Error(fmt::format("--gpu cannot be '{}'; give auto, on or off", request.gpu));
  std::error_code error;
  if (request.atmosphere_dir && !fs::is_directory(*request.atmosphere_dir, error))
    throw support::Error(
        fmt::format("no folder {}, given with --atmosphere-dir", request.atmosphere_dir->string()));
}

fs::path checked_out_folder(const fs::path& given) {
  auto out = fs::absolute(given).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  if (out.string().find_first_of(" \t\n:") != std::string::npos)
    throw support::Error(
        fmt::format("make cannot work in '{}': give --out DIR without blanks and colons", out.string()));
  return out;
}

/// The user's own card, with the number of showers that was asked for; empty where none was given.
std::string own_card_of(const BuildRequest& request) {
  if (!request.card) return "";
  std::error_code error;
  if (!fs::is_regular_file(*request.card, error))
    throw support::Error(fmt::format("no card {}", request.card->string()));
  auto card = support::read_file(*request.card);
  if (Card(card).lines().empty())
    throw support::Error(
        fmt::format("card {} has no keyword; give an input card of CORSIKA", request.card->string()));
  return request.parameters.showers ? card_with_showers(card, *request.parameters.showers) : card;
}

/// A note that names the options that a card of the user's leaves without effect; empty where there is none.
std::string ignored_options(const Parameters& parameters) {
  std::vector<std::string> names;
  if (parameters.energy_range || parameters.production_energies) names.emplace_back("--erange");
  if (parameters.zenith) names.emplace_back("--zenith");
  if (parameters.atmosphere) names.emplace_back("--atmosphere");
  if (parameters.seed) names.emplace_back("--seed");
  if (names.empty()) return "";
  return fmt::format("{} changed nothing: with --card, the card's own values count; change them there",
                     support::join(names, ", "));
}

Profile requested_profile(const BuildRequest& request, bool standin) {
  auto profile = load_profile(request.profile);
  if (standin && profile.standin) {
    if (profile.standin->showers) profile.showers = *profile.standin->showers;
    if (profile.standin->energy_range) profile.energy_range = *profile.standin->energy_range;
  }
  return with_parameters(profile, request.parameters);
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

std::optional<OurLibrary> library_for(const BuildRequest& request, const std::vector<std::string>& which,
                                      const fs::path& out) {
  if (!std::any_of(which.begin(), which.end(), is_patched)) return std::nullopt;
  auto library =
      find_our_library(build_root(), source_root() / "fortran-bindings" / "include", request.gpu, out);
  if (request.gpu == "on" && !library.with_cuda)
    throw support::Error(
        "--gpu on: this overlay was built without CUDA; install the CUDA toolkit and build again, or take "
        "--gpu auto");
  return library;
}

std::string first_line(std::vector<std::string> argv) {
  const auto result = support::run({.argv = std::move(argv)});
  return result.output.substr(0, result.output.find('\n'));
}

/// One folder a profile; a user's profile of the same name is another one.
std::string folder_of(const Profile& profile) {
  if (profile.file.parent_path() == fs::absolute(profiles_folder())) return profile.name;
  return profile.name + "-" + support::sha256_of_text(profile.file.string()).substr(0, 6);
}

/// Files beside the user's card that it names to be read: a run finds them under these names.
void add_files_beside_card(BuildSet& set, const fs::path& card) {
  const auto folder = fs::absolute(card).parent_path();
  for (const auto& name : input_files(Card(set.card))) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error) && !set.data_files.contains(name))
      set.data_files[name] = fs::canonical(folder / name);
  }
}

BuiltProgram built_program(const BuildPlan& plan, const std::string& build) {
  const auto folder = plan.base / folder_name(build);
  BuiltProgram program;
  program.build = build;
  const auto text = support::read_file(folder / "program.txt");
  program.executable = text.substr(0, text.find('\n'));
  if (!fs::is_regular_file(program.executable))
    throw support::Error(
        fmt::format("{} has gone; delete {} and build again", program.executable.string(), folder.string()));
  program.run_dir = folder / "tree" / "run";
  if (plan.source->standin && !fs::is_directory(program.run_dir)) program.run_dir = folder / "tree";
  const auto environment = environment_of(folder_name(build), plan.flags, nullptr, false, {});
  program.fflags = environment.at("FFLAGS");
  program.cflags = environment.at("CFLAGS");
  return program;
}

/// What is remembered of proofs of a stage that is not known.
void add_proof(CherenkovStage& stage, const ProofConditions& conditions, const fs::path& base) {
  if (!stage.is_covered() || stage.works) return;
  const auto proof = proof_for(conditions, base);
  if (!proof) return;
  stage.works = proof->failure.empty();
  stage.why = stage.works ? fmt::format("proven ({} steps, {})", proof->steps, proof->made)
                          : "not proven: " + proof->failure;
}

/// Makes the builds of all flags, and notes what there is in `set`.
void make_programs(BuildSet& set, BuildPlan plan, const CompilerFlags& flags, const fs::path& profile_folder,
                   const std::vector<std::string>& which) {
  std::map<std::string, std::vector<std::string>> by_flags;
  for (const auto& build : which) by_flags[build == "stock-shipped" ? "shipped" : flags.key].push_back(build);
  for (const auto& [key, builds] : by_flags) {
    plan.flags = key == "shipped" ? parse_flags("shipped") : flags;
    plan.base = profile_folder / key;
    plan.title = fmt::format("{} ({}, {})", set.corsika_version, set.profile.name, key);
    plan.builds = builds;
    plan.conditions = set.conditions;
    make_builds(plan);
    for (const auto& build : builds) {
      set.programs[build] = built_program(plan, build);
      if (build == "patched" || (is_patched(build) && set.patched_tree.empty())) {
        set.patched_tree = plan.base / folder_name(build) / "tree";
        set.manifest = plan.base / folder_name(build) / "manifest.json";
        set.cherenkov_stage = stage_of_build(plan.base / folder_name(build));
        set.conditions.sources = set.cherenkov_stage.sources;
        add_proof(set.cherenkov_stage, set.conditions, plan.base);
      }
    }
  }
}

/// Leaves build.json and the card beside the builds.
void write_record(const BuildSet& set, const BuildRequest& request, const BuildPlan& plan,
                  const fs::path& folder) {
  json record{
      {"profile", set.profile.name},
      {"profile_file", set.profile.file.string()},
      {"options", set.profile.options},
      {"corsika",
       {{"version", set.corsika_version}, {"sha256", set.sha256}, {"source", plan.source->folder.string()}}},
      {"flags", set.flags},
      {"compilers", set.compilers},
      {"notes", set.notes},
      {"gpu", request.gpu}};
  for (const auto& [name, program] : set.programs)
    record["programs"].push_back({{"build", name},
                                  {"executable", program.executable.string()},
                                  {"fflags", program.fflags},
                                  {"cflags", program.cflags}});
  if (plan.library != nullptr) {
    record["cherenkov_stage"] = set.cherenkov_stage.text();
    record["library"] = {{"link_line", plan.library->link_line},
                         {"optimised", "always -O3"},
                         {"sha256", plan.library->library_fingerprint}};
  }
  // Paths of the user may hold any bytes.
  support::write_file(folder / "build.json",
                      record.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  support::write_file(folder / "card", set.card);
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
  check_names(request, which);
  const auto flags = parse_flags(request.flags);
  BuildSet set;
  set.flags = request.flags;
  set.standin = request.corsika == "standin";
  set.out = checked_out_folder(request.out);
  set.profile = requested_profile(request, set.standin);
  const auto own_card = own_card_of(request);
  if (set.standin) set.card = render_card(set.profile, true);
  check_tools(set.standin);
  const auto library = library_for(request, which, set.out);
  if (library && flags.given) refuse_flags_that_change_bits(flags.fflags, flags.cflags);

  const auto source = obtain_source({request.corsika, set.out, request.sha256, request.known});
  if (!source.standin) check_autotools(source.folder);
  set.corsika_version = source.version;
  set.sha256 = source.sha256;
  set.notes = source.notes;
  Atmosphere atmosphere;
  if (set.standin) {
    set.profile.options = set.profile.standin->options;
  } else {
    settle_profile(set, source);
    atmosphere = settle_atmosphere(set, source, own_card, request.atmosphere_dir.value_or(fs::path()));
    set.card = render_card(set.profile, false);
  }
  if (!own_card.empty()) {
    set.card = own_card;
    set.profile.outputs.clear();  // they are those of the profile's card
    if (const auto note = ignored_options(request.parameters); !note.empty()) set.notes.push_back(note);
  }
  const auto say_note = [&](const std::string& note) {
    if (!request.quiet) message(note);
  };
  for (const auto& note : set.notes) say_note(note);
  set.compilers = first_line({"gfortran", "--version"}) + "; " + first_line({"gcc", "--version"});

  BuildPlan plan;
  plan.out = set.out;
  plan.source = &source;
  plan.library = library ? &*library : nullptr;
  plan.stage = library && rounds_one_by_one(flags);
  plan.options = set.profile.options;
  plan.jobs =
      request.jobs > 0 ? request.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto profile_folder = set.out / "builds" / source.id / folder_of(set.profile);
  set.builds = profile_folder / flags.key;
  set.conditions = {library ? OVERLAY_VERSION "+" + library->library_fingerprint : "",
                    "",
                    set.profile.options,
                    set.compilers,
                    flags.fflags,
                    flags.cflags};
  make_programs(set, plan, flags, profile_folder, which);

  const auto tree = set.programs.empty() ? source.folder : set.programs.begin()->second.run_dir.parent_path();
  gather_data_files(set, tree, atmosphere);
  if (request.card) add_files_beside_card(set, *request.card);
  const auto notes = set.notes.size();
  if (!set.standin) note_added_options(set, tree.parent_path());
  for (auto at = notes; at < set.notes.size(); ++at) say_note(set.notes[at]);
  write_record(set, request, plan, profile_folder / flags.key);
  return set;
}

}  // namespace overlay
