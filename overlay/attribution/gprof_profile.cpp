// Runs gprof and reads what it prints.
#include "overlay/attribution/gprof_profile.hpp"

#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "overlay/attribution/elf_symbols.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

double GprofProfile::total_s() const {
  double total = 0;
  for (const GprofRow& row : rows) total += row.self_s;
  return total;
}

double GprofProfile::share(const ProfileCategory& category) const {
  double part = 0;
  for (const GprofRow& row : rows)
    if (category.holds_symbol(row.name)) part += row.self_s;
  const double total = total_s();
  return total > 0 ? part / total : 0.0;
}

std::uint64_t GprofProfile::draw_calls(const ProfileCategory& category) const {
  std::uint64_t calls = 0;
  for (const GprofRow& row : rows)
    if (category.holds_symbol(row.name) && category.not_draws.count(plain_name(row.name)) == 0)
      calls += row.calls.value_or(0);
  return calls;
}

GprofProfile parse_gprof(const std::string& text) {
  // A row: share, cumulative s, self s, [calls, [self per call, total per call,]] name.
  static const std::regex form(
      R"(\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+(?:(\d+)\s+(?:[\d.]+\s+[\d.]+\s+)?)?(\S.*))");
  GprofProfile profile;
  std::istringstream in(text);
  std::smatch row;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, row, form)) {
      profile.rows.push_back({row[3], std::stod(row[1]), {}});
      if (row[2].matched) profile.rows.back().calls = std::stoull(row[2]);
    }
  return profile;
}

GprofProfile read_gprof(const std::filesystem::path& program, const std::filesystem::path& gmon) {
  if (!std::filesystem::exists(gmon))
    throw support::Error(fmt::format("{} left no gmon.out: was it compiled and linked with -pg?",
                                     program.filename().string()));
  const auto output = support::run_tool({"gprof", "-b", "-p", program.string(), gmon.string()});
  if (output.status == 127)
    throw support::Error("gprof is not installed; install binutils, or use --no-gprof");
  GprofProfile profile = parse_gprof(output.output);
  if (output.status != 0 || profile.rows.empty())
    throw support::Error(fmt::format("gprof cannot read {} of {}", gmon.string(), program.string()));
  return profile;
}

}  // namespace overlay
