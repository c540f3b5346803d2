// report.md: the report as text, for a terminal and for pasting into mail.
#include <fmt/format.h>

#include <algorithm>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

std::string percent(const std::optional<double>& share, int digits = 2) {
  return share ? fmt::format("{:.{}f}%", 100 * *share, digits) : "-";
}

std::string percent_interval(const std::optional<double>& share,
                             const std::optional<support::Estimate>& interval) {
  if (!share) return "-";
  if (!interval) return percent(share);
  return fmt::format("{:.2f}% ({:.2f} to {:.2f})", 100 * *share, 100 * interval->low, 100 * interval->high);
}

/// "low to high", each by `scale`.
std::string range(const support::Estimate& estimate, int digits, double scale = 1) {
  if (!estimate.has_interval) return "one pair: no interval";
  return fmt::format("{:.{}f} to {:.{}f}", scale * estimate.low, digits, scale * estimate.high, digits);
}

std::string flags_text(const BuildRuns& build) {
  const auto or_own = [](const std::string& flags) {
    return flags.empty() ? "CORSIKA's own" : "`" + flags + "`";
  };
  return build.fflags == build.cflags
             ? or_own(build.fflags)
             : fmt::format("Fortran {}, C {}", or_own(build.fflags), or_own(build.cflags));
}

/// The text with a capital first letter.
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string identity_section(const Report& report) {
  std::string text = "## Same bytes?\n\n";
  if (!report.identity.could_not_compare.empty())
    return text + fmt::format("**Could not compare**: {}.\n\n", report.identity.could_not_compare);
  text += report.identity.identical ? "**Yes**: every output file is the same.\n" : "**No.**\n";
  if (!report.command_failed.empty()) text += fmt::format("- But {}.\n", report.command_failed);
  for (const std::string& reason : report.identity.reasons) text += fmt::format("- {}\n", reason);
  text +=
      "\n| file | kind | bytes | equal | first difference | normalised |\n| --- | --- | ---: | --- | --- | "
      "--- |\n";
  for (const FileIdentity& file : report.identity.files) {
    std::string normalised;
    for (const std::string& entry : file.normalised) normalised += (normalised.empty() ? "" : "; ") + entry;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", file.name, kind_name(file.kind), grouped(file.bytes),
                    file.equal ? "yes" : "**no**",
                    file.first_difference ? fmt::format("offset {}", *file.first_difference) : file.reason,
                    normalised.empty() ? "nothing" : normalised);
  }
  text += fmt::format(
      "\n{} pair{} of runs compared. Only header dates (RUNH word 3, EVTH word 45) and the figures in the "
      "log's PRESENT "
      "TIME, TOTAL TIME USED and TIME PER EVENT lines may differ.",
      report.identity_pairs, report.identity_pairs == 1 ? "" : "s");
  if (report.parts_identical)
    text += fmt::format(" Runs with one part of the overlay alone left {}.",
                        *report.parts_identical ? "the same bytes, too" : "**other bytes**");
  if (report.sampled_outputs_identical)
    text += fmt::format(" The outputs of the runs under the sampler are {}the same.",
                        *report.sampled_outputs_identical ? "" : "**not** ");
  return text + "\n\n";
}

std::string times_section(const Report& report, const Derived& derived) {
  std::string text = "## Times\n\n";
  text += "| build | flags | runs | CPU time, median (range) | wall time, median | peak memory |\n";
  text += "| --- | --- | ---: | --- | --- | ---: |\n";
  for (const BuildRuns& build : report.runs) {
    const auto [low, high] = std::minmax_element(build.cpu_s.begin(), build.cpu_s.end());
    text += fmt::format("| {} | {} | {} | {:.2f} s ({:.2f} to {:.2f}) | {:.2f} s | {:.0f} MiB |\n",
                        build.build, flags_text(build), build.cpu_s.size(), support::median(build.cpu_s),
                        build.cpu_s.empty() ? 0.0 : *low, build.cpu_s.empty() ? 0.0 : *high,
                        support::median(build.wall_s), static_cast<double>(build.peak_rss_kib) / 1024);
  }
  text += fmt::format(
      "\nPatched is **{:.3f}** times as fast as stock at the same flags ({}) in CPU time ({}), and {:.3f} "
      "times by "
      "the clock ({}). {}, median of pairs.",
      derived.speedup.value, report.flags, range(derived.speedup, 3), derived.wall_speedup.value,
      range(derived.wall_speedup, 3), sentence(certainty(report)));
  if (derived.over_shipped)
    text += fmt::format(" It is {:.3f} times as fast as stock as shipped.", *derived.over_shipped);
  if (derived.amdahl_gain)
    text += fmt::format(
        " If exactly the CPU time of the accelerated categories were gone, it would be {:.3f} times as fast "
        "(Amdahl's law). The overlay also saves time outside of them, so a measured gain may exceed that.",
        *derived.amdahl_gain);
  text += "\n\n";
  if (derived.accelerated_stock && *derived.accelerated_stock > 0) {
    text += fmt::format(
        "Of the CPU time that the accelerated categories took in stock, **{:.0f}%** went ({}), by CPU times "
        "of the pairs",
        100 * derived.removed.value, range(derived.removed, 0, 100));
    if (derived.removed_by_sampler)
      text += fmt::format("; by samples, {:.0f}%", 100 * *derived.removed_by_sampler);
    text += ".\n\n";
  }
  return text;
}

std::string startup_section(const Report& report, const Derived& derived) {
  std::string text = "## Start-up and showers\n\n";
  if (!derived.startup_stock)
    return text +
           "The begin of the first shower was not seen in the log, so start-up and showers are not timed "
           "separately.\n\n";
  text += "| CPU time, median | stock | patched | stock over patched |\n| --- | ---: | ---: | --- |\n";
  text +=
      fmt::format("| start-up | {:.2f} s | {:.2f} s | |\n", *derived.startup_stock, *derived.startup_patched);
  text += fmt::format("| a shower | {:.3f} s | {:.3f} s | {} |\n\n", *derived.shower_stock,
                      *derived.shower_patched, with_interval(*derived.per_shower, 3));
  text += kStartupHow;
  if (!report.tables.empty())
    text += fmt::format(
        " Run folders hold what a folder that was used before holds: {}, which the first run writes. It was "
        "made once, "
        "before the timed runs, and is the same file for both programs, which both write {}.",
        fmt::format("`{}`", fmt::join(report.tables, "`, `")),
        report.first_run_identical.value_or(false) ? "with the same bytes" : "**with different bytes**");
  return text + "\n\n";
}

std::string parts_section(const Derived& derived) {
  std::string text = "## What each part gives\n\n";
  if (derived.generator) {
    text += "| part alone | times as fast as stock, CPU time | per shower | pairs | program |\n";
    text += "| --- | --- | --- | ---: | --- |\n";
    const auto row = [&](const char* name, const std::optional<PartGain>& part) {
      if (part)
        text +=
            fmt::format("| {} | {} | {} | {} | {} |\n", name, with_interval(part->gain, 3),
                        part->per_shower ? with_interval(*part->per_shower, 3) : "-", part->pairs, part->how);
    };
    row("generator", derived.generator);
    row("Cherenkov stage", derived.stage);
    row("both", derived.both);
    text += "\n";
  }
  return derived.parts_note.empty() ? text : text + derived.parts_note + "\n\n";
}

bool corrected(const Report& report) {
  return report.sampled_stock && report.sampled_stock->corrected && report.sampled_patched &&
         report.sampled_patched->corrected;
}

/// What was done about program counters that are one instruction late.
std::string correction_line(const Report& report) {
  if (!report.sampled_stock || !report.sampled_patched) return {};
  if (!corrected(report))
    return "Samples are not corrected: a program counter names the instruction after the one that was waited "
           "for.\n\n";
  const auto moved = [](const Attribution& sampled) {
    return fmt::format(
        "{} of {} samples changed category, {} were ambiguous ({} of them without a known predecessor)",
        grouped(sampled.moved), grouped(sampled.samples), grouped(sampled.ambiguous),
        grouped(sampled.unknown));
  };
  return fmt::format(
      "An interrupt waits for the oldest unfinished instruction and then names the next one, so each sample "
      "is counted for the instruction that ran before it, where its possible predecessors are of one "
      "category: "
      "in stock {}; in patched {}.\n\n",
      moved(*report.sampled_stock), moved(*report.sampled_patched));
}

std::string generator_section(const Report& report, const Derived& derived) {
  std::string text = "## The generator\n\n";
  if (report.numbers)
    text += fmt::format("{} numbers drawn ({})", grouped(*report.numbers), report.numbers_from);
  else
    text += "Numbers drawn: unknown";
  if (report.numbers_log) text += fmt::format(", {} by the log's counters", grouped(*report.numbers_log));
  if (report.calls)
    text += fmt::format(", in {} calls in stock ({} shower{}, gprof)", grouped(*report.calls),
                        report.gprof_showers, report.gprof_showers == 1 ? "" : "s");
  text += ".\n\n| | stock | patched |\n| --- | --- | --- |\n";
  text += fmt::format("| share of CPU time (95%) | {} | {} |\n",
                      percent_interval(derived.share_stock, derived.share_stock_interval),
                      percent_interval(derived.share_patched, derived.share_patched_interval));
  const auto ns = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f} ns", *value) : std::string("-");
  };
  text += fmt::format("| a number, all included | {} | {} |\n", ns(derived.ns_stock), ns(derived.ns_patched));
  const ProfileCategory* generator = nullptr;
  for (const ProfileCategory& category : report.categories)
    if (category.name == "generator") generator = &category;
  const auto gprof_share = [&](const std::optional<GprofProfile>& profile) {
    return profile && generator != nullptr ? percent(profile->share(*generator)) : std::string("-");
  };
  if (corrected(report))
    text += fmt::format("| the same, uncorrected | {} | {} |\n", percent(derived.share_stock_uncorrected),
                        percent(derived.share_patched_uncorrected));
  text += fmt::format("| share by gprof | {} | {} |\n\n", gprof_share(report.gprof_stock),
                      gprof_share(report.gprof_patched));
  text += fmt::format(
      "{} The gain by Amdahl's law and the fractions above use the sampler's shares. Draws that are inlined "
      "at call sites "
      "are no "
      "routines to gprof. The sampler may see the wait for a number at the caller's instruction that uses "
      "it, and "
      "copies by the C library are not traced to their caller: its share of patched is a lower estimate. The "
      "fraction by CPU times of pairs does not depend on it.\n\n",
      kWhyGprofDiffers);
  text += correction_line(report);
  if (report.gprof_stock && generator != nullptr) {
    text += "| routine (stock, gprof) | calls | own time |\n| --- | ---: | ---: |\n";
    for (const GprofRow& row : report.gprof_stock->rows_of(*generator))
      text += fmt::format("| {} | {} | {:.2f} s |\n", row.name, row.calls ? grouped(*row.calls) : "-",
                          row.self_s);
    text += "\n";
  }
  if (!report.summary.empty()) text += fmt::format("The patched program said: `{}`\n\n", report.summary);
  return text;
}

std::string light_section(const Report& report, const Derived& derived) {
  if (!report.light.with_light) return {};
  std::string text = "## Cherenkov light\n\n";
  const auto count = [](const std::optional<std::uint64_t>& n) { return n ? grouped(*n) : std::string("-"); };
  text += fmt::format("In the patched program: {}. In these runs the stage {}.\n\n",
                      report.light.built.text(), report.light.in_run());
  if (report.light.summary.empty()) return text;
  text += "| | |\n| --- | ---: |\n";
  text += fmt::format("| steps that the stage took | {} |\n", count(report.light.steps));
  text += fmt::format("| steps left to CORSIKA | {} |\n", count(report.light.left_to_corsika));
  text += fmt::format("| bunches of the stage's steps | {} |\n", count(report.light.bunches));
  text += fmt::format("| of these traced to the ground | {} |\n", count(report.light.traced));
  text += fmt::format("| bunches skipped one by one in CORSIKA's own steps | {} |\n",
                      count(report.light.skipped));
  text +=
      fmt::format("| share of real CPU time, stock (without libm) | {} |\n", percent(derived.light_stock));
  text += fmt::format("| share of real CPU time, patched (without libm) | {} |\n\n",
                      percent(derived.light_patched));
  text += "Amdahl's law, above, takes all of libm's time as light's; the larger part of it is.\n\n";
  return text;
}

std::string categories_section(const Report& report) {
  if (!report.sampled_stock) return {};
  std::string text = "## Where the CPU time goes\n\n| category | stock | patched |\n| --- | ---: | ---: |\n";
  for (const ProfileCategory& category : report.categories) {
    const double stock = report.sampled_stock->share(category);
    const double patched = report.sampled_patched ? report.sampled_patched->share(category) : 0;
    if (stock == 0 && patched == 0) continue;
    text += fmt::format("| {}{} | {} | {} |\n", category.title, category.accelerated ? " (accelerated)" : "",
                        percent(stock), report.sampled_patched ? percent(patched) : "-");
  }
  const auto about = [](const char* name, const Attribution& sampled) {
    std::string line =
        fmt::format("{}: {} samples in {} run{}, one every {:.2f} ms of CPU time (asked: {:.2f} ms)", name,
                    grouped(sampled.samples), sampled.runs, sampled.runs == 1 ? "" : "s",
                    sampled.real_interval_ms(), static_cast<double>(sampled.interval_us) / 1000);
    if (sampled.lost > 0) line += fmt::format(", {} lost", grouped(sampled.lost));
    if (sampled.other_threads_ns > 0 && sampled.main_fraction() < 0.9995)
      line += fmt::format("; {:.2f} s in other threads, by their clock",
                          static_cast<double>(sampled.other_threads_ns) * 1e-9);
    if (!sampled.lines) line += "; no line table, so draws inlined at call sites are not seen";
    return line;
  };
  text += fmt::format("\nSampler: libcpu_sampler, a timer on consumed CPU time (no perf needed). {}.",
                      about("Stock", *report.sampled_stock));
  if (report.sampled_patched) text += fmt::format(" {}.", about("Patched", *report.sampled_patched));
  return text + "\n\n";
}

}  // namespace

std::string report_markdown(const Report& report, const Derived& derived) {
  std::string text = fmt::format("# {}: stock against patched\n\n", report.profile);
  text +=
      fmt::format("CORSIKA {} (SHA-256 {}), {} shower{}, flags {}, backend {}, {} pair{} of runs{}, {}.\n\n",
                  report.corsika_version, report.corsika_sha256.empty() ? "-" : report.corsika_sha256,
                  report.showers, report.showers == 1 ? "" : "s", report.flags,
                  report.backend.empty() ? report.backend_asked : report.backend, report.repeats,
                  report.repeats == 1 ? "" : "s",
                  report.core ? fmt::format(" on core {}", *report.core) : std::string(), report.started);
  for (const std::string& line : closing_lines(report, derived)) text += fmt::format("- {}\n", line);
  text += "\n" + identity_section(report);
  if (report.build("patched") != nullptr)
    text += times_section(report, derived) + startup_section(report, derived) + parts_section(derived) +
            generator_section(report, derived) + light_section(report, derived) + categories_section(report);
  text += "## Machine\n\n";
  text += fmt::format("- {}, {} core{} for us, {:.1f} GiB, load {:.2f} before the first run\n- {}, {}\n",
                      report.machine.cpu, report.machine.cores, report.machine.cores == 1 ? "" : "s",
                      report.machine.memory_gib, report.machine.load, report.machine.system,
                      report.machine.kernel);
  if (!report.machine.gpu.empty()) text += fmt::format("- GPU: {}\n", report.machine.gpu);
  if (!report.machine.compilers.empty()) text += fmt::format("- {}\n", report.machine.compilers);
  if (!report.notes.empty()) {
    text += "\n## Notes\n\n";
    for (const std::string& note : report.notes) text += fmt::format("- {}\n", note);
  }
  if (!report.command.empty()) text += fmt::format("\n## Again\n\n```\n{}\n```\n", report.command);
  text += "\n## Card\n\n```\n" + report.card +
          (report.card.empty() || report.card.back() == '\n' ? "" : "\n") + "```\n";
  return text;
}

}  // namespace overlay
