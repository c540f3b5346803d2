// Run folders of a comparison: makes them, runs programs in them, deletes them.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "overlay/card/card_files.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/telescope_pipe.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr const char* kNumberedRuns = ".overlay-runs";

/// Device, inode, time and size of a program's file: what tells it from one that is built in its place.
std::string stamp_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {} {}.{} {}", status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_size);
}

/// Bytes of a folder's files, links not counted.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.symlink_status().type() == fs::file_type::regular) bytes += entry.file_size();
  return bytes;
}

std::string duration(double seconds) {
  const long s = std::lround(seconds);
  return s < 120 ? fmt::format("{} s", s) : fmt::format("{} min {:02d} s", s / 60, s % 60);
}

void write_list(const fs::path& folder, std::ios::openmode how, const std::string& text) {
  std::ofstream out(folder / kNumberedRuns, std::ios::binary | how);
  out << text;
  out.close();
  if (!out)
    throw support::Error(
        fmt::format("cannot write {}: is the disk full? Free some space, or give a folder that you may write "
                    "to with --out DIR",
                    (folder / kNumberedRuns).string()));
}

/// The folder that holds the run folders.
fs::path made_folder(const BuildSet& set) {
  if (const std::string why = outputs_elsewhere(set.card, set.profile.options); !why.empty())
    throw support::Error(why);
  fs::path folder = set.out / "runs" / set.profile.name;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw support::Error(
        fmt::format("cannot make the run folder {} ({}); give a folder that you may write to with --out DIR",
                    folder.string(), error.message()));
  return folder;
}

}  // namespace

fs::path samples_of(const RunResult& run) { return run.errors.parent_path() / "samples"; }

RunFolders::RunFolders(const BuildSet& set, const CompareOptions& options, int planned)
    : set_(set),
      options_(options),
      planned_(planned),
      folder_(made_folder(set)),
      lock_(folder_, [&](const std::string& holder) {
        fmt::print(stderr, "overlay: waiting for {}, which compares in {}\n", holder, folder_.string());
      }) {
  for (const auto& [build, program] : set.programs) stamps_[build] = stamp_of(program.executable);
  delete_listed();
}

void RunFolders::delete_listed() const {
  std::ifstream in(folder_ / kNumberedRuns, std::ios::binary);
  for (std::string name; std::getline(in, name);) {
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos) continue;
    support::remove_folder(folder_ / name);
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder_ / name, error)))  // it stays listed
      throw support::Error(
          fmt::format("cannot delete {} of an older comparison; delete it, or give another --out DIR",
                      (folder_ / name).string()));
  }
  write_list(folder_, std::ios::trunc, "");
}

fs::path RunFolders::claim(const std::string& name) const {
  fs::path path = folder_ / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw support::Error(fmt::format(
        "{} is there already, and no comparison made it; move it away, or give --out DIR", path.string()));
  write_list(folder_, std::ios::app, name + "\n");  // so that it is never there without being listed
  return path;
}

RunResult RunFolders::run(const RunRequest& request) {
  support::check_interrupt();
  const fs::path& program = set_.programs.at(request.build).executable;
  if (stamps_.at(request.build) != stamp_of(program))
    throw support::Error(
        fmt::format("{} was built again while it was being compared; compare again, and let other calls of "
                    "overlay have another --out",
                    program.string()));
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (!error && space.available < largest_bytes_)
    throw support::Error(fmt::format(
        "a run writes {:.1f} MB and {:.1f} MB are free in {}; free some, or give --out DIR elsewhere",
        static_cast<double>(largest_bytes_) / 1e6, static_cast<double>(space.available) / 1e6,
        folder_.string()));
  const fs::path folder = claim(fmt::format("{}-{}", request.build, request.what));
  const std::string card = card_with_telescope_pipe(request.card);
  RunSpec spec;
  spec.label = request.build;
  spec.executable = program;
  spec.folder = prepare_run_dir(set_, request.build, card, folder / "run");
  if (card != request.card) write_telescope_pipe(spec.folder);
  spec.errors = folder / "errors";
  spec.core = options_.core;
  spec.timeout_s = options_.timeout_s > 0 ? options_.timeout_s
                   : slowest_s_ > 0       ? std::max(120.0, 20 * slowest_s_)
                                          : 0;
  spec.check = support::check_interrupt;
  spec.environment = request.environment;
  spec.of_corsika = true;
  if (!request.sampler.empty()) {
    spec.environment["LD_PRELOAD"] = request.sampler.string();
    spec.environment["CPU_SAMPLER_OUT"] = folder / "samples";
  }
  const RunResult result = run_program(spec);
  wait_for_telescope_pipe(spec.folder);
  planned_ = std::max(planned_, ++ended_);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  fmt::print(stderr, "overlay: run {}/{} {} {}: {:.2f} s (CPU {:.2f} s); {} elapsed, about {} left\n", ended_,
             planned_, request.build, request.what, result.wall_s, result.cpu_s(), duration(elapsed),
             duration(elapsed / ended_ * (planned_ - ended_)));
  std::fflush(stderr);
  // A first run has a card of its own.
  if (request.build == "stock" && request.card == set_.card) slowest_s_ = std::max(slowest_s_, result.wall_s);
  largest_bytes_ = std::max(largest_bytes_, bytes_in(result.folder));
  return result;
}

void RunFolders::remove(const RunResult& run) const {
  if (!options_.keep) support::remove_folder(run.folder.parent_path());
}

}  // namespace overlay
