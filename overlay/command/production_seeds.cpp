// overlay production check-seeds: reads files of any production and prints which runs share random numbers.
#include <fmt/format.h>

#include <algorithm>

#include "overlay/production/check_seeds.hpp"
#include "production_commands.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// The files to read: a folder that is no production stands for all files in it, by name.
std::vector<fs::path> files_of(const std::vector<fs::path>& given) {
  std::vector<fs::path> files;
  for (const auto& path : given) {
    std::error_code error;
    if (!fs::is_directory(path, error) || fs::exists(path / "production.toml", error)) {
      files.push_back(path);
      continue;
    }
    std::vector<fs::path> inner;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error))
      if (it->is_regular_file()) inner.push_back(it->path());
    if (error)
      throw support::Error(fmt::format("cannot read the folder {} ({})", path.string(), error.message()));
    std::sort(inner.begin(), inner.end());
    files.insert(files.end(), inner.begin(), inner.end());
  }
  return files;
}

}  // namespace

int run_production_check_seeds(CheckSeeds request) {
  const auto files = files_of(request.files);
  std::vector<RunSeeds> runs;
  std::vector<std::string> silent;
  for (const auto& file : files) {
    support::check_interrupt();
    auto found = read_run_seeds(file);
    if (found.empty()) silent.push_back(file.string());
    runs.insert(runs.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  if (runs.empty())
    throw support::Error(fmt::format(
        "none of {} files says anything of seeds; give cards, logs or output files", files.size()));
  auto report = compare_seeds(std::move(runs));
  if (!silent.empty())
    report.unknown.push_back(
        fmt::format("{} files say nothing of seeds, {} for one", silent.size(), silent.front()));
  for (const auto& line : report.repeats) fmt::print("{}\n", line);
  for (const auto& line : report.overlaps) fmt::print("{}\n", line);
  for (const auto& line : report.unknown) fmt::print("not known: {}\n", line);
  fmt::print("{} runs: {} repeat an earlier one, {} groups of repeats, {} overlaps of streams\n", report.runs,
             report.repeating, report.repeats.size(), report.overlaps.size());
  return report.clean() ? 0 : 1;
}

}  // namespace overlay
