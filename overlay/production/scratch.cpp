// Run folders on a node's scratch disk: see the header.
#include "overlay/production/scratch.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "overlay/production/exit_codes.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

void must(const std::error_code& error, const fs::path& where) {
  if (!error) return;
  const bool full = error == std::errc::no_space_on_device || error.value() == EDQUOT;
  throw WorkerError(
      full ? WorkerExit::disk_full : WorkerExit::try_again,
      fmt::format("cannot make the run folder {} ({}); give --scratch DIR elsewhere, or free some space",
                  where.string(), error.message()));
}

/// Links to all files of a folder but those that no run reads.
void link_files(const fs::path& from, const fs::path& to, const std::string& program) {
  std::error_code error;
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool library = name.starts_with("lib") && name.find(".so") != std::string::npos;
    if (!it->is_regular_file() || name == program || name == "example.card" || library) continue;
    fs::create_symlink(it->path(), to / name, error);
  }
  must(error, to);
}

}  // namespace

fs::path scratch_folder(const fs::path& asked) {
  std::error_code error;
  if (!asked.empty()) {
    if (!fs::is_directory(asked, error))
      throw WorkerError(WorkerExit::try_again,
                        fmt::format("--scratch cannot be {}; give a folder", asked.string()));
    return fs::canonical(asked);
  }
  for (const char* name : {"_CONDOR_SCRATCH_DIR", "SLURM_TMPDIR", "TMPDIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0' && fs::is_directory(value, error)) return fs::canonical(value);
  }
  return "/tmp";
}

fs::path make_run_folder(const fs::path& production, const std::string& program, const std::string& card,
                         const fs::path& parent) {
  const fs::path executable = fs::absolute(production / program).lexically_normal();
  const fs::path tables = executable.parent_path(), run = parent / "run";
  std::error_code error;
  fs::create_directory(run, error);
  must(error, run);
  link_files(tables, run, executable.filename().string());
  // What lies beside the tables are folders of more tables, which EPOS adds to.
  for (fs::directory_iterator it(tables.parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    if (!it->is_directory() || it->path() == tables) continue;
    const fs::path beside = parent / it->path().filename();
    fs::create_directory(beside, error);
    must(error, beside);
    link_files(it->path(), beside, "");
  }
  must(error, run);
  std::ofstream out(run / "card", std::ios::binary);
  out << card;
  out.close();
  if (!out) must(std::make_error_code(std::errc::no_space_on_device), run);
  return run;
}

}  // namespace overlay
