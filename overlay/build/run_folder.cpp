// Folders to run a program in: links to data files, and the card. Writes in the new folder, and in folders of
// tables beside it that it made itself. Deletes nothing.
#include <fmt/format.h>

#include "overlay/build/build.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOurs = ".made-by-overlay";

/// A folder of links beside the run folder, since EPOS writes tables that it misses. One of ours that is
/// there stays with all that is in it: runs beside this one may be using it.
void make_beside(const fs::path& beside, const fs::path& source, std::error_code& error) {
  if (fs::exists(fs::symlink_status(beside, error)) &&
      !(fs::is_directory(beside, error) && fs::is_empty(beside, error)) &&
      !fs::is_regular_file(beside / kOurs, error))
    throw support::Error(
        "{} is there and not ours, and cards name tables in a folder of that name; give a run "
        "folder elsewhere",
        beside.string());
  error.clear();
  fs::create_directory(beside, error);
  if (error) return;
  support::write_file(beside / kOurs, "Tables for the runs in the folders beside this one.\n");
  for (const auto& entry : fs::directory_iterator(source)) {
    if (error || !entry.is_regular_file()) continue;
    fs::create_symlink(entry.path(), beside / entry.path().filename(), error);
    if (error == std::errc::file_exists) error.clear();
  }
}

}  // namespace

fs::path prepare_run_dir(const BuildSet& set, const std::string& build, const std::string& card,
                         const fs::path& dest) {
  if (!set.programs.contains(build)) throw support::Error("there is no build '{}' to run", build);
  auto folder = fs::absolute(dest).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  std::error_code error;
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw support::Error("run folder {} is not empty; runs get fresh folders, so delete it or take another",
                         folder.string());
  error.clear();
  fs::create_directories(folder, error);
  for (const auto& [name, source] : set.folders_beside)
    if (!error) make_beside(folder.parent_path() / name, source, error);
  for (const auto& [name, file] : set.data_files)
    if (!error) fs::create_symlink(file, folder / name, error);
  if (error) throw support::Error("cannot make the run folder {} ({})", folder.string(), error.message());
  support::write_file(folder / "card", card);
  return folder;
}

}  // namespace overlay
