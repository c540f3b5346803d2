// overlay install: builds stock and patched of each set of options, runs a pair of short showers, and
// installs patched where stock's bytes came out. Writes below --out and --prefix. And overlay init.
#include "overlay/build/install.hpp"

#include <algorithm>

#include "options.hpp"
#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/card/card.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/production/run.hpp"
#include "overlay/prove/prove.hpp"

namespace overlay {
namespace {

struct InstallRequest {
  BuildRequest build;
  std::vector<std::string> with;
  fs::path prefix;
  std::string container;
};

/// The card for a pair of short runs: few showers, of 1 TeV at most where the card allows it.
std::string short_card(const std::string& card) {
  const Card read(card);
  const auto text = card_with_showers(card, std::min(read.showers(), kQuickShowers));
  constexpr double kMost = 1000;  // GeV
  const auto low = read.word("ERANGE", 1), high = read.word("ERANGE", 2);
  const auto number = [](const std::string& word) { return card_real(word).value_or(0); };
  if (number(high) <= kMost) return text;
  return card_with_lines(text, "ERANGE",
                         {fmt::format("ERANGE  {} {}", low, number(low) < kMost ? "1000." : low)});
}

/// Builds one set of options and adds it, with what a pair of runs showed.
void add_checked_set(const BuildRequest& request, Installation& made) {
  auto set = build_proven(request, {"stock", "patched"});
  auto of_pair = set;
  of_pair.card = short_card(set.card);
  CompareOptions options;
  options.quick = true;
  options.parts_repeats = 0;
  const auto report = compare_programs(of_pair, options);
  const auto lines = report.at("summary").get<std::vector<std::string>>();
  if (report.at("identity").at("identical") != true)
    throw support::Error(
        "nothing is installed after a pair of short runs, stock and patched: {} overlay compare tells more",
        lines.front());
  const auto said = fmt::format("{} of {}: {}", counted(count_at(report, "showers"), "shower"),
                                set.profile.name, support::join(lines, "\n             "));
  fmt::print("compared   {}\n", said);
  const auto& tables =
      report.at("startup").at("tables");  // runs side by side in one folder would all make them
  for (const std::string name : tables)
    set.data_files[name] = set.out / "runs" / set.profile.name / "tables" / name;
  made.gain += (made.gain.empty() ? "When it was installed, a pair of short runs was compared:\n" : "\n") +
               ("  " + said);
  made.provenance["compared"].push_back({{"profile", set.profile.name},
                                         {"card", of_pair.card},
                                         {"identical", true},
                                         {"tables_made", tables},
                                         {"speedup", report.at("speedup").at("measured")},
                                         {"speedup_per_shower", report["speedup"].at("per_shower")}});
  made.sets.push_back(std::move(set));
}

int run_install(const InstallRequest& request) {
  refuse_output_in_tree(request.build.corsika, request.prefix, "--prefix");
  Installation made;
  made.launcher = program_beside("corsika-launcher");
  made.container = request.container;
  if (!request.container.empty()) check_one_of("--container", request.container, {"apptainer", "docker"});
  const bool two = !request.with.empty();
  if (two && (!contains(request.with, "CURVED") || contains(asked_profile(request.build).options, "CURVED")))
    throw support::Error("--with is for a second program, with CURVED; give others a --prefix of their own");
  auto flat = request.build, curved = request.build;
  curved.with = request.with;
  curved.quiet = true;      // the flat one's notes are the same
  bool for_curved = false;  // the card
  if (two) {
    const Card card(render_card(asked_profile(request.build)));
    for_curved = card_real(card.word("THETAP", 2)).value_or(0) >= kCurvedFrom;
    (for_curved ? flat : curved).zenith = kCurvedFrom;
    flat.drop_unknown_lines = for_curved;
  }
  auto looked_at = flat;
  looked_at.quiet = true;
  const auto asked = build_profile(looked_at, {});  // whatever is wrong is said before anything is built
  if (two) build_profile(curved, {});
  const auto prefix = checked_prefix(request.prefix, asked.conditions.options);
  add_checked_set(flat, made);
  if (two) add_checked_set(curved, made);
  if (for_curved) made.sets.front().card = made.sets.back().card;
  made.provenance["made"] = utc_now();
  made.provenance["command"] = shell_line(typed_words());
  const auto files = install(made, prefix);
  fmt::print("program    {}\n",
             (prefix / "run" / made.sets.front().programs.at("patched").filename()).string());
  for (const auto& set : made.sets)
    fmt::print("stage      {} program: {}\n", contains(set.profile.options, "CURVED") ? "curved" : "flat",
               set.cherenkov_stage.text());
  fmt::print("files      {}, listed in {}\n", files, (prefix / "overlay-install.json").string());
  fmt::print("run        as {} says\n", (prefix / "README").string());
  return 0;
}

// overlay init: a profile of what a user has. Writes where its name says, and an unpacked archive below
// --out.

int run_init(InitRequest request) {
  if (request.file.extension() != ".toml") request.file += ".toml";
  for (const auto& line : init_profile(request)) fmt::print("{}\n", line);
  fmt::print("next       {}\n", to_type({"compare", "--corsika", request.build.corsika, "--profile",
                                         request.file.string(), "--quick"}));
  return 0;
}

}  // namespace

void declare_install(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<InstallRequest>();
  Options options(app, chosen, "install",
                  "Patched programs with their data, in a folder that may be moved, once a pair of runs gave "
                  "stock's bytes",
                  [=] { return run_install(*request); });
  declare_build_request(options, request->build);
  declare_substitutes(options, request->build);
  options
      .value("--prefix", request->prefix, "DIR",
             "folder to install in; only files of ours are replaced there")
      .necessary()
      .value("--with", request->with, "OPTION,...",
             "a second program with these options, too: CURVED, for cards with large zenith angles")
      .list()
      .value("--container", request->container, "NAME",
             "also write a recipe for an image: apptainer or docker");
}

void declare_init(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<InitRequest>();
  Options options(app, chosen, "init", "Writes a profile of your own: NAME.toml and NAME.card",
                  [request] { return run_init(*request); });
  options.value("name", request->file, "NAME", "of the profile, with or without a folder").necessary();
  declare_sources(options, request->build);
  declare_own(options, request->build);
  options.flag("--force", request->force, "replace files that are there");
}

}  // namespace overlay
