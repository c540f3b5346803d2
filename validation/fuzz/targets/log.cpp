// A run's log and standard error: counters, seeds, summaries, and the comparison of two logs. The input's
// first five bytes are the place and the value of a change; the rest is the log.
#include <algorithm>

#include "fuzz.hpp"
#include "overlay/attribution/attribution.hpp"
#include "overlay/identity/content_digest.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/production/seed_sources.hpp"
#include "overlay/run/program_summary.hpp"

namespace fuzz::log {
namespace {

using namespace overlay;

/// The line that holds a byte.
std::string_view line_at(std::string_view text, std::size_t at) {
  const auto before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

void compare(const std::string& log, std::size_t place, char value) {
  fuzz::require(kind_of(log, "log") != FileKind::log || compare_bytes("log", log, log).equal,
                "a log equals itself");
  if (kind_of(log, "log") != FileKind::log || log.empty()) return;
  std::string other = log;
  char& changed = other[place % log.size()];
  if (changed == value || changed == '\n' || value == '\n') return;
  changed = value;
  if (kind_of(other, "log") != FileKind::log) return;
  const bool in_time_line = is_time_line(line_at(log, place % log.size()));
  const auto result = compare_bytes("log", log, other);
  if (!in_time_line) fuzz::require(!result.equal, "a change outside of time lines is seen", other);
  if (result.equal)
    fuzz::require(content_digest("log", log) == content_digest("log", other), "equal logs have one checksum",
                  other);
  else
    fuzz::require(result.first_difference <= log.size(), "a difference lies within the log", other);
}

}  // namespace

FUZZ_TARGET(log) {
  const std::size_t place = input.number(4);
  const char value = static_cast<char>(input.byte());
  const std::string log = input.rest();
  compare(log, place, value);
  const auto seeds = seeds_of_log(log);
  if (seeds)
    for (const auto& use : seeds->streams)
      fuzz::require(use.end >= use.first, "a sequence ends behind its begin", log);
  log_draws(log);
  for (const char* who : {"ranmar: ", "cherenkov: "})
    if (const auto summary = parse_summary(log, who, "draws")) {
      summary->number("draws");
      fuzz::require(!summary->text("draws").empty() || summary->values.contains("draws"),
                    "a summary has what was asked for");
    }
  for (const auto& row : parse_gprof(log))
    fuzz::require(row.at("share") >= 0 && row["share"] <= 1, "a routine has a share of the profile's time");
}

}  // namespace fuzz::log
