// Report folders: see the header. Deletes only files that a report's own list names, and empty folders.
#include "overlay/report/report_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <string_view>
#include <system_error>

#include "support/error.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// What reports held before they had a list.
constexpr std::array<std::string_view, 4> kFilesWithoutList{"report.json", "report.md", "stages.png",
                                                            "times.png"};
constexpr std::string_view kListHead = "Files of a report that overlay wrote and may replace:";

/// Absolute, links followed, without a trailing slash.
fs::path settled(const fs::path& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(folder, error), error);
  if (error || path.empty()) path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path;
}

/// Names of the files that a report in `folder` wrote: its list and what the list names.
std::vector<std::string> listed_files(const fs::path& folder) {
  std::vector<std::string> names;
  std::ifstream in(folder / ReportFolder::kReportList, std::ios::binary);
  std::string line;
  if (std::getline(in, line) && line == kListHead) {
    names.emplace_back(ReportFolder::kReportList);
    while (std::getline(in, line))
      if (!line.empty() && line.find('/') == std::string::npos) names.push_back(line);
  } else {
    names.assign(kFilesWithoutList.begin(), kFilesWithoutList.end());
  }
  return names;
}

/// Something in `folder` that no report wrote; empty where there is nothing such.
std::string foreign_entry(const fs::path& folder) {
  std::error_code error;
  const std::vector<std::string> ours = listed_files(folder);
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code unreadable;
    const bool plain = it->symlink_status(unreadable).type() == fs::file_type::regular;
    if (!plain || std::find(ours.begin(), ours.end(), name) == ours.end()) return name;
  }
  if (error)
    throw support::Error(fmt::format("the folder {} cannot be read ({}); give another with --report DIR",
                                     folder.string(), error.message()));
  return {};
}

void refuse_foreign(const fs::path& folder) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type == fs::file_type::not_found) return;
  if (type != fs::file_type::directory)
    throw support::Error(
        fmt::format("{} is not a folder, so no report can be written there; give another with --report DIR",
                    folder.string()));
  const std::string foreign = foreign_entry(folder);
  if (!foreign.empty())
    throw support::Error(
        fmt::format("{} holds {}, which no report wrote, so it is not replaced; give another folder with "
                    "--report DIR",
                    folder.string(), foreign));
}

/// A new folder in `parent` with a name that nothing else has.
fs::path new_folder(const fs::path& parent, const std::string& start) {
  std::random_device random;
  std::error_code error;
  for (int attempt = 0; attempt < 100; ++attempt) {
    fs::path path = parent / fmt::format("{}{:08x}", start, random());
    if (fs::create_directory(path, error)) return path;
    if (error) break;
  }
  throw support::Error(
      fmt::format("cannot make a folder in {} ({}); give a folder that you may write to with --report DIR",
                  parent.string(), error.message()));
}

/// Deletes the files of a report and its folder. Returns why the folder is still there; empty where it is
/// not.
std::string delete_report(const fs::path& folder) {
  std::error_code error;
  for (const std::string& name : listed_files(folder))
    if (name != ReportFolder::kReportList) fs::remove(folder / name, error);
  fs::remove(folder / ReportFolder::kReportList, error);
  error.clear();
  fs::remove(folder, error);  // which deletes no folder that still holds something
  return error ? fmt::format("the older report's folder {} was not deleted: {}", folder.string(),
                             error.message())
               : std::string();
}

int rename_with(const fs::path& from, const fs::path& to, unsigned flags) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

}  // namespace

void check_report_folder(const fs::path& folder) {
  const fs::path path = settled(folder);
  refuse_foreign(path);
  fs::path above = path.parent_path();
  std::error_code error;
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  const fs::path trial = new_folder(above, ".overlay-trial-");
  fs::remove(trial, error);
}

ReportFolder::ReportFolder(const fs::path& folder) : folder_(settled(folder)) {
  refuse_foreign(folder_);
  std::error_code error;
  fs::create_directories(folder_.parent_path(), error);
  if (error)
    throw support::Error(
        fmt::format("cannot make {} ({}); give a folder that you may write to with --report DIR",
                    folder_.parent_path().string(), error.message()));
  draft_ = new_folder(folder_.parent_path(), "." + folder_.filename().string() + ".new-");
}

ReportFolder::~ReportFolder() {
  if (keep_) return;
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
}

void ReportFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream out(draft_ / name, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw support::Error(fmt::format("cannot write {}: {}", (draft_ / name).string(), std::strerror(errno)));
}

std::vector<std::string> ReportFolder::publish() {
  std::string list = std::string(kListHead) + "\n";
  for (const auto& entry : fs::directory_iterator(draft_)) list += entry.path().filename().string() + "\n";
  write(kReportList, list);
  keep_ = true;  // from here on the report is whole, and worth more than a tidy folder
  const auto fail = [&](const std::string& why) {
    throw KeptReport(fmt::format("the report could not be put at {} ({}); it is whole in {}",
                                 folder_.string(), why, draft_.string()));
  };
  int error = rename_with(draft_, folder_, RENAME_NOREPLACE);
  if (error == 0) return {};
  if (error == EINVAL ||
      error == ENOSYS) {  // a file system that cannot; rename() replaces an empty folder at most
    std::error_code code;
    if (fs::exists(folder_, code)) {
      refuse_foreign(folder_);
      if (const std::string left = delete_report(folder_); !left.empty()) fail(left);
    }
    fs::rename(draft_, folder_, code);
    if (code) fail(code.message());
    return {};
  }
  if (error != EEXIST) fail(std::strerror(error));
  error = rename_with(draft_, folder_, RENAME_EXCHANGE);
  if (error != 0) fail(std::strerror(error));
  // What had the name lies at draft_ now. Somebody may have put a file there since it was checked.
  std::string foreign;
  try {
    foreign = foreign_entry(draft_);
  } catch (const support::Error& problem) {
    foreign = problem.what();
  }
  if (!foreign.empty()) {
    rename_with(draft_, folder_, RENAME_EXCHANGE);
    fail(fmt::format("it holds {}, which no report wrote", foreign));
  }
  const std::string left = delete_report(draft_);
  return left.empty() ? std::vector<std::string>() : std::vector<std::string>{left};
}

}  // namespace overlay
