// Runs gprof and reads what it prints.
#include "overlay/attribution/gprof_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <system_error>

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
  for (const GprofRow& row : rows_of(category)) {
    std::string plain = row.name;
    if (!plain.empty() && plain.back() == '_') plain.pop_back();
    if (category.not_draws.count(plain) == 0) calls += row.calls.value_or(0);
  }
  return calls;
}

std::vector<GprofRow> GprofProfile::rows_of(const ProfileCategory& category) const {
  std::vector<GprofRow> result;
  for (const GprofRow& row : rows)
    if (category.holds_symbol(row.name)) result.push_back(row);
  return result;
}

namespace {

/// The line's next word; empty at its end. `rest` moves behind it and the blanks that follow.
std::string_view next_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t", end), rest.size()));
  return word;
}

template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// A row of the flat profile: share, cumulative s, self s, [calls, [self per call, total per call,]] name.
std::optional<GprofRow> row_in(std::string_view line) {
  for (int column = 0; column < 2; ++column)
    if (!number_in<double>(next_word(line))) return std::nullopt;
  const std::optional<double> self = number_in<double>(next_word(line));
  if (!self) return std::nullopt;
  GprofRow row;
  row.self_s = *self;
  std::string_view rest = line;
  row.calls = number_in<std::uint64_t>(next_word(rest));
  if (row.calls && !rest.empty()) {
    line = rest;
    if (number_in<double>(next_word(rest)) && number_in<double>(next_word(rest)) && !rest.empty())
      line = rest;
  } else {
    row.calls.reset();  // a name, even if it is a number
  }
  if (line.empty()) return std::nullopt;
  row.name = line;
  return row;
}

}  // namespace

GprofProfile parse_gprof(const std::string& text) {
  GprofProfile profile;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line))
    if (std::optional<GprofRow> row = row_in(line)) profile.rows.push_back(std::move(*row));
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
