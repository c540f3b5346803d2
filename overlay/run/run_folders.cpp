// Run folders of a comparison: makes them, runs programs in them, deletes them. Touches nothing but what it
// made itself under `BuildSet::out`/runs.
#include "overlay/run/run_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>

#include "overlay/build/models.hpp"
#include "overlay/card/output_places.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/telescope_pipe.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// Another process holds the folder.
struct Taken {};

/// Bytes of a folder's files, links not counted.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    if (it->symlink_status(unreadable).type() != fs::file_type::regular) continue;
    const std::uintmax_t size = it->file_size(unreadable);
    if (!unreadable) bytes += size;
  }
  return bytes;
}

/// Whether comparisons may use a folder: it is absent, empty, or has their list.
bool is_ours(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / RunFolders::kRunList, error) || !fs::exists(folder, error) ||
         fs::is_empty(folder, error);
}

std::string duration(double seconds) {
  const long s = std::lround(seconds);
  return s < 120 ? fmt::format("{} s", s) : fmt::format("{} min {:02d} s", s / 60, s % 60);
}

std::string megabytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

RunFolders::RunFolders(const BuildSet& set, RunSettings settings)
    : set_(set), settings_(std::move(settings)), start_(std::chrono::steady_clock::now()) {
  if (const std::string why = outputs_elsewhere(set.card, set.profile.options); !why.empty())
    throw support::Error(why);
  take_folder();
  delete_listed();
}

void RunFolders::take_folder() {
  const fs::path first = set_.out / "runs" / set_.profile.name;
  for (int number = 1; number <= 1000; ++number) {
    folder_ = number == 1 ? first : fs::path(fmt::format("{}-{}", first.string(), number));
    if (!is_ours(folder_)) continue;
    std::error_code error;
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
  std::vector<std::string> names;
  {
    std::ifstream in(folder_ / kRunList, std::ios::binary);
    for (std::string name; std::getline(in, name);) names.push_back(name);
  }
  for (const std::string& name : names) {
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos) continue;
    support::remove_folder(folder_ / name);
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder_ / name, error)))  // it stays listed
      throw support::Error(
          fmt::format("cannot delete {} of an older comparison; delete it, or give another --out DIR",
                      (folder_ / name).string()));
  }
  std::ofstream out(folder_ / kRunList, std::ios::binary | std::ios::trunc);
  out.close();
  if (!out)
    throw support::Error(fmt::format("cannot write {}; give a folder that you may write to with --out DIR",
                                     (folder_ / kRunList).string()));
}

/// Called before the thing of that name is made, so that it is never there without being listed.
void RunFolders::list(const std::string& name) const {
  std::ofstream out(folder_ / kRunList, std::ios::binary | std::ios::app);
  out << name << '\n';
  out.close();
  if (!out)
    throw support::Error(
        fmt::format("cannot write {}: is the disk full? Free some space", (folder_ / kRunList).string()));
}

fs::path RunFolders::claim(const std::string& name) const {
  fs::path path = folder_ / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw support::Error(fmt::format(
        "{} is there already, and no comparison made it; move it away, or give --out DIR", path.string()));
  list(name);
  return path;
}

void RunFolders::check_room() const {
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (!error && space.available < largest_bytes_)
    throw support::Error(
        fmt::format("a run writes {} and {} are free in {}; free some, or give --out DIR elsewhere",
                    megabytes(largest_bytes_), megabytes(space.available), folder_.string()));
}

/// Tables beside the run folders are made anew for every run: EPOS adds to them, and runs are to find the
/// same.
void RunFolders::make_room_for_tables() {
  for (const auto& [name, source] : set_.folders_beside) {
    if (!tables_.contains(name)) {  // refused again at every run, where the folder is not ours
      claim(name);
      tables_.insert(name);
    }
    support::remove_folder(folder_ / name);
  }
}

void RunFolders::say_progress(const RunRequest& request, const RunResult& result) {
  settings_.planned = std::max(settings_.planned, ++ended_);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  fmt::print(stderr, "overlay: run {}/{} {} {}: {:.2f} s (CPU {:.2f} s); {} elapsed, about {} left\n", ended_,
             settings_.planned, request.build, request.what, result.wall_s, result.cpu_s(), duration(elapsed),
             duration(elapsed / ended_ * (settings_.planned - ended_)));
  std::fflush(stderr);
}

CompletedRun RunFolders::run(const RunRequest& request) {
  if (settings_.check) settings_.check();
  check_room();
  const std::string name = fmt::format("{}-{}", request.build, request.what);
  for (const char* ending : {"", ".err", ".samples"}) claim(name + ending);
  make_room_for_tables();
  const std::string card = card_with_telescope_pipe(request.card);
  RunSpec spec;
  spec.label = request.build;
  spec.executable = set_.programs.at(request.build).executable;
  spec.folder = prepare_run_dir(set_, request.build, card, folder_ / name);
  if (card != request.card) write_telescope_pipe(spec.folder);
  spec.errors = folder_ / (name + ".err");
  spec.core = settings_.core;
  spec.timeout_s = settings_.timeout_s > 0 ? settings_.timeout_s
                   : slowest_s_ > 0        ? std::max(120.0, 20 * slowest_s_)
                                           : 0;
  spec.check = settings_.check;
  spec.environment = request.environment;
  spec.environment.insert(kLinesAtOnce);
  spec.first_shower = first_shower_marks();
  spec.end = kEndOfRun;
  CompletedRun run;
  if (!request.sampler.empty()) {
    run.samples = folder_ / (name + ".samples");
    spec.environment["LD_PRELOAD"] = request.sampler.string();
    spec.environment["CPU_SAMPLER_OUT"] = run.samples.string();
  }
  run.result = run_program(spec);
  wait_for_telescope_pipe(spec.folder);
  say_progress(request, run.result);
  // A first run has a card of its own.
  if (request.build == "stock" && request.card == set_.card)
    slowest_s_ = std::max(slowest_s_, run.result.wall_s);
  largest_bytes_ = std::max(largest_bytes_, bytes_in(run.result.folder));
  return run;
}

void RunFolders::remove(const CompletedRun& run) const {
  if (settings_.keep) return;
  std::error_code ignored;
  support::remove_folder(run.result.folder);
  fs::remove(run.result.errors, ignored);
  if (!run.samples.empty()) fs::remove(run.samples, ignored);
}

std::vector<std::string> tables_in(const std::filesystem::path& folder) {
  const OptionNeeds models = OptionNeeds::load();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto fits = [&](const std::string& wildcard) { return matches(name, wildcard); };
    if (!entry.is_symlink() && entry.is_regular_file() &&
        std::any_of(models.run_folder.begin(), models.run_folder.end(), fits))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace overlay
