#include "overlay/attribution/gprof_profile.hpp"

#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

double GprofProfile::total_s() const {
  double total = 0;
  for (const GprofRow& row : rows) total += row.self_s;
  return total;
}

double GprofProfile::share(const Stage& stage) const {
  double part = 0;
  for (const GprofRow& row : rows)
    if (stage.holds_symbol(row.name)) part += row.self_s;
  const double total = total_s();
  return total > 0 ? part / total : 0.0;
}

std::uint64_t GprofProfile::draw_calls(const Stage& stage) const {
  std::uint64_t calls = 0;
  for (const GprofRow& row : rows_of(stage)) {
    std::string plain = row.name;
    if (!plain.empty() && plain.back() == '_') plain.pop_back();
    if (stage.not_draws.count(plain) == 0) calls += row.calls.value_or(0);
  }
  return calls;
}

std::vector<GprofRow> GprofProfile::rows_of(const Stage& stage) const {
  std::vector<GprofRow> result;
  for (const GprofRow& row : rows)
    if (stage.holds_symbol(row.name)) result.push_back(row);
  return result;
}

GprofProfile parse_gprof(const std::string& text) {
  // share, cumulative s, self s, [calls, self per call, total per call,] name
  static const std::regex shape(
      R"(^\s*(\S+)\s+([\d.]+)\s+([\d.]+)\s+(?:(\d+)\s+(?:[\d.]+\s+[\d.]+\s+)?)?(\S.*)$)");
  GprofProfile profile;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    std::smatch match;
    if (!std::regex_match(line, match, shape)) continue;
    GprofRow row;
    row.self_s = std::stod(match[3]);
    if (match[4].matched) row.calls = std::stoull(match[4]);
    row.name = match[5];
    profile.rows.push_back(row);
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
