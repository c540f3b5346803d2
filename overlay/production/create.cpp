// Makes a production: its card, one text with places; both programs; seeds. The folder is written under a
// name of its own and renamed.
#include <algorithm>
#include <set>

#include "overlay/build/own_profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/named_files.hpp"
#include "overlay/production/production.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/prove/prove.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// Adds a setting with those of the values that the template names.
void add_setting(ProductionCard& card, ProductionSetting setting) {
  std::erase_if(setting.values, [&](const auto& value) {
    return value.first == "SEEDS" || value.first == "NSHOW" || value.first == "RUNNR" ||
           !has_placeholder(card.text, value.first);
  });
  card.settings.push_back(std::move(setting));
}

/// Calls `make` for every combination; an empty axis has the value given here.
void for_each_setting(ProductionGrid grid, double zenith, int atmosphere, const std::string& primary,
                      const auto& make) {
  if (grid.zeniths.empty()) grid.zeniths = {zenith};
  if (grid.atmospheres.empty()) grid.atmospheres = {atmosphere};
  if (grid.primaries.empty()) grid.primaries = {primary};
  for (const auto& code : grid.primaries)
    for (const int table : grid.atmospheres)
      for (const double angle : grid.zeniths) make(angle, table, code);
}

void check_options(const NewProduction& request) {
  check_one_of("--seeds", request.seeds, {"planned", "offsets"});
  check_one_of("--processors", request.processors, {"same", "pinned", "any"});
  if (request.seeds == "offsets" && request.stride == 0)
    throw support::Error(
        "--seeds offsets needs --stride N, the most numbers that a sequence of a run may draw");
  if (request.seeds == "planned" && request.stride != 0)
    throw support::Error("--stride is for --seeds offsets; leave one of them out");
  if (request.runs < 1) throw support::Error("--runs cannot be below 1; give the runs of each setting");
  std::error_code error;
  if (fs::exists(fs::symlink_status(request.folder, error)))
    throw support::Error("{} is there; give a new folder for the production", request.folder.string());
}

/// The cards of all settings, but for run numbers, showers and seeds.
std::vector<std::string> cards_of(const ProductionCard& card) {
  std::vector<std::string> cards;
  for (auto setting : card.settings) {
    setting.values.insert({{"RUNNR", "1"}, {"NSHOW", "1"}, {"SEEDS", "SEED 1 0 0"}});
    cards.push_back(filled_in(card.text, setting.values));
  }
  return cards;
}

/// A repeated value would give two settings that are one.
template <class Value>
void refuse_repeats(const char* option, const std::vector<Value>& axis) {
  if (std::set<Value>(axis.begin(), axis.end()).size() != axis.size())
    throw support::Error("{} has a value twice; give each once", option);
}

/// Both builds with the tables of every atmosphere.
BuildSet build_all(const NewProduction& request) {
  BuildSet all;
  const std::vector<int> none{0};
  for (const int atmosphere : request.atmospheres.empty() ? none : request.atmospheres) {
    auto build = request.build;
    if (atmosphere != 0) build.atmosphere = atmosphere;
    auto set = build_proven(build, {"stock", "patched"});
    if (all.programs.empty())
      all = std::move(set);
    else
      all.data_files.merge(set.data_files);
  }
  return all;
}

/// bin/: both programs with their tables, and overlay itself.
void write_programs(const BuildSet& set, const fs::path& overlay, const fs::path& bin) {
  lay_out_program(set, "patched", bin / "corsika");
  lay_out_program(set, "stock", bin / "stock");
  // The same tables: one copy on the disk.
  for (const auto& entry : fs::recursive_directory_iterator(bin / "stock")) {
    const auto twin = bin / "corsika" / entry.path().lexically_relative(bin / "stock");
    std::error_code error;
    if (!entry.is_regular_file() || !fs::is_regular_file(twin, error) ||
        support::sha256_of_file(twin) != support::sha256_of_file(entry.path()))
      continue;
    fs::remove(entry.path(), error);
    fs::create_hard_link(twin, entry.path(), error);
    if (error) fs::copy_file(twin, entry.path());
  }
  copy_program(overlay, bin / "overlay", bin / "lib");
}

ProductionPlan plan_of(const NewProduction& request, const BuildSet& set, const ProductionCard& card) {
  ProductionPlan plan;
  plan.name = fs::absolute(request.folder).lexically_normal().filename().string();
  plan.overlay_version = OVERLAY_VERSION;
  plan.corsika_version = set.corsika_version;
  plan.corsika_sha256 = set.sha256;
  plan.standin = set.standin;
  plan.profile = set.profile.name;
  plan.options = set.profile.options;
  plan.substitutes = set.substitutes;
  plan.flags = set.flags;
  plan.compilers = set.compilers;
  // A profile's names hold its own run number: those of a production's runs follow from their cards.
  for (const auto& name : set.profile.outputs)
    if (name.find("000001") == std::string::npos) plan.outputs.push_back(name);
  plan.program = "bin/corsika/run/" + set.programs.at("patched").filename().string();
  plan.stock = "bin/stock/run/" + set.programs.at("stock").filename().string();
  plan.first_run = request.first_run;
  plan.runs_per_setting = request.runs;
  plan.showers = Card(set.card).showers();
  plan.keep_light = request.keep_light;
  plan.settings = card.settings;
  plan.seeds = request.seeds == "offsets" ? SeedMode::offsets : SeedMode::planned;
  plan.sequences = card.sequences;
  plan.stride = request.stride;
  plan.class_policy = request.processors;
  if (request.processors == "pinned") plan.tunables = kPinnedTunables;
  return plan;
}

}  // namespace

ProductionCard production_card(Profile profile, BuildRequest build, const ProductionGrid& grid) {
  ProductionCard card;
  if (!grid.zeniths.empty()) build.zenith = grid.zeniths[0];
  if (!grid.atmospheres.empty()) build.atmosphere = grid.atmospheres[0];
  const Card read(render_card(profile));
  const auto word = [&](const char* keyword, const char* otherwise) {
    const std::string* rest = read.last(keyword);
    const std::string found = rest == nullptr ? "" : card_word(*rest, 1);
    return found.empty() ? otherwise : found;
  };
  profile = with_parameters(std::move(profile), build);
  put_seeds_placeholder(profile);
  card.sequences = profile.seeds;
  card.text = card_with_line(profile.card_template, "RUNNR", "RUNNR @RUNNR@");
  put_placeholder(card.text, "NSHOW", "NSHOW", "NSHOW @NSHOW@");
  if (!grid.primaries.empty()) put_placeholder(card.text, "PRIMARY", "PRMPAR", "PRMPAR @PRIMARY@");
  for (const char* keyword : {"USER", "HOST"}) card.text = card_with_lines(card.text, keyword, {});
  const double zenith = std::strtod(word("THETAP", "0").c_str(), nullptr);
  for_each_setting(grid, zenith, read.atmosphere(), word("PRMPAR", "14"),
                   [&](double angle, int atmosphere, const std::string& primary) {
                     auto of_setting = build;
                     if (!grid.zeniths.empty()) of_setting.zenith = angle;
                     if (!grid.atmospheres.empty()) of_setting.atmosphere = atmosphere;
                     auto values = card_values(with_parameters(profile, of_setting));
                     values["PRIMARY"] = primary;
                     add_setting(card, {angle, atmosphere, primary, values});
                   });
  return card;
}

std::string card_problem(const std::string& card, const std::vector<std::string>& options) {
  const Card read(card);
  for (const auto& line : read.lines())
    for (const char* start : {" /", "|/", "\"/", "'/", " ~/"})
      if ((" " + line.rest).find(start) != std::string::npos)
        return fmt::format(
            "the card's line {} names a whole path, which the telescope files would hold; put the file "
            "beside the card and give its name, or a program's name that is in PATH",
            line.keyword);
  return outputs_elsewhere(card, options);
}

ProductionPlan create_production(const NewProduction& request) {
  check_options(request);
  refuse_repeats("--zenith", request.zeniths);
  refuse_repeats("--atmosphere", request.atmospheres);
  refuse_repeats("--primary", request.primaries);
  const auto folder = absolute_folder(request.folder);

  refuse_output_in_tree(request.build.corsika, request.folder, "the folder");
  const auto ledger = request.ledger.empty() ? default_ledger() : request.ledger;
  refuse_output_in_tree(request.build.corsika, ledger, "--ledger");

  auto with_first = request;
  if (!request.zeniths.empty()) with_first.build.zenith = request.zeniths[0];
  with_first.folder = folder;
  with_first.build.more_cards =
      cards_of(production_card(asked_profile(with_first.build), with_first.build, request));
  const auto set = build_all(with_first);
  const auto card = production_card(set.profile, with_first.build, request);
  auto plan = plan_of(with_first, set, card);
  check_plan(plan);
  const auto problem =
      card_problem(run_card(plan, card.text, planned_run(plan, plan.first_run)), plan.options);
  if (!problem.empty()) throw support::Error(problem);

  const support::NewFolders folders(folder.parent_path());
  const support::TemporaryFolder temporary(folder.parent_path(), ".overlay-production");
  const auto stage = temporary.path() / "production";
  write_programs(set, request.program, stage / "bin");
  for (const auto& entry : fs::recursive_directory_iterator(stage / "bin"))
    if (entry.is_regular_file())
      plan.files[entry.path().lexically_relative(stage).generic_string()] =
          support::sha256_of_file(entry.path());
  LedgerRuns runs{plan.first_run, plan.last_run(), "", 0};
  plan.first_place = take_places(ledger, plan.places(), plan.name, &runs);
  if (!runs.also_of.empty())
    fmt::print(
        stderr,
        "overlay: note: production {} of this ledger has runs of the same numbers, and files of the same "
        "names; keep the two apart, or plan this one again with --first-run {}\n",
        runs.also_of, runs.free);
  write_plan(plan, card.text, stage);
  std::error_code error;
  fs::rename(stage, folder, error);
  if (error)
    throw support::Error("cannot make {} ({}); give a new folder for the production", folder.string(),
                         error.message());
  return read_plan(folder);
}

}  // namespace overlay
