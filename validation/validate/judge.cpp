// Reads what batteries and chains print, and judges it.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "check.hpp"

namespace validation {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

bool beyond(double p) { return !(p >= kLeastP && p <= 1. - kLeastP); }

std::string shown(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::string last_line(const std::string& output) {
  std::string last;
  for (const auto& line : split(output, '\n'))
    if (!trimmed(line).empty()) last = trimmed(line);
  std::replace(last.begin(), last.end(), '\t', ' ');
  return last.empty() ? "nothing was printed" : last;
}

Outcome judge_battery(const Check& check, const std::string& output) {
  Outcome outcome;
  outcome.values = p_values(output);
  if (outcome.values.empty()) {
    outcome.said = "no p-value was printed: " + last_line(output);
    return outcome;
  }
  const Value* worst = nullptr;
  int rejected = 0, known = 0;
  for (auto& value : outcome.values) {
    value.known = std::find(check.known_weaknesses.begin(), check.known_weaknesses.end(), value.name) !=
                  check.known_weaknesses.end();
    if (beyond(value.number)) ++(value.known ? known : rejected);
    if (!value.known && (worst == nullptr || std::min(value.number, 1. - value.number) <
                                                 std::min(worst->number, 1. - worst->number)))
      worst = &value;
  }
  const bool control = check.judge == Judge::kRejected;
  outcome.verdict = control == (rejected > 0) ? Verdict::kHolds : Verdict::kFails;
  outcome.said =
      std::to_string(outcome.values.size()) + " p-values, " + std::to_string(rejected) + " beyond the limit";
  if (known > 0) outcome.said += ", " + std::to_string(known) + " of a known weakness";
  if (worst != nullptr)
    outcome.said += "; the most extreme is " + shown(worst->number) + " of " + worst->name;
  return outcome;
}

/// ", the same numbers from NAME, NAME" of ranmar-ising --equal.
std::string equal_sources(const std::string& output) {
  const std::string marker = " gave the same ";
  std::string said;
  for (const auto& line : split(output, '\n')) {
    const auto at = line.find(marker);
    if (!line.starts_with("# ") || at == std::string::npos) continue;
    said += (said.empty() ? "; the same numbers from " : ", ") + line.substr(2, at - 2);
  }
  return said;
}

Outcome judge_ising(const Check& check, const std::string& output) {
  Outcome outcome;
  outcome.values = deviations(output);
  if (outcome.values.size() != 2) {
    outcome.said = "no result was printed: " + last_line(output);
    return outcome;
  }
  const double energy = outcome.values[0].number, heat = outcome.values[1].number;
  const double most = std::max(std::fabs(energy), std::fabs(heat));
  const bool holds = check.judge == Judge::kIsing ? most <= kMostSigmas : most > kCaughtSigmas;
  outcome.verdict = holds ? Verdict::kHolds : Verdict::kFails;
  outcome.said = "energy off by " + shown(energy) + ", specific heat by " + shown(heat) + " standard errors" +
                 equal_sources(output);
  return outcome;
}

/// A row of PractRand: name, "R=" and its value, "p" and its value, evaluation. The value is a number, or 1
/// less a number ("1-3.2e-4").
bool read_practrand(const std::string& line, Value& value) {
  const auto raw = line.find(" R="), p = line.find(" p", raw == std::string::npos ? 0 : raw);
  if (raw == std::string::npos || p == std::string::npos) return false;
  const auto equals = line.find('=', p);
  if (equals == std::string::npos || equals > p + 3) return false;
  const char* begin = line.c_str() + equals + 1;
  char* end = nullptr;
  value.number = std::strtod(begin, &end);
  if (end == begin) return false;
  if (*end == '-') value.number -= std::strtod(end + 1, &end);
  value.name = trimmed(line.substr(0, raw));
  return true;
}

}  // namespace

std::vector<Value> p_values(const std::string& output) {
  std::vector<Value> values;
  for (const auto& line : split(output, '\n')) {
    // dieharder: test|ntup|tsamples|psamples|p-value|Assessment; ranmar-testu01 and nist: battery, test,
    // name, p by tabs.
    const auto bars = split(line, '|'), tabs = split(line, '\t');
    if (bars.size() == 6 && is_number(trimmed(bars[4])))
      values.push_back(
          {trimmed(bars[0]) + " " + trimmed(bars[1]), std::strtod(trimmed(bars[4]).c_str(), nullptr)});
    else if (tabs.size() == 4 && is_number(tabs[3]))
      values.push_back({tabs[2], std::strtod(tabs[3].c_str(), nullptr)});
    else if (Value value; read_practrand(line, value))
      values.push_back(std::move(value));
  }
  return values;
}

std::vector<Value> deviations(const std::string& output) {
  for (const auto& line : split(output, '\n')) {
    const auto tabs = split(line, '\t');
    if (tabs.size() == 13 && is_number(tabs[11]) && is_number(tabs[12]))
      return {{"energy", std::strtod(tabs[11].c_str(), nullptr)},
              {"specific heat", std::strtod(tabs[12].c_str(), nullptr)}};
  }
  return {};
}

Outcome judge(const Check& check, int status, bool timed_out, const std::string& output) {
  constexpr int kSkipped = 77;
  if (timed_out) return {Verdict::kFails, "not done after " + std::to_string(check.timeout_s) + " s", {}};
  if (status == kSkipped) {
    const std::string marker = "SKIPPED: ";
    const auto said = last_line(output);
    return {Verdict::kSkipped, said.starts_with(marker) ? said.substr(marker.size()) : said, {}};
  }
  if (status != 0)
    return {Verdict::kFails, "exit status " + std::to_string(status) + ": " + last_line(output), {}};
  switch (check.judge) {
    case Judge::kAccepted:
    case Judge::kRejected:
      return judge_battery(check, output);
    case Judge::kIsing:
    case Judge::kIsingCaught:
      return judge_ising(check, output);
    default:
      return {Verdict::kHolds, last_line(output), {}};
  }
}

}  // namespace validation
