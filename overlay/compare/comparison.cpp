// What the steps of a comparison share.
#include "overlay/compare/comparison.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>

#include "support/error.hpp"

namespace overlay {
namespace {

/// The environment of the patched program; empty for stock.
std::map<std::string, std::string> environment_of(const std::string& build, const CompareOptions& options) {
  if (!build.starts_with("patched")) return {};
  const bool thread = options.cherenkov == "thread";
  return {{"RANMAR_BACKEND", options.backend},
          {"RANMAR_SUMMARY", "1"},
          {"CHERENKOV_BACKEND", thread ? "cpu" : options.cherenkov},
          {"CHERENKOV_SUMMARY", "1"},
          {"CHERENKOV_THREADS", thread ? "1" : "0"}};
}

std::string stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {} {}.{} {}", status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_size);
}

}  // namespace

std::map<std::string, std::string> stamps_of(const BuildSet& set) {
  std::map<std::string, std::string> stamps;
  for (const auto& [build, program] : set.programs) stamps[build] = stamp_of(program.executable);
  return stamps;
}

CompletedRun Comparison::run(const std::string& build, const std::string& what) const {
  RunRequest request;
  request.build = build;
  request.what = what;
  return run(std::move(request));
}

CompletedRun Comparison::run(RunRequest request) const {
  const auto& program = set.programs.at(request.build).executable;
  if (stamps.at(request.build) != stamp_of(program))
    throw support::Error(
        fmt::format("{} was built again while it was being compared; compare again, and let other calls of "
                    "overlay have another --out",
                    program.string()));
  if (request.card.empty()) request.card = set.card;
  request.environment.merge(environment_of(request.build, options));  // what is there stays
  return runs.run(request);
}

void add_note(Report& report, const std::string& note) {
  fmt::print(stderr, "overlay: note: {}\n", note);
  report.notes.push_back(note);
}

Identity compare_runs(const CompletedRun& a, const CompletedRun& b) {
  return compare_folders(a.result.folder, b.result.folder, {a.result.first_date, a.result.last_date},
                         {b.result.first_date, b.result.last_date});
}

}  // namespace overlay
