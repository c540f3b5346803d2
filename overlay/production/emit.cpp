// Writes an engine's files: checks the options, takes what a run needs from the pilot, and calls the engine's
// writer.
#include "overlay/production/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "emit_files.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

void check_emit(const EmitRequest& request) {
  if (request.avoid != "machine" && request.avoid != "slot")
    throw support::Error(fmt::format("--avoid cannot be '{}'; give machine or slot", request.avoid));
  const auto least = [](const char* option, std::int64_t value, std::int64_t smallest) {
    if (value < smallest)
      throw support::Error(fmt::format("{} cannot be {}; give {} or more", option, value, smallest));
  };
  least("--memory", request.memory_mib, 0);
  least("--disk", request.disk_mib, 0);
  least("--time", request.minutes, 0);
  least("--retries", request.retries, 0);
  least("--array-size", request.array_size, 1);
  least("--dag-nodes", request.nodes_of_dag, 1);
  for (const auto& line : request.lines)
    if (line.find('\n') != std::string::npos)
      throw support::Error("--line takes one line; give it once for each");
}

/// The folder as engines' files take it: they have no common way to quote.
fs::path engine_path(const fs::path& given) {
  auto folder = fs::absolute(given).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  for (const char c : folder.string())
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        std::string_view("/._-+,=@").find(c) == std::string_view::npos)
      throw support::Error(
          fmt::format("engines' files cannot hold the path '{}'; move the production to one of letters, "
                      "digits and . _ - + , = @",
                      folder.string()));
  return folder;
}

}  // namespace

EngineRequests engine_requests(const fs::path& folder) {
  EngineRequests requests;
  const auto file = folder / "pilot.json";
  std::error_code error;
  if (!fs::exists(file, error)) return requests;
  const auto pilot = nlohmann::json::parse(support::read_file(file), nullptr, false);
  const auto number = [&](const char* key) {
    return pilot.is_object() && pilot.contains(key) && pilot[key].is_number() ? pilot[key].get<double>()
                                                                              : -1.;
  };
  const double memory = number("memory_mib"), disk = number("disk_mib"), seconds = number("seconds");
  constexpr double kMost = 1e9;
  if (!(memory >= 0 && memory < kMost && disk >= 0 && disk < kMost && seconds >= 0 && seconds < kMost))
    throw support::Error(
        fmt::format("{} is not what overlay production check writes; call check again", file.string()));
  constexpr std::int64_t kLeastMemory = 256, kLeastDisk = 256, kLeastMinutes = 15;
  requests.memory_mib = std::max(kLeastMemory, static_cast<std::int64_t>(std::ceil(1.5 * memory)));
  requests.disk_mib = std::max(kLeastDisk, static_cast<std::int64_t>(std::ceil(1.5 * disk)));
  requests.minutes = std::max(kLeastMinutes, static_cast<std::int64_t>(std::ceil(4. * seconds / 60.)));
  requests.from_pilot = true;
  return requests;
}

std::string own_lines(const EmitRequest& request) {
  std::string text;
  for (const auto& line : request.lines) text += line + "\n";
  return text;
}

void write_engine_file(const fs::path& file, const std::string& text, bool executable) {
  support::write_file(file, text);
  std::error_code error;
  if (executable)
    fs::permissions(file, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, error);
  if (error)
    throw support::Error(fmt::format("cannot make {} executable ({})", file.string(), error.message()));
}

fs::path emit_local(const EmitJob& job) {
  const auto file = job.folder / "local" / "start";
  fs::create_directories(file.parent_path());
  write_engine_file(
      file,
      fmt::format("#!/bin/sh\n# Runs what is not done yet of production {1} on this machine. Options go "
                  "to overlay production start.\nexec {0}/bin/overlay production start {0} \"$@\"\n",
                  job.folder.string(), job.plan.name),
      true);
  return file;
}

Emitted emit_production(const EmitRequest& request) {
  check_emit(request);
  const auto plan = read_plan(request.folder);
  auto requests = engine_requests(request.folder);
  if (request.memory_mib > 0) requests.memory_mib = request.memory_mib;
  if (request.disk_mib > 0) requests.disk_mib = request.disk_mib;
  if (request.minutes > 0) requests.minutes = request.minutes;
  const EmitJob job{plan, request, requests, engine_path(request.folder)};
  Emitted emitted;
  emitted.requests = requests;
  try {
    if (request.engine == "htcondor") {
      emitted.start = emit_htcondor(job);
      emitted.command = "condor_submit_dag " + emitted.start.string();
    } else if (request.engine == "slurm") {
      emitted.start = emit_slurm(job);
      emitted.command = emitted.start.string();
    } else if (request.engine == "local") {
      emitted.start = emit_local(job);
      emitted.command = emitted.start.string();
    } else {
      throw support::Error(
          fmt::format("--for cannot be '{}'; give htcondor, slurm or local", request.engine));
    }
  } catch (const fs::filesystem_error& problem) {
    throw support::Error(fmt::format("cannot write in {} ({}); is there space, and may you write there?",
                                     job.folder.string(), problem.code().message()));
  }
  return emitted;
}

}  // namespace overlay
