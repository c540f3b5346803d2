// What a run's log and standard error say of draws and of light.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// A line that a part of the patched program prints at its end when RANMAR_SUMMARY or CHERENKOV_SUMMARY is
/// set: `ranmar: key=value key=value ...`
struct Summary {
  std::string line;
  std::map<std::string, std::string> values;

  std::optional<std::uint64_t> number(const std::string& key) const;
  std::string text(const std::string& key) const;
};

/// The last such line in a text that begins with `who` and has the key `needed`; nothing where there is none.
std::optional<Summary> parse_summary(const std::string& text, const std::string& who,
                                     const std::string& needed);
/// The same from the file of a run's standard error; nothing where it cannot be read.
std::optional<Summary> read_summary(const std::filesystem::path& errors, const std::string& who,
                                    const std::string& needed);

/// The other lines that begin with `who` in such a file: what that part of the program had to say. `needed`
/// is a key that its summary has.
std::vector<std::string> read_messages(const std::filesystem::path& errors, const std::string& who,
                                       const std::string& needed);

/// Numbers drawn, by the counters in a log: for each sequence the last CALLS and BILLIONS less the first
/// ones. Nothing where the log has no counters. Events beyond those that the log prints are not in it.
std::optional<std::uint64_t> log_draws(const std::string& text);
/// The same from the log's file; nothing where it cannot be read.
std::optional<std::uint64_t> read_log_draws(const std::filesystem::path& log);

}  // namespace overlay
