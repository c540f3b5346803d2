// Writes a report into a new folder, which then takes the report's name in one step: a reader sees the old
// report or the new one, never a mixture. Deletes only files of the names that a report has, and empty
// folders.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "overlay/report/report.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// The last one is of reports of an older overlay.
constexpr std::array<const char*, 4> kFiles{"report.json", "report.html", "report.md", ".overlay-report"};

/// Absolute, links followed, without a trailing slash.
fs::path settled(const fs::path& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), error);
  if (error || path.empty()) path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// Throws Error where something is in the way that no report wrote.
void refuse_foreign(const fs::path& folder) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type == fs::file_type::not_found) return;
  if (type != fs::file_type::directory)
    throw support::Error(
        fmt::format("{} is not a folder, so no report can be written there; give another with --report DIR",
                    folder.string()));
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code unreadable;
    if (it->symlink_status(unreadable).type() != fs::file_type::regular ||
        std::find(kFiles.begin(), kFiles.end(), name) == kFiles.end())
      throw support::Error(
          fmt::format("{} holds {}, which no report wrote, so it is not replaced; give another folder with "
                      "--report DIR",
                      folder.string(), name));
  }
  if (error)
    throw support::Error(fmt::format("the folder {} cannot be read ({}); give another with --report DIR",
                                     folder.string(), error.message()));
}

/// A new folder in `parent`, which is made where it is missing.
fs::path new_folder(const fs::path& parent, const std::string& start) {
  std::error_code error;
  fs::create_directories(parent, error);
  const fs::path path = parent / (start + support::random_name());
  if (error || !fs::create_directory(path, error))
    throw support::Error(
        fmt::format("cannot make a folder in {} ({}); give a folder that you may write to with --report DIR",
                    parent.string(), error.message()));
  return path;
}

fs::path write_draft(const fs::path& parent, const std::string& start, const Report& report) {
  const fs::path draft = new_folder(parent, start);
  try {
    const Derived derived = derive(report);
    const Page page = report_page(report, derived);
    support::write_file(draft / "report.json", report_json(report, derived));
    support::write_file(draft / "report.html", page_html(page));
    support::write_file(draft / "report.md", page_markdown(page));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(draft, ignored);
    throw;
  }
  return draft;
}

/// Deletes a report. Returns why its folder is still there; empty where it is not.
std::string delete_report(const fs::path& folder) {
  std::error_code error;
  for (const char* name : kFiles) fs::remove(folder / name, error);
  error.clear();
  fs::remove(folder, error);  // which deletes no folder that still holds something
  return error ? fmt::format("the older report's folder {} was not deleted: {}", folder.string(),
                             error.message())
               : std::string();
}

/// Gives the draft the report's name. Returns what was not deleted.
std::string publish(const fs::path& draft, const fs::path& folder) {
  const auto rename_to_folder = [&](unsigned flags) {
    return renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, folder.c_str(), flags) == 0;
  };
  if (rename_to_folder(0)) return {};  // it was absent or empty
  refuse_foreign(folder);
  if (rename_to_folder(RENAME_EXCHANGE)) return delete_report(draft);  // which now holds the older report
  // Not every file system can exchange two folders.
  const std::string left = errno == EINVAL || errno == ENOSYS ? delete_report(folder) : std::strerror(errno);
  if (!left.empty()) throw support::Error(left);
  if (!rename_to_folder(0)) throw support::Error(std::strerror(errno));
  return {};
}

}  // namespace

void check_report_folder(const fs::path& given) {
  const fs::path folder = settled(given);
  refuse_foreign(folder);
  fs::path above = folder.parent_path();
  std::error_code error;
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  fs::remove(new_folder(above, ".overlay-trial-"), error);
}

std::vector<std::string> write_report(const Report& report, const fs::path& given) {
  const fs::path folder = settled(given);
  fs::path draft;
  const auto fail = [&](const std::string& why, const std::string& where) -> support::Error {
    return support::Error(
        fmt::format("the report could not be put at {}: {}; it is {}", folder.string(), why, where));
  };
  try {
    draft = write_draft(folder.parent_path(), "." + folder.filename().string() + ".new-", report);
    const std::string left = publish(draft, folder);
    return left.empty() ? std::vector<std::string>{} : std::vector<std::string>{left};
  } catch (const std::exception& problem) {
    // A report stands for hours of runs: it is kept somewhere.
    if (!draft.empty()) throw fail(problem.what(), "in " + draft.string());
    try {
      std::error_code none;
      draft = write_draft(fs::temp_directory_path(none), "report-", report);
    } catch (const std::exception&) {
      fmt::print("{}", page_markdown(report_page(report, derive(report))));
      throw fail(problem.what(), "on standard output");
    }
    throw fail(problem.what(), "in " + draft.string());
  }
}

}  // namespace overlay
