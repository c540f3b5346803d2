#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace comparison {

/// The line that the patched program prints at its end when RANMAR_SUMMARY is set: `ranmar: key=value
/// key=value ...`
struct RngSummary {
  std::string line;
  std::map<std::string, std::string> values;

  std::optional<std::uint64_t> number(const std::string& key) const;
  std::string text(const std::string& key) const;
};

/// The last such line in a text that has `draws`; nothing where there is none.
std::optional<RngSummary> parse_rng_summary(const std::string& text);
std::optional<RngSummary> read_rng_summary(const std::filesystem::path& errors);

/// Numbers drawn, by the counters in a log: for each sequence the last CALLS and BILLIONS less the first
/// ones. Nothing where the log has no counters. Events beyond those that the log prints are not in it.
std::optional<std::uint64_t> log_draws(const std::string& text);
std::optional<std::uint64_t> read_log_draws(const std::filesystem::path& log);

}  // namespace comparison
