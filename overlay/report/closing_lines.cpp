// What a comparison says in five lines, and the wording that the terminal, report.md and report.json share.
#include <fmt/format.h>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

std::string with_interval(const support::Estimate& estimate, int digits) {
  if (!estimate.has_interval) return fmt::format("{:.{}f}", estimate.value, digits);
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", estimate.value, digits, estimate.low, digits,
                     estimate.high, digits);
}

std::string identity_line(const Report& report) {
  if (!report.identity.could_not_compare.empty())
    return fmt::format("Could not compare: {}.", report.identity.could_not_compare);
  std::uint64_t bytes = 0;
  for (const FileIdentity& file : report.identity.files) bytes += file.bytes;
  std::string what =
      fmt::format("{}, {}", counted(report.identity.files.size(), "file"), counted(bytes, "byte"));
  if (report.identity.events) what += fmt::format(", {}", counted(*report.identity.events, "event"));
  if (report.identity.identical) return fmt::format("Same bytes: yes ({}).", what);
  return fmt::format("Same bytes: NO ({}): {}.", what,
                     report.identity.reasons.empty() ? "see the report" : report.identity.reasons.front());
}

std::string times_line(const Report& report) {
  std::string line = "CPU time of a run: ";
  if (const BuildRuns* shipped = report.build("stock-shipped"))
    line += fmt::format("stock as shipped {:.2f} s, ", support::median(shipped->cpu_s));
  if (const BuildRuns* stock = report.build("stock"))
    line += fmt::format("stock {} {:.2f} s, ", flags_in_words(report.flags), support::median(stock->cpu_s));
  if (const BuildRuns* patched = report.build("patched"))
    line += fmt::format("patched {:.2f} s", support::median(patched->cpu_s));
  return line + ".";
}

std::string gain_line(const Report& report, const Derived& derived) {
  std::string line = fmt::format("Gain: {} times as fast as stock", with_interval(derived.speedup, 2));
  if (derived.shipped)
    line += fmt::format(", {:.2f} times as fast as stock as shipped", derived.shipped->value);
  if (derived.per_shower)
    line += fmt::format("; per shower, without start-up, {}", with_interval(*derived.per_shower, 2));
  return line + (report.repeats == 1 ? " (one pair of runs: no interval)." : ".");
}

std::string parts_line(const Derived& derived) {
  if (!derived.generator) return fmt::format("Parts: {}", derived.parts_note);
  std::string line =
      fmt::format("Parts: generator alone {} times", with_interval(derived.generator->gain, 2));
  if (!derived.stage) return fmt::format("{}. {}", line, derived.parts_note);
  line += fmt::format(", Cherenkov stage alone {} times", with_interval(derived.stage->gain, 2));
  return line + fmt::format(", both {:.2f} times.", derived.both->gain.value);
}

}  // namespace

std::string flags_in_words(const std::string& flags) {
  return flags == "shipped" ? "as shipped" : flags == "tuned" ? "tuned" : "with " + flags;
}

std::string certainty(const Report& report) {
  if (report.repeats == 1) return "one pair of runs: no interval";
  // Of so few pairs the bootstrap interval is the range (support/statistics.hpp).
  return fmt::format("{} {} pairs of runs", report.repeats < 6 ? "range of" : "95% interval from",
                     report.repeats);
}

std::vector<std::string> closing_lines(const Report& report, const Derived& derived,
                                       const std::filesystem::path& page) {
  std::vector<std::string> lines{identity_line(report)};
  if (!report.command_failed.empty()) lines.push_back(fmt::format("But {}.", report.command_failed));
  if (report.build("patched") != nullptr)
    lines.insert(lines.end(), {times_line(report), gain_line(report, derived), parts_line(derived)});
  if (!page.empty()) lines.push_back(fmt::format("Report: {}", page.string()));
  return lines;
}

}  // namespace overlay
