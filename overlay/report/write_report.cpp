// Writes a report's three files, each whole or not at all. Replaces nothing but files of their names.
#include <fmt/format.h>

#include <map>

#include "overlay/report/report.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// The report's texts by the names of their files.
std::map<std::string, std::string> texts_of(const Json& report) {
  const Page page = report_page(report);
  // Cards, paths and logs may hold any bytes; those that are no UTF-8 become U+FFFD.
  return {{"report.json", report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"},
          {"report.html", page_html(page)},
          {"report.md", page_markdown(page)}};
}

/// Throws Error where something is in the way that no report wrote.
void refuse_foreign(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return;
  if (!fs::is_directory(folder, error))
    throw support::Error(
        fmt::format("{} is not a folder, so no report can be written there; give another with --report DIR",
                    folder.string()));
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    // Also what a call that was killed left.
    const bool ours = name.starts_with("report.") || name.starts_with(".overlay-");
    if (!ours || !fs::is_regular_file(it->symlink_status()))
      throw support::Error(fmt::format(
          "{} holds {}, which no report wrote, so it is not used; give another folder with --report DIR",
          folder.string(), name));
  }
}

void write_to(const fs::path& folder, const std::map<std::string, std::string>& texts) {
  fs::create_directories(folder);
  for (const auto& [name, text] : texts) support::write_file(folder / name, text);
}

}  // namespace

void check_report_folder(const fs::path& folder) {
  refuse_foreign(folder);
  try {
    const support::NewFolders made(folder);
    const fs::path trial = folder / (".overlay-trial-" + support::random_name());
    support::write_file(trial, "");
    support::delete_file(trial);
  } catch (const support::Error& problem) {
    throw support::Error(
        fmt::format("{}; give a folder that you may write to with --report DIR", problem.what()));
  }
}

void write_report(const Json& report, const fs::path& folder) {
  const auto texts = texts_of(report);
  std::string problem, where = "on standard output";
  try {
    refuse_foreign(folder);
    return write_to(folder, texts);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  try {  // a report stands for hours of runs: it is kept somewhere
    std::error_code none;
    const fs::path kept = fs::temp_directory_path(none) / ("report-" + support::random_name());
    write_to(kept, texts);
    where = "in " + kept.string();
  } catch (const std::exception&) {
    fmt::print("{}", texts.at("report.md"));
  }
  throw support::Error(
      fmt::format("the report could not be put at {}: {}; it is {}", folder.string(), problem, where));
}

}  // namespace overlay
