// What a comparison found, as a page: which sentence, table or picture says what. How it looks is page.cpp's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

template <class T>
std::string or_dash(const std::optional<T>& value, std::string (*show)(T)) {
  return value ? show(*value) : "–";
}
std::string nanoseconds(double value) { return significant(value) + " ns"; }
std::string share(double value) { return percent(value, 2); }

Section identity_section(const Report& report) {
  Table table{{{"File"}, {"Same"}, {"Kind"}, {"Bytes", true}, {"Where they differ"}, {"Allowed to differ"}},
              {}};
  for (const FileIdentity& file : report.identity.files) {
    std::string where =
        file.first_difference ? fmt::format("from offset {} on", grouped(*file.first_difference)) : "";
    if (!file.reason.empty()) where += (where.empty() ? "" : ": ") + file.reason;
    std::string bytes = grouped(file.bytes);
    if (file.other_bytes != file.bytes) bytes += fmt::format(", patched {}", grouped(file.other_bytes));
    table.rows.push_back(
        {{file.name, true},
         {!file.compared ? "not compared"
          : file.equal   ? "yes"
                         : "no",
          false, !file.equal},
         {kind_name(file.kind)},
         {bytes},
         {where},
         {file.normalised.empty() ? "nothing" : fmt::format("{}", fmt::join(file.normalised, "; "))}});
  }
  std::string others, warning;
  const auto add = [&](const std::optional<bool>& same, const char* what) {
    if (same) (*same ? others : warning) += fmt::format(" {} {} bytes.", what, *same ? "the same" : "other");
  };
  add(report.parts_identical, "Runs with one part of the overlay alone left");
  add(report.sampled_outputs_identical, "Runs under the sampler left");
  add(report.first_run_identical, "First runs wrote tables with");
  return {"Same bytes, file by file",
          {{.table = table},
           {.warning = warning},
           {.note = fmt::format(
                "{} of runs compared. Only header dates (RUNH word 3, EVTH word 45) and the figures in "
                "the log's PRESENT TIME, TOTAL TIME USED and TIME PER EVENT lines may differ.{}",
                counted(static_cast<std::uint64_t>(report.identity_pairs), "pair"), others)}}};
}

/// A routine's name without the parameters of C++.
std::string short_name(const std::string& name) {
  std::size_t end = name.find('(', 1);
  while (end != std::string::npos && name.compare(end, 11, "(anonymous ") == 0) end = name.find('(', end + 1);
  return name.substr(0, end);
}

Table gprof_table(const GprofProfile& profile) {
  constexpr std::size_t kRows = 12;
  Table table{{{"Routine"}, {"Share", true}, {"Own time", true}, {"Calls", true}}, {}};
  for (std::size_t i = 0; i < std::min(kRows, profile.rows.size()); ++i) {
    const GprofRow& row = profile.rows[i];
    table.rows.push_back({{short_name(row.name), true},
                          {percent(profile.total_s() > 0 ? row.self_s / profile.total_s() : 0)},
                          {fmt::format("{:.2f} s", row.self_s)},
                          {or_dash(row.calls, grouped)}});
  }
  return table;
}

Table samples_table(const Attribution& sampled) {
  constexpr std::size_t kRows = 12;
  Table table{{{"Routine"}, {"Share of CPU time", true}}, {}};
  for (const auto& [symbol, count] : sampled.most_sampled(kRows))
    table.rows.push_back({{short_name(symbol), true}, {percent(sampled.share_of_samples(count))}});
  return table;
}

Section routines_section(const Report& report) {
  Section section{"Routines: samples, and what gprof says", {}};
  const auto add = [&](const std::string& build, const auto& sampled, const auto& profile) {
    if (sampled) section.blocks.push_back({.heading = build + ": samples", .table = samples_table(*sampled)});
    if (profile)
      section.blocks.push_back({.heading = build + ": gprof's flat profile", .table = gprof_table(*profile)});
  };
  add("Stock", report.sampled_stock, report.gprof_stock);
  add("Patched", report.sampled_patched, report.gprof_patched);
  if (section.blocks.empty()) return {};
  section.blocks.push_back(
      {.note = fmt::format(
           "A name in brackets is a library or the kernel. gprof's profile is of {}. gprof does not see time "
           "inside libraries such as libm and counts calls into every routine, so its shares are of less "
           "than "
           "the whole run. Draws that are inlined at call sites are no routines to it.",
           counted(static_cast<std::uint64_t>(report.gprof_showers), "shower"))});
  return section;
}

Section generator_section(const Report& report, const Derived& derived) {
  std::string numbers = "How many numbers were drawn is not known.";
  if (report.numbers)
    numbers = fmt::format("A run draws {} numbers ({}).", grouped(*report.numbers), report.numbers_from);
  if (report.numbers_log) numbers += fmt::format(" By the log's counters: {}.", grouped(*report.numbers_log));
  if (report.calls)
    numbers += fmt::format(" Stock draws them in {} calls (gprof, {}).", grouped(*report.calls),
                           counted(static_cast<std::uint64_t>(report.gprof_showers), "shower"));
  const auto interval = [](const std::optional<support::Estimate>& of) {
    return of ? fmt::format("{} to {}", share(of->low), share(of->high)) : std::string();
  };
  Table table{{{"The generator"}, {"Stock", true}, {"Patched", true}}, {}};
  if (derived.share_stock || derived.share_patched)
    table.rows = {{{"Share of CPU time"},
                   {or_dash(derived.share_stock, share)},
                   {or_dash(derived.share_patched, share)}},
                  {{"95% interval"},
                   {interval(derived.share_stock_interval)},
                   {interval(derived.share_patched_interval)}},
                  {{"Uncorrected share"},
                   {or_dash(derived.share_stock_uncorrected, share)},
                   {or_dash(derived.share_patched_uncorrected, share)}},
                  {{"Time of a number, all included"},
                   {or_dash(derived.ns_stock, nanoseconds)},
                   {or_dash(derived.ns_patched, nanoseconds)}}};
  return {"Random numbers",
          {{.text = numbers},
           {.table = table},
           {.note = report.summary.empty() ? "" : "The patched program said: " + report.summary}}};
}

Section light_section(const Report& report, const Derived& derived) {
  const CherenkovSummary& light = report.light;
  if (!light.with_light) return {};
  Table table{{{"A run of the patched program"}, {"Count", true}}, {}};
  if (!light.summary.empty())
    table.rows = {{{"Steps that the stage took"}, {or_dash(light.steps, grouped)}},
                  {{"Steps left to CORSIKA"}, {or_dash(light.left_to_corsika, grouped)}},
                  {{"Bunches of the stage's steps"}, {or_dash(light.bunches, grouped)}},
                  {{"of these, traced to the ground"}, {or_dash(light.traced, grouped)}},
                  {{"Bunches skipped one by one in CORSIKA's own steps"}, {or_dash(light.skipped, grouped)}}};
  for (const auto& [build, of_light] :
       {std::pair{"stock", derived.light_stock}, {"patched", derived.light_patched}})
    if (of_light && !light.summary.empty())
      table.rows.push_back(
          {{fmt::format("Share of CPU time, {} (without libm)", build)}, {share(*of_light)}});
  return {"Cherenkov light",
          {{.text = fmt::format(
                "In the patched program: {}. In these runs the stage{} {}.", light.built.text(),
                light.backend.empty() ? "" : fmt::format(" (asked: {}, ran: {})", light.asked, light.backend),
                light.in_run())},
           {.table = table}}};
}

Section machine_section(const Report& report) {
  const support::Machine& machine = report.machine;
  return {"Machine",
          {{.table = {{{"What"}, {"Which"}},
                      {{{"Processor"},
                        {fmt::format("{}, {} for this run{}", machine.cpu,
                                     counted(static_cast<std::uint64_t>(machine.cores), "core"),
                                     report.core ? fmt::format(", pinned to core {}", *report.core) : "")}},
                       {{"GPU"}, {machine.gpu.empty() ? "none" : machine.gpu}},
                       {{"Memory"}, {fmt::format("{:.1f} GiB", machine.memory_gib)}},
                       {{"System"}, {machine.system + ", " + machine.kernel}},
                       {{"Compilers"}, {machine.compilers}},
                       {{"Load before the first run"}, {fmt::format("{:.2f}", machine.load)}},
                       {{"Random numbers by"},
                        {fmt::format("{} (asked: {})", report.backend, report.backend_asked)}},
                       {{"Overlay"}, {"version " + report.library_version}},
                       {{"CORSIKA"},
                        {fmt::format("{}, SHA-256 {}", report.corsika_version,
                                     report.corsika_sha256.empty() ? "–" : report.corsika_sha256)}}}}}}};
}

Section repeat_section(const Report& report) {
  return {
      "Repeat it",
      {{.code = report.command},
       {.note =
            "Seeds and energies are in the input card. The same card gives the same bytes on all processors "
            "of "
            "one class. Others round otherwise, in stock as in patched: the mathematical library uses fused "
            "multiply-add where the processor has it."},
       {.heading = "Input card", .code = report.card}}};
}

}  // namespace

Page report_page(const Report& report, const Derived& derived) {
  const Identity& identity = report.identity;
  Page page;
  page.about = fmt::format("CORSIKA {} · profile {} · {} · {} of runs · {}", report.corsika_version,
                           report.profile, counted(static_cast<std::uint64_t>(report.showers), "shower"),
                           counted(static_cast<std::uint64_t>(report.repeats), "pair"), report.started);
  page.good = identity.identical;
  page.answer = identity.identical   ? "Same bytes: yes"
                : identity.differs() ? "Same bytes: no"
                                     : "Same bytes: not known";
  const bool timed = report.build("stock") != nullptr && report.build("patched") != nullptr;
  page.title = !identity.identical ? (identity.differs() ? "The outputs differ" : "Could not compare")
               : timed ? fmt::format("Same output, {} times as fast", significant(derived.speedup.value))
                       : "Same output, speed not measured";
  Block verdict{.list = closing_lines(report, derived)};
  if (identity.differs())
    verdict.warning =
        "Do not use this patched program. Any times below are of programs whose outputs differ.";
  if (identity.reasons.size() > 1)
    verdict.list.insert(verdict.list.end(), identity.reasons.begin(), identity.reasons.end());
  page.sections = {{"", {verdict}}};
  const auto add = [&](const std::vector<Section>& sections) {
    std::copy_if(sections.begin(), sections.end(), std::back_inserter(page.sections),
                 [](const Section& section) { return !section.blocks.empty(); });
  };
  if (!report.notes.empty()) add({{"Notes", {{.list = report.notes}}}});
  if (timed) add(time_sections(report, derived));
  if (!identity.files.empty()) add({identity_section(report)});
  if (timed)
    add({routines_section(report), generator_section(report, derived), light_section(report, derived)});
  add({machine_section(report), repeat_section(report)});
  page.footer = "The numbers are in report.json, too.";
  return page;
}

}  // namespace overlay
