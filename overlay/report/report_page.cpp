// What a comparison found, as a page: which sentence, table or picture says what (how it looks is
// page.cpp's); and the writing of a report's three files, each whole or not at all. Replaces nothing but
// files of their names.

#include <algorithm>
#include <iterator>

#include "overlay/card/card.hpp"
#include "overlay/report/report.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

// The facts that the page begins with: what was simulated, how much of the light could hit, and what the
// machine's load does to the interval.

/// The keyword's n-th word, a number as people write it; empty where the card has none.
std::string value_of(const Card& card, const char* keyword, int n) {
  const std::string word = card.word(keyword, n);
  const auto value = card_real(word);
  return value ? fmt::format("{:.10g}", *value) : word;
}

/// The keyword's first two words as "LOW to HIGH UNIT".
std::string range_of(const Card& card, const char* keyword, const char* unit) {
  const std::string low = value_of(card, keyword, 1), high = value_of(card, keyword, 2);
  if (low.empty()) return "";
  return fmt::format("{}{} {}", low, high.empty() || high == low ? "" : " to " + high, unit);
}

std::string primary_of(long number) {
  const auto code = std::to_string(number), name = particle_name(code);
  return number == 0 ? "" : name == code ? "PRMPAR " + code : name;
}

std::string telescopes_of(const Card& card) {
  const auto count = std::ranges::count(card.lines(), "TELESCOPE", &CardLine::keyword);
  const long copies = card.number("CSCAT", 1);
  if (count == 0) return "";
  return std::to_string(count) + (copies > 1 ? fmt::format(", in {} scattered copies", copies) : "");
}

/// A bunch that the stage did not follow reaches no telescope; of the others CORSIKA records those that do.
std::string light_of(const Json& light) {
  const double bunches = number_at(light, "bunches");
  if (!(bunches > 0)) return "";
  return fmt::format("at most {} of {} bunches; all others provably reach no telescope",
                     percent(number_at(light, "traced") / bunches, 2), grouped(light.at("bunches")));
}

/// What load other programs made: it widens the interval.
std::string load_of(const Json& report) {
  const Json &machine = report.at("machine"), *stock = runs_of(report, "stock");
  if (stock == nullptr || !machine.contains("load_after")) return "";
  return fmt::format(
      "{:.2f} before the first run, {:.2f} at the end, our own included; stock had {} of a core",
      number_at(machine, "load_before"), number_at(machine, "load_after"),
      percent(number_at(*stock, "median_cpu_s") / number_at(*stock, "median_wall_s"), 0));
}

Section identity_section(const Json& report) {
  const Json& identity = report.at("identity");
  Json rows = identity.at("files");
  if (rows.empty()) return {};
  for (Json& file : rows) {
    file["same"] = file.at("equal").is_null() ? "not compared" : file["equal"] ? "yes" : "no";
    file["where"] = text_at(file, "reason");
    if (const Json& offset = file.at("first_difference"); !offset.is_null())
      file["where"] = fmt::format("from offset {} on: {}", grouped(offset), text_at(file, "reason"));
    std::string bytes = grouped(count_at(file, "bytes"));
    if (file.at("bytes_patched") != file["bytes"]) bytes += ", patched " + grouped(file["bytes_patched"]);
    file["bytes"] = bytes;
    const auto allowed = file.at("normalised").get<std::vector<std::string>>();
    file["allowed"] = allowed.empty() ? "nothing" : fmt::format("{}", fmt::join(allowed, "; "));
    if (file["same"] != "yes") file["strong"] = "same";
  }
  std::string others, warning;
  for (const auto& [member, what] :
       {std::pair{"parts_identical", "Runs with one part of the overlay alone left"},
        {"sampled_outputs_identical", "Runs under the sampler left"},
        {"first_run_identical", "First runs wrote tables with"}})
    if (const Json& same = identity.at(member); !same.is_null())
      (same ? others : warning) += fmt::format(" {} {} bytes.", what, same ? "the same" : "other");
  return {"Same bytes, file by file",
          {{.table = table_of(rows, {{"File", "name", "code"},
                                     {"Same", "same"},
                                     {"Kind", "kind"},
                                     {"Bytes", "bytes", "number"},
                                     {"Where they differ", "where"},
                                     {"Allowed to differ", "allowed"}})},
           {.warning = warning},
           {.note = fmt::format(
                "{} of runs compared. Only header dates (RUNH word 3, EVTH word 45) and the figures in the "
                "log's PRESENT TIME, TOTAL TIME USED and TIME PER EVENT lines may differ.{}",
                counted(count_at(identity, "pairs"), "pair"), others)}}};
}

/// The first rows of a profile, with routines' names without the parameters of C++.
Json first_routines(const Json& rows, const char* name) {
  Json first = Json::array();
  for (const Json& row : rows) {
    if (first.size() == 12) break;
    const std::string whole = row.at(name);
    std::size_t end = whole.find('(', 1);
    while (end != std::string::npos && whole.compare(end, 11, "(anonymous ") == 0)
      end = whole.find('(', end + 1);
    first.push_back(row);
    first.back()[name] = whole.substr(0, end);
  }
  return first;
}

Section routines_section(const Json& report) {
  Section section{"Routines: samples, and what gprof says", {}};
  const auto add = [&](const char* heading, const Json& rows, const char* name, std::vector<Column> columns) {
    columns.insert(columns.begin(), {"Routine", name, "code"});
    if (!rows.empty())
      section.blocks.push_back({.heading = heading, .table = table_of(first_routines(rows, name), columns)});
  };
  for (const auto& [samples, gprof, build] :
       {std::tuple{"Stock: samples", "Stock: gprof's flat profile", "stock"},
        {"Patched: samples", "Patched: gprof's flat profile", "patched"}}) {
    add(samples, report.at("sampler").value(build, Json::object()).value("top", Json()), "symbol",
        {{"Share of CPU time", "share", "percent"}});
    add(gprof, report.at("gprof").at(std::string("flat_") + build), "name",
        {{"Share", "share", "percent"}, {"Own time", "self_s", "seconds"}, {"Calls", "calls", "count"}});
  }
  if (section.blocks.empty()) return {};
  section.blocks.push_back(
      {.note = "A name in brackets is a library or the kernel. gprof does not see time inside libraries such "
               "as libm and counts calls into every routine, so its shares are of less than the whole run. "
               "Draws that are inlined at call sites are no routines to it."});
  return section;
}

Section generator_section(const Json& report) {
  const Json& rng = report.at("rng");
  std::string numbers = "How many numbers were drawn is not known.";
  if (!rng.at("numbers").is_null()) numbers = fmt::format("A run draws {} numbers.", grouped(rng["numbers"]));
  if (!rng.at("calls").is_null())
    numbers += fmt::format(" Stock draws them in {} calls (gprof).", grouped(rng["calls"]));
  Json rows = Json::array();
  for (const auto& [what, build] :
       {std::pair<const char*, std::string>{"Stock", "stock"}, {"Patched", "patched"}})
    if (const Json& share = rng.at("share_" + build); !share.is_null()) {
      const Json& interval = rng.at("share_" + build + "_interval");
      rows.push_back({{"what", what},
                      {"share", share},
                      {"interval", fmt::format("{} to {}", percent(interval[0], 2), percent(interval[1], 2))},
                      {"ns", rng.at("ns_per_number_" + build)}});
    }
  return {"Random numbers",
          {{.text = numbers},
           {.table = table_of(rows, {{"The generator", "what"},
                                     {"Share of CPU time", "share", "percent"},
                                     {"95% interval", "interval", "number"},
                                     {"ns a number, all included", "ns", "significant"}})}}};
}

Section light_section(const Json& report) {
  const Json& light = report.at("cherenkov");
  if (!light.at("made")) return {};
  const std::string backend = text_at(light, "backend");
  Json rows = Json::array();
  if (light.at("summary") != "")
    for (const auto& [what, member] : {std::pair{"Steps that the stage took", "steps"},
                                       {"Steps left to CORSIKA", "left_to_corsika"},
                                       {"Bunches of the stage's steps", "bunches"},
                                       {"of these, followed to the ground", "traced"},
                                       {"Bunches skipped one by one in CORSIKA's own steps", "skipped"}})
      rows.push_back({{"what", what}, {"count", light.at(member)}});
  return {
      "Cherenkov light",
      {{.text = fmt::format(
            "In the patched program: {}. In these runs the stage{} {}.", text_at(light, "program"),
            backend.empty() ? "" : fmt::format(" (asked: {}, ran: {})", text_at(light, "asked"), backend),
            text_at(light, "in_run"))},
       {.table = table_of(rows, {{"A run of the patched program", "what"}, {"Count", "count", "count"}})}}};
}

/// Rows {what, which}, without those of which nothing is known.
Json known_facts(const std::vector<std::pair<const char*, std::string>>& all) {
  Json facts = Json::array();
  for (const auto& [what, which] : all)
    if (!which.empty()) facts.push_back({{"what", what}, {"which", which}});
  return facts;
}

Section machine_section(const Json& report) {
  const Json &machine = report.at("machine"), &corsika = report.at("corsika");
  const Json facts =
      known_facts({{"Processor", text_at(machine, "cpu") + ", " +
                                     counted(count_at(machine, "cores"), "core") + " for this run"},
                   {"GPU", text_at(machine, "gpu")},
                   {"Memory", fmt::format("{:.1f} GiB", number_at(machine, "memory_gib"))},
                   {"System", text_at(machine, "system") + ", " + text_at(machine, "kernel")},
                   {"Compilers", text_at(machine, "compilers")},
                   {"Random numbers by",
                    text_at(report, "backend") + " (asked: " + text_at(report, "backend_asked") + ")"},
                   {"Overlay", "version " + text_at(report, "library_version")},
                   {"CORSIKA", text_at(corsika, "version") + ", SHA-256 " + text_at(corsika, "sha256")}});
  return {"Machine", {{.table = table_of(facts, {{"What", "what"}, {"Which", "which"}})}}};
}

Section repeat_section(const Json& report) {
  return {"Repeat it",
          {{.code = text_at(report, "command")},
           {.note = "Seeds and energies are in the input card. The same card gives the same bytes on all "
                    "processors of one class. Others round otherwise, in stock as in patched: the "
                    "mathematical library uses fused multiply-add where the processor has it."},
           {.heading = "Input card", .code = text_at(report, "card")}}};
}

/// Throws Error where something is in the way that no report wrote.
void refuse_foreign(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return;
  if (!fs::is_directory(folder, error))
    throw support::Error(
        "{} is not a folder, so no report can be written there; give another with --report DIR",
        folder.string());
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    // Also what a call that was killed left.
    const bool ours = name.starts_with("report.") || name.starts_with(".overlay-");
    if (!ours || !fs::is_regular_file(it->symlink_status()))
      throw support::Error(
          "{} holds {}, which no report wrote, so it is not used; give another folder with --report DIR",
          folder.string(), name);
  }
}

}  // namespace

Json facts_of(const Json& report) {
  const Card card(text_at(report, "card"));
  const std::string slope = value_of(card, "ESLOPE", 1), energies = range_of(card, "ERANGE", "GeV");
  const bool one_energy = energies.find(" to ") == std::string::npos;
  return known_facts(
      {{"Primary", primary_of(card.number("PRMPAR", 0))},
       {"Energy", energies + (one_energy || slope.empty() ? "" : ", slope " + slope)},
       {"Zenith angle", range_of(card, "THETAP", "degrees")},
       {"View cone", range_of(card, "VIEWCONE", "degrees")},
       {"Models and options", support::join(report.at("options").get<std::vector<std::string>>(), ", ")},
       {"Atmosphere", atmosphere_file(card)},
       {"Telescopes", telescopes_of(card)},
       {"Light that can hit", light_of(report.at("cherenkov"))},
       {"Load of the machine", load_of(report)}});
}

Page report_page(const Json& report) {
  const Json& identity = report.at("identity");
  const bool same = identity.at("identical") == true, differs = identity["identical"] == false;
  Page page;
  page.about =
      fmt::format("CORSIKA {} · profile {} · {} · {} of runs · {}", text_at(report.at("corsika"), "version"),
                  text_at(report, "profile"), counted(count_at(report, "showers"), "shower"),
                  counted(count_at(report, "repeats"), "pair"), text_at(report, "started"));
  page.good = same;
  auto lines = report.at("summary").get<std::vector<std::string>>();
  page.answer = lines.front();
  lines.erase(lines.begin());
  const bool timed = runs_of(report, "stock") != nullptr && runs_of(report, "patched") != nullptr;
  page.title =
      differs ? "The outputs differ"
      : !same ? "Could not compare"
      : timed ? fmt::format("Same output, {} times as fast", significant(report.at("speedup").at("measured")))
              : "Same output, speed not measured";
  const auto reasons = identity.at("reasons").get<std::vector<std::string>>();
  if (reasons.size() > 1) lines.insert(lines.end(), reasons.begin() + 1, reasons.end());
  Block verdict{.list = lines, .table = table_of(report.at("facts"), {{"Showers", "what"}, {"", "which"}})};
  if (differs)
    verdict.warning =
        "Do not use this patched program. Any times below are of programs whose outputs differ.";
  page.sections = {{"", {verdict}}};
  if (!report.at("notes").empty()) page.sections.push_back({"Notes", {{.list = report["notes"]}}});
  const auto add = [&](const std::vector<Section>& sections) {
    std::copy_if(sections.begin(), sections.end(), std::back_inserter(page.sections),
                 [](const Section& section) { return !section.blocks.empty(); });
  };
  if (timed) add(time_sections(report));
  add({identity_section(report)});
  if (timed) add({routines_section(report), generator_section(report), light_section(report)});
  add({machine_section(report), repeat_section(report)});
  page.footer = "The numbers are in report.json, too.";
  return page;
}

void check_report_folder(const fs::path& folder) {
  refuse_foreign(folder);
  try {
    const support::NewFolders made(folder);
    const fs::path trial = folder / (".overlay-trial-" + support::random_name());
    support::write_file(trial, "");
    support::delete_file(trial);
  } catch (const support::Error& problem) {
    throw support::Error("{}; give a folder that you may write to with --report DIR", problem.what());
  }
}

void write_report(const Json& report, const fs::path& folder) {
  const Page page = report_page(report);
  try {
    fs::create_directories(folder);
    // Cards, paths and logs may hold any bytes; those that are no UTF-8 become U+FFFD.
    support::write_file(folder / "report.json",
                        report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    support::write_file(folder / "report.html", page_html(page));
    support::write_file(folder / "report.md", page_markdown(page));
  } catch (const std::exception& problem) {  // it stands for hours of runs
    fmt::print("{}", page_markdown(page));
    throw support::Error("the report could not be put at {}: {}; it is on standard output", folder.string(),
                         problem.what());
  }
}

}  // namespace overlay
