// Publishing by link(2), which fails where a name is taken, on network file systems too: see the header.
#include "overlay/production/publish.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "overlay/identity/compressed_file.hpp"
#include "overlay/identity/content_digest.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/mapped_file.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/packed_file.hpp"
#include "overlay/production/verify_run.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kManifest = "manifest.json";  // in the staging folder and in quarantine

[[noreturn]] void cannot_publish(const fs::path& what, int problem) {
  const bool full = problem == ENOSPC || problem == EDQUOT;
  throw WorkerError(full ? WorkerExit::disk_full : WorkerExit::try_again,
                    full ? fmt::format("the disk of {} is full; free some space", what.parent_path().string())
                         : fmt::format("cannot publish {} ({})", what.string(), std::strerror(problem)));
}

/// False where the name is taken.
bool link_to(const fs::path& from, const fs::path& to) {
  if (link(from.c_str(), to.c_str()) == 0) return true;
  if (errno != EEXIST) cannot_publish(to, errno);
  return false;
}

bool holds(const fs::path& packed, const std::string& sha256) {
  try {
    return unpacked_sha256(packed) == sha256;
  } catch (const support::Error&) {
    return false;
  }
}

/// Links one staged file into the results. Where its name is taken by a file with the same content, that one
/// will do: another attempt put it there. Else this one gets a name of its own. Returns whether a link was
/// made.
bool link_file(PublishedFile& file, const fs::path& staging, const fs::path& results) {
  const fs::path staged = staging / file.published;
  if (link_to(staged, results / file.published)) return true;
  if (holds(results / file.published, file.sha256)) {
    file.packed_bytes = fs::file_size(results / file.published);
    return false;
  }
  const std::string end = ".zst";
  file.published.insert(file.published.size() - end.size(), "." + support::random_name(4));
  if (!link_to(staged, results / file.published)) cannot_publish(results / file.published, EEXIST);
  return true;
}

/// Removes links of ours that no manifest names.
void unlink_files(const std::vector<std::string>& linked, const fs::path& results,
                  const RunManifest* winner) {
  for (const std::string& name : linked) {
    const auto names_it = [&](const PublishedFile& file) { return file.published == name; };
    if (winner != nullptr && std::any_of(winner->files.begin(), winner->files.end(), names_it)) continue;
    unlink((results / name).c_str());
  }
}

/// Puts our copy beside the other one in quarantine.
void quarantine_own(const fs::path& staging, const fs::path& quarantine, const RunManifest& manifest) {
  const fs::path mine = quarantine / manifest.attempt;
  std::error_code error;
  fs::create_directories(mine, error);
  for (const PublishedFile& file : manifest.files)
    if (!file.published.empty()) fs::rename(staging / file.published, mine / file.published, error);
  fs::rename(staging / kManifest, mine / kManifest, error);
}

std::string published_name(std::int64_t run, std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return fmt::format("{}.{}.zst", run_name(run), name);
}

}  // namespace

std::vector<PublishedFile> pack_outputs(const std::vector<OutputFile>& outputs, std::int64_t run,
                                        const fs::path& staging) {
  std::vector<PublishedFile> files;
  for (const OutputFile& output : outputs) {
    const MappedFile as_written(output.path);
    const std::string_view bytes = as_written.bytes();
    const FileContent content(output.path, output.name, staging);
    PublishedFile file;
    file.name = output.name;
    file.bytes = bytes.size();
    support::Sha256 sum;
    sum.update(bytes.data(), bytes.size());
    file.sha256 = sum.hexadecimal();
    file.content_sha256 = content_digest(output.name, content.bytes());
    file.events = blocks_of(kind_of(content.bytes(), output.name), content.bytes()).event_ends;
    if (output.publish) {
      file.published = published_name(run, output.name);
      file.packed_bytes = pack_file(bytes, staging / file.published);
    }
    files.push_back(std::move(file));
  }
  return files;
}

Publication publish(const ProductionPlan& plan, const fs::path& folder, RunManifest manifest,
                    const fs::path& staging) {
  const fs::path results = folder / results_folder(plan, manifest.run);
  const fs::path place = folder / manifest_path(plan, manifest.run);
  std::error_code error;
  fs::create_directories(results, error);
  if (error) cannot_publish(results, error.value());
  const std::vector<PublishedFile> staged = manifest.files;
  std::vector<std::string> linked;
  for (PublishedFile& file : manifest.files)
    if (!file.published.empty() && link_file(file, staging, results)) linked.push_back(file.published);
  try {
    support::write_file(staging / kManifest, manifest_text(manifest));
  } catch (const support::Error& problem) {
    unlink_files(linked, results, nullptr);
    throw WorkerError(
        support::disk_is_full(folder, problem.what()) ? WorkerExit::disk_full : WorkerExit::try_again,
        problem.what());
  }
  sync_folder(results);
  if (link_to(staging / kManifest, place)) {
    sync_folder(results);
    return {};
  }
  Publication second{Publication::Outcome::agrees, ""};
  try {
    const RunManifest winner = read_manifest(place);
    unlink_files(linked, results, &winner);
    second.reason = winner.run != manifest.run || winner.plan_sha256 != manifest.plan_sha256
                        ? "its manifest is of another run"
                        : content_difference(winner, manifest);
  } catch (const support::Error& problem) {
    second.reason = problem.what();
    unlink_files(linked, results, nullptr);
  }
  if (second.reason.empty()) return second;
  second.outcome = Publication::Outcome::disagrees;
  set_aside(plan, folder, manifest.run, second.reason);
  manifest.files = staged;
  quarantine_own(staging, folder / quarantine_folder(manifest.run), manifest);
  return second;
}

}  // namespace overlay
