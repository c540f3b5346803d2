// Run folders of a comparison: makes them, runs programs in them, deletes them.
#include "overlay/compare/run_folders.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>

#include "overlay/card/card_files.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/telescope_pipe.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr const char* kNumberedRuns = ".overlay-runs";

/// Another process holds the folder.
struct Taken {};

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
        fmt::format("cannot write {}: is the disk full? Free some space, or give a folder that you "
                    "may write to with --out DIR",
                    (folder / kNumberedRuns).string()));
}

}  // namespace

fs::path samples_of(const RunResult& run) { return run.folder.string() + ".samples"; }

RunFolders::RunFolders(const BuildSet& set, const CompareOptions& options, std::function<void()> check,
                       int planned)
    : set_(set), options_(options), check_(std::move(check)), planned_(planned) {
  if (const std::string why = outputs_elsewhere(set.card, set.profile.options); !why.empty())
    throw support::Error(why);
  for (const auto& [build, program] : set.programs) stamps_[build] = stamp_of(program.executable);
  take_folder();
  delete_listed();
}

void RunFolders::take_folder() {
  const fs::path first = set_.out / "runs" / set_.profile.name;
  for (int number = 1; number <= 1000; ++number) {
    folder_ = number == 1 ? first : fs::path(fmt::format("{}-{}", first.string(), number));
    std::error_code error;
    if (!fs::exists(folder_ / kNumberedRuns, error) && fs::exists(folder_, error) && !fs::is_empty(folder_, error))
      continue;  // no comparison made it
    fs::create_directories(folder_, error);
    if (error)
      throw support::Error(
          fmt::format("cannot make the run folder {} ({}); give a folder that you may write to with "
                      "--out DIR",
                      folder_.string(), error.message()));
    try {
      lock_ = std::make_unique<support::FolderLock>(folder_, [](const std::string&) { throw Taken(); });
      return;
    } catch (const Taken&) {
    }
  }
  throw support::Error(
      fmt::format("{} and 999 folders beside it are in use; delete some of them", first.string()));
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

/// Room on the disk, and for tables beside the run folders, which are made anew for every run: EPOS adds to
/// them, and runs are to find the same.
void RunFolders::make_room() {
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (!error && space.available < largest_bytes_)
    throw support::Error(fmt::format(
        "a run writes {:.1f} MB and {:.1f} MB are free in {}; free some, or give --out DIR elsewhere",
        static_cast<double>(largest_bytes_) / 1e6, static_cast<double>(space.available) / 1e6,
        folder_.string()));
  for (const auto& [name, source] : set_.folders_beside) {
    if (!tables_.contains(name)) claim(name);  // refused again at every run, where the folder is not ours
    tables_.insert(name);
    support::remove_folder(folder_ / name);
  }
}

double RunFolders::limit_s() const {
  if (options_.timeout_s > 0) return options_.timeout_s;
  return slowest_s_ > 0 ? std::max(120.0, 20 * slowest_s_) : 0;
}

RunResult RunFolders::run(const RunRequest& request) {
  if (check_) check_();
  const fs::path& program = set_.programs.at(request.build).executable;
  if (stamps_.at(request.build) != stamp_of(program))
    throw support::Error(
        fmt::format("{} was built again while it was being compared; compare again, and let other calls of "
                    "overlay have another --out",
                    program.string()));
  const std::string name = fmt::format("{}-{}", request.build, request.what);
  make_room();
  for (const char* ending : {"", ".err", ".samples"}) claim(name + ending);
  const std::string card = card_with_telescope_pipe(request.card);
  RunSpec spec;
  spec.label = request.build;
  spec.executable = program;
  spec.folder = prepare_run_dir(set_, request.build, card, folder_ / name);
  if (card != request.card) write_telescope_pipe(spec.folder);
  spec.errors = folder_ / (name + ".err");
  spec.core = options_.core;
  spec.timeout_s = limit_s();
  spec.check = check_;
  spec.environment = request.environment;
  spec.environment.insert(kLinesAtOnce);
  spec.first_shower = first_shower_marks();
  spec.end = kEndOfRun;
  if (!request.sampler.empty()) {
    spec.environment["LD_PRELOAD"] = request.sampler.string();
    spec.environment["CPU_SAMPLER_OUT"] = folder_ / (name + ".samples");
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
  if (options_.keep) return;
  std::error_code ignored;
  support::remove_folder(run.folder);
  fs::remove(run.errors, ignored);
  fs::remove(samples_of(run), ignored);
}

}  // namespace overlay
