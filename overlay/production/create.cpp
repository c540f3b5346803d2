// Makes a production: its card, one text with places; both programs; seeds. The folder is written under a
// name of its own and renamed.
#include <regex>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/production/production.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/prove/prove.hpp"
#include "support/checksum.hpp"

namespace overlay {
namespace {

void check_options(const NewProduction& request) {
  check_one_of("--seeds", request.plan.seeds, {"planned", "offsets"});
  check_one_of("--processors", request.plan.class_policy, {"same", "pinned", "any"});
  if (!request.plan.offsets() && request.plan.stride != 0)
    throw support::Error("--stride is for --seeds offsets; leave one of them out");
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
void refuse_repeats(const char* option, auto axis) {
  std::ranges::sort(axis);
  if (std::ranges::adjacent_find(axis) != axis.end())
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

/// The plan as far as a card and the options say it, checked.
ProductionPlan asked_plan(const NewProduction& request, const Profile& profile, const ProductionCard& card) {
  ProductionPlan plan = request.plan;
  plan.options = profile.options;
  plan.ranges = {{request.first_run == 0 ? 1 : request.first_run, request.runs, 0}};
  plan.showers = profile.showers;
  plan.settings = card.settings;
  plan.sequences = card.sequences;
  if (request.plan.class_policy == "pinned") plan.tunables = kPinnedTunables;
  check_plan(plan);
  const auto problem =
      card_problem(run_card(plan, card.text, planned_run(plan, plan.ranges[0].first_run)), plan.options);
  if (!problem.empty()) throw support::Error(problem);
  return plan;
}

/// A new plan, with its card and both programs in STAGE/bin.
std::pair<ProductionPlan, std::string> built_plan(const NewProduction& request, const fs::path& stage) {
  const auto set = build_all(request);
  const auto card = production_card(set.profile, request.build, request);
  auto plan = asked_plan(request, set.profile, card);
  plan.corsika_version = set.corsika_version;
  plan.corsika_sha256 = set.sha256;
  plan.profile = set.profile.name;
  plan.substitutes = set.substitutes;
  plan.flags = set.flags;
  plan.compilers = set.compilers;
  plan.showers = Card(set.card).showers();
  plan.program = "bin/corsika/run/" + set.programs.at("patched").filename().string();
  plan.stock = plan.program + ".stock";
  lay_out_program(set, "patched", stage / "bin/corsika");
  copy_program(set.programs.at("stock"), stage / plan.stock, stage / "bin/corsika/run");
  return {plan, card.text};
}

/// The plan of an earlier production, with its card and copies of its programs in STAGE/bin.
std::pair<ProductionPlan, std::string> copied_plan(const ProductionPlan& earlier, const fs::path& stage) {
  for (const auto& change : changed_files(earlier)) throw support::Error(change);
  auto plan = earlier;
  plan.ranges.resize(1);
  plan.files.clear();
  fs::create_directories(stage / "bin");
  for (const auto& entry : fs::directory_iterator(earlier.folder / "bin"))
    if (const auto name = entry.path().filename(); name != "overlay" && name != "lib")
      fs::copy(entry.path(), stage / "bin" / name, fs::copy_options::recursive);
  return {plan, support::read_file(earlier.folder / "card.template")};
}

/// Looks whether the ledger has numbers and seeds for the last range of the plan, and, where `take`, takes
/// them.
void ask_ledger(const RunsRequest& request, ProductionPlan& plan, const ProductionPlan* of,
                bool take = true) {
  auto& range = plan.ranges.back();
  const auto from = of == nullptr ? 1 : of->last_run() + 1;
  const auto ledger = request.ledger.empty() ? default_ledger() : request.ledger;
  for (int looks = 0; looks <= (take ? 1 : 0); ++looks) {
    LedgerRuns runs{plan.runs_of(range), request.first_run, from, of, looks == 0};
    range.first_place = take_places(ledger, plan.places(range), plan.name, runs);
    range.first_run = runs.first;
    check_plan(plan);
  }
}

}  // namespace

ProductionCard production_card(Profile profile, BuildRequest build, const ProductionGrid& grid) {
  ProductionCard card;
  if (!grid.zeniths.empty()) build.zenith = grid.zeniths[0];
  if (!grid.atmospheres.empty()) build.atmosphere = grid.atmospheres[0];
  const Card read(render_card(profile));
  const auto word = [&](const char* keyword, const char* otherwise) {
    const std::string found = read.word(keyword);
    return found.empty() ? otherwise : found;
  };
  profile = with_parameters(std::move(profile), build);
  put_seeds_placeholder(profile);
  card.sequences = profile.seeds;
  card.text = card_with_lines(profile.card_template, "RUNNR", {"RUNNR @RUNNR@"});
  put_placeholder(card.text, "NSHOW", "NSHOW", "NSHOW @NSHOW@");
  if (!grid.primaries.empty()) put_placeholder(card.text, "PRIMARY", "PRMPAR", "PRMPAR @PRIMARY@");
  for (const char* keyword : {"USER", "HOST"}) card.text = card_with_lines(card.text, keyword, {});
  const double zenith = card_real(word("THETAP", "0")).value_or(0);
  const auto axis = [](auto values, auto otherwise) {
    if (values.empty()) values = {otherwise};
    return values;
  };
  for (const auto& primary : axis(grid.primaries, word("PRMPAR", "14")))
    for (const int atmosphere : axis(grid.atmospheres, read.atmosphere()))
      for (const double angle : axis(grid.zeniths, zenith)) {
        if (!grid.zeniths.empty()) build.zenith = angle;
        if (!grid.atmospheres.empty()) build.atmosphere = atmosphere;
        auto values = card_values(with_parameters(profile, build));
        values["PRIMARY"] = primary;
        std::erase_if(values, [&](const auto& value) {
          return value.first == "SEEDS" || value.first == "NSHOW" || value.first == "RUNNR" ||
                 !has_placeholder(card.text, value.first);
        });
        card.settings.push_back({angle, atmosphere, primary, values});
      }
  return card;
}

std::string card_problem(const std::string& card, const std::vector<std::string>& options) {
  const Card read(card);
  auto files = named_files(read);
  const auto look_in = [&](const char* keyword, const std::string& words) {
    static const std::regex whole(R"((?:^|[\s"'=])(~?/.*))");
    if (std::smatch found; std::regex_search(words, found, whole))
      files.push_back({Names::command, keyword, found[1]});
  };
  look_in("TELFIL", telescope_command(read).value_or(""));
  for (const auto& line : read.lines())
    if (line.keyword == "IACT" && upper_case(card_word(line.rest, 1)) == "SETENV")
      look_in("IACT SETENV", line.rest);
  for (const auto& [how, keyword, name] : files)
    if (name.starts_with('/') || name.starts_with("~/"))
      return fmt::format(
          "the card's line {} names a whole path, {}, which the telescope files would hold; put the file "
          "beside the card and give its name, or a program's name that is in PATH",
          keyword, name);
  return outputs_elsewhere(card, options);
}

ProductionPlan create_production(NewProduction request) {
  check_options(request);
  std::optional<ProductionPlan> earlier;
  if (!request.like.empty()) earlier = read_plan(request.like);
  if (request.runs < 1 && !(earlier && request.runs == 0))
    throw support::Error("--runs cannot be {}; give the runs of each setting", request.runs);
  request.folder = absolute_folder(request.folder);
  const auto name = request.folder.filename().string();
  // All that can be wrong, before anything is built.
  if (earlier) {
    if (request.runs == 0) request.runs = earlier->ranges[0].runs_per_setting;
  } else {
    if (!request.zeniths.empty()) request.build.zenith = request.zeniths[0];
    const auto profile = asked_profile(request.build);
    for (auto& primary : request.primaries) primary = particle_code(primary);
    refuse_repeats("--zenith", request.zeniths);
    refuse_repeats("--atmosphere", request.atmospheres);
    refuse_repeats("--primary", request.primaries);
    refuse_output_in_tree(request.build.corsika, request.folder, "the folder");
    refuse_output_in_tree(request.build.corsika, request.ledger.empty() ? default_ledger() : request.ledger,
                          "--ledger");
    const Card own(profile.card_template);
    const auto output = telescope_output(own);
    const auto holds = [&](const std::string& what, const std::string& value, const std::string& form) {
      if (std::regex_search(output, std::regex(form, std::regex::icase)))
        message(
            fmt::format("note: TELFIL {} holds the {} {} in all runs; published files have their own run "
                        "number before it",
                        output, what, value));
    };
    const auto run = std::to_string(own.run_number()), primary = particle_name(own.word("PRMPAR"));
    if (own.has("RUNNR")) holds("run number", run, fmt::format(R"((^|\D)0*{}(\D|$))", run));
    if (!request.primaries.empty() && card_integer(primary, 0) == 0 && !primary.empty())
      holds("primary", primary,
            fmt::format("(^|[^a-z]){}", std::regex_replace(primary, std::regex("\\+"), "[+]")));
    const auto card = production_card(profile, request.build, request);
    request.build.more_cards = cards_of(card);
    auto asked = asked_plan(request, profile, card);
    ask_ledger(request, asked, nullptr, false);
  }
  const support::NewFolders folders(request.folder.parent_path());
  const support::TemporaryFolder temporary(request.folder.parent_path(), ".overlay-production");
  const auto stage = temporary.path() / "production";
  auto [plan, card] = earlier ? copied_plan(*earlier, stage) : built_plan(request, stage);
  plan.name = name;
  plan.overlay_version = OVERLAY_VERSION;
  plan.ranges[0].runs_per_setting = request.runs;
  copy_program(request.program, stage / "bin/overlay", stage / "bin/lib");
  fs::copy_file(profiles_folder() / "models.toml", stage / "bin/models.toml",
                fs::copy_options::overwrite_existing);  // nodes need not have the checkout
  for (const auto& entry : fs::recursive_directory_iterator(stage / "bin"))
    if (entry.is_regular_file() && !is_kept_table(entry.path()))
      plan.files[entry.path().lexically_relative(stage).generic_string()] =
          support::sha256_of_file(entry.path());
  ask_ledger(request, plan, earlier ? &*earlier : nullptr);
  write_plan(plan, card, stage);
  std::error_code error;
  fs::rename(stage, request.folder, error);
  if (error)
    throw support::Error("cannot make {} ({}); give a new folder for the production", request.folder.string(),
                         error.message());
  return read_plan(request.folder);
}

ProductionPlan extend_production(const RunsRequest& request) {
  read_plan(request.folder);  // it is a production's
  const support::FolderLock lock(request.folder);
  const auto before = read_plan(request.folder);
  if (const auto ours = before.files.find("bin/overlay");
      ours == before.files.end() || ours->second != support::sha256_of_file(request.program))
    throw support::Error(
        "workers of {0} are another overlay than this one; call {0}/bin/overlay production extend",
        request.folder.string());
  auto plan = before;
  plan.ranges.push_back(
      {request.first_run == 0 ? before.last_run() + 1 : request.first_run, request.runs, 0});
  check_plan(plan);
  ask_ledger(request, plan, &before);
  write_extension(plan);
  return read_plan(request.folder);
}

}  // namespace overlay
