// Drives coconut by coconut.pl, and checks what was selected. Writes in the tree that it configures, and the
// log.
#include "overlay/build/coconut.hpp"

#include <algorithm>
#include <sstream>

#include "overlay/build/workplace.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

support::Command command_of(const char* work, const fs::path& tree, const std::vector<std::string>& options) {
  support::Command command{{"perl", (source_root() / "overlay" / "build" / "coconut.pl").string(), work},
                           tree};
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  command.environment["PERL_UNICODE"] = "";
  return command;
}

/// The rest of the last line that holds `what`, without blanks; empty where there is none.
std::string after(const std::string& text, const std::string& what) {
  const auto at = text.rfind(what);
  if (at == std::string::npos) return "";
  const auto begin = text.find_first_not_of(' ', at + what.size());
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

/// Why coconut or configure failed; empty where they did not.
std::string failure_in(const support::CommandResult& result, int timeout_s) {
  if (result.timed_out) return fmt::format("coconut did not end within {} s", timeout_s);
  if (auto why = after(result.output, "\001refused:"); !why.empty()) return why;
  const auto status = after(result.output, "\001configured:");
  if (status.empty()) return "coconut ended without configuring";
  if (status == "0") return {};
  for (const std::string sign : {"Missing required packages", "configure: error"})
    if (result.output.find(sign) != std::string::npos)
      return "CORSIKA's configure failed: " + sign + after(result.output, sign);
  return "CORSIKA's configure failed: see its last lines";
}

}  // namespace

std::vector<std::string> unknown_options(const fs::path& tree, const std::vector<std::string>& options) {
  const auto result = support::run(command_of("unknown", tree, options));
  if (result.status != 0)
    throw support::Error("cannot read the menus of {}: {}", (tree / "coconut").string(),
                         after(result.output, "\001refused:"));
  std::istringstream lines(result.output);
  std::vector<std::string> unknown;
  for (std::string line; std::getline(lines, line);) unknown.push_back(line);
  return unknown;
}

std::vector<std::string> selected_options(const fs::path& tree) {
  std::istringstream lines(support::read_file(tree / "include" / "config.h"));
  std::vector<std::string> selected;
  const std::string key = "#define __CACHE_";
  for (std::string line; std::getline(lines, line);) {
    const auto end = line.find("__", key.size());
    if (line.starts_with(key) && end != std::string::npos && end > key.size())
      selected.push_back(line.substr(key.size(), end - key.size()));
  }
  return selected;
}

void configure_with_coconut(const Configuration& c) {
  support::delete_file(c.tree / "include" / "config.h");
  support::delete_file(c.log);
  auto command = command_of("configure", c.tree, c.options);
  command.environment.insert(c.environment.begin(), c.environment.end());
  command.timeout = std::chrono::seconds(c.timeout_s);
  const auto result = support::run(command);
  support::write_file(c.log, result.output);
  auto why = failure_in(result, c.timeout_s);
  if (why.empty()) {
    const auto selected = selected_options(c.tree);
    const auto header = support::read_file(c.tree / "include" / "config.h");
    for (const auto& name : c.options)
      if (std::find(selected.begin(), selected.end(), name) == selected.end() &&
          header.find("__CACHE_" + name + "__") != std::string::npos)
        why += (why.empty() ? "coconut did not select " : ", ") + name;
    if (!why.empty()) why += ", which the profile asks for";
  }
  if (!why.empty()) throw support::Error("{} (log: {})", why, c.log.string());
}

}  // namespace overlay
