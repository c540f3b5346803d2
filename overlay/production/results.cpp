// Run manifests as JSON, the files that they name, which zstd packs; publishing by link(2), which fails where
// a name is taken, on network file systems too; and verifying. Writes in results/NNN and quarantine/RUN of a
// production.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "overlay/build/profile.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/production/run.hpp"
#include "support/checksum.hpp"

namespace overlay {
namespace {

constexpr int kManifestFormat = 3;
const std::string kSum = ",\n  \"sha256\": \"";  // the manifest's own, behind all else
const std::string kEnd = "\"\n}\n";

constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes between two looks whether we are to stop
constexpr const char* kManifest = "manifest.json";    // in the staging folder and in quarantine

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
  file.published.insert(file.published.size() - end.size(), "." + support::random_name());
  if (!link_to(staged, results / file.published)) throw cannot_write(results / file.published, EEXIST);
  return true;
}

/// Removes links of ours that the winner's manifest does not name.
void unlink_files(const std::vector<std::string>& linked, const fs::path& results,
                  const RunManifest& winner) {
  for (const std::string& name : linked)
    if (std::none_of(winner.files.begin(), winner.files.end(),
                     [&](const PublishedFile& file) { return file.published == name; }))
      unlink((results / name).c_str());
}

/// Waits until a folder's names are on the disk. Does nothing where the file system cannot say.
void sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

/// Why a manifest is not that of this run; empty where it is.
std::string wrong_manifest(const ProductionPlan& plan, const RunManifest& manifest, std::int64_t run) {
  if (manifest.run != run) return fmt::format("its manifest is that of run {}", manifest.run);
  if (manifest.plan_sha256 != plan.digest)
    return "its manifest is of another production, or of an earlier plan";
  if (manifest.seeds != planned_run(plan, run).seeds) return "its manifest has other seeds than the plan";
  if (manifest.showers != plan.showers)
    return fmt::format("its manifest has {} showers; the plan has {}", manifest.showers, plan.showers);
  return {};
}

std::string wrong_file(const fs::path& results, const PublishedFile& file, VerifyDepth depth) {
  if (file.published.empty()) return {};  // light that went into a pipe
  const fs::path path = results / file.published;
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return fmt::format("{} is missing", file.published);
  if (bytes != file.packed_bytes)
    return fmt::format("{} has {} bytes instead of {}", file.published, bytes, file.packed_bytes);
  if (depth == VerifyDepth::sizes) return {};
  return holds(path, file.sha256) ? "" : fmt::format("{} does not hold what was published", file.published);
}

}  // namespace

std::vector<PublishedFile> pack_outputs(const std::map<std::string, fs::path>& outputs, std::int64_t run,
                                        const fs::path& staging, bool keep_light) {
  std::vector<PublishedFile> files;
  std::set<std::string> taken;
  for (const auto& [name, path] : outputs) {
    const FileContent content(path, name, staging);  // what the program compressed is not compressed twice
    const std::string_view bytes = content.bytes();
    PublishedFile file{.name = name,
                       .bytes = bytes.size(),
                       .sha256 = support::sha256_of_text(bytes),
                       .content_sha256 = content_digest(name, bytes)};
    if (name != kPipedTelescopeData || keep_light) {
      std::string flat = content.unpacked_by().empty() ? name : uncompressed_name(name);
      std::replace(flat.begin(), flat.end(), '/', '_');
      if (taken.contains(flat)) flat = fs::path(name).filename();
      while (!taken.insert(flat).second) flat += '_';
      file.published = fmt::format("{}.{}.zst", run_name(run), flat);
      file.packed_bytes = pack_file(bytes, staging / file.published);
    }
    files.push_back(std::move(file));
  }
  return files;
}

bool publish(const ProductionPlan& plan, RunManifest manifest, const fs::path& staging) {
  const fs::path results = plan.folder / results_folder(plan, manifest.run);
  const fs::path place = plan.folder / manifest_path(plan, manifest.run);
  make_folder(results);
  const std::vector<PublishedFile> staged = manifest.files;
  std::vector<std::string> linked;
  for (PublishedFile& file : manifest.files)
    if (!file.published.empty() && link_file(file, staging, results)) linked.push_back(file.published);
  try {
    support::write_file(staging / kManifest, manifest_text(manifest));
  } catch (const support::Error&) {
    unlink_files(linked, results, {});
    throw;
  }
  sync_folder(results);
  if (link_to(staging / kManifest, place)) {
    sync_folder(results);
    return true;
  }
  RunManifest winner;
  std::string why;
  try {
    winner = read_manifest(place);
    why = difference(winner, manifest);
  } catch (const support::Error& problem) {
    why = problem.what();
  }
  unlink_files(linked, results, winner);
  if (why.empty()) return false;
  set_aside(plan, manifest.run, why);
  // Our copy goes beside the other one.
  const fs::path mine = plan.folder / quarantine_folder(manifest.run) / manifest.attempt;
  make_folder(mine);
  std::error_code error;
  for (const PublishedFile& file : staged)
    if (!file.published.empty()) fs::rename(staging / file.published, mine / file.published, error);
  fs::rename(staging / kManifest, mine / kManifest, error);
  throw WorkerError(
      WorkerExit::try_again,
      fmt::format("run {} was published meanwhile by another attempt, and they disagree: {}; both are in {}",
                  manifest.run, why, quarantine_folder(manifest.run).string()),
      "disagrees");
}

std::string difference(const RunManifest& a, const RunManifest& b) {
  if (a.run != b.run || a.plan_sha256 != b.plan_sha256) return "its manifest is of another run";
  const auto of_corsika = [](const PublishedFile& file) { return !file.content_sha256.empty(); };
  for (const PublishedFile& file : a.files) {
    if (!of_corsika(file)) continue;
    const auto other = std::find_if(b.files.begin(), b.files.end(),
                                    [&](const PublishedFile& each) { return each.name == file.name; });
    if (other == b.files.end()) return fmt::format("{} is of one of the two only", file.name);
    if (other->content_sha256 != file.content_sha256) return fmt::format("{} has other content", file.name);
  }
  return std::ranges::count_if(a.files, of_corsika) == std::ranges::count_if(b.files, of_corsika)
             ? ""
             : "one of the two left more files";
}

RunState verify_run(const ProductionPlan& plan, std::int64_t run, VerifyDepth depth) {
  const fs::path place = plan.folder / manifest_path(plan, run);
  RunState found{.attempts = attempts_at(plan.folder, run)};
  std::error_code error;
  if (!fs::exists(place, error)) {
    for (const Attempt& attempt : found.attempts)
      if (attempt.outcome == kRunning)
        found.state = kRunning;
      else
        found.reason = attempt.reason;
    if (auto why = poisoned(run, found.attempts); !why.empty()) {
      found.state = kPoisoned;
      found.reason = std::move(why);
    }
    return found;
  }
  try {
    RunManifest manifest = read_manifest(place);
    found.reason = wrong_manifest(plan, manifest, run);
    for (const PublishedFile& file : manifest.files)
      if (found.reason.empty()) found.reason = wrong_file(place.parent_path(), file, depth);
    if (found.reason.empty()) found.manifest = std::move(manifest);
  } catch (const OtherFormat&) {
    throw;
  } catch (const support::Error& problem) {
    found.reason = problem.what();
  }
  found.state = found.manifest ? kPublished : kRejected;
  return found;
}

void set_aside(const ProductionPlan& plan, std::int64_t run, const std::string& reason) {
  const fs::path results = plan.folder / results_folder(plan, run),
                 place = plan.folder / manifest_path(plan, run);
  std::error_code error;
  if (!fs::exists(place, error)) return;
  const fs::path aside =
      plan.folder / quarantine_folder(run) / fmt::format("published-{}", support::random_name());
  make_folder(aside);
  // The manifest first: without it the run is missing, whatever else is there. Another process may have moved
  // it.
  fs::rename(place, aside / "manifest.json", error);
  if (error && fs::exists(place))
    throw support::Error("cannot move {} to {} ({}); move it by hand", place.string(), aside.string(),
                         error.message());
  for (const fs::path& file : paths_in(results))
    if (file.filename().string().starts_with(run_name(run) + "."))
      fs::rename(file, aside / file.filename(), error);
  support::write_file(aside / "reason.txt", reason + "\n");
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SequenceStart, seed, calls, billions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunCost, began, ended, wall_s, user_s, system_s, startup_cpu_s,
                                   peak_rss_kib)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunManifest, run, setting, showers, seeds, production, plan_sha256,
                                   attempt, card_sha256, program, program_sha256, substitutes, flags,
                                   compilers, corsika_version, overlay_version, host, processor, kernel,
                                   system, tunables, node_class, cost, files, cherenkov, generator)

std::string manifest_text(const RunManifest& manifest) {
  nlohmann::json text = manifest;
  text["format"] = kManifestFormat;
  std::string written = text_of(text);
  written.resize(written.size() - 2);  // the last line end and brace
  return written + kSum + support::sha256_of_text(written) + kEnd;
}

RunManifest read_manifest(const fs::path& file) {
  const std::string written = support::read_file(file);
  const auto at = written.rfind(kSum);
  if (at == std::string::npos ||
      written.substr(at) != kSum + support::sha256_of_text(written.substr(0, at)) + kEnd)
    throw support::Error("{} is damaged: its own checksum differs", file.string());
  try {
    const auto text = json_of(written);
    if (const auto& format = text.at("format"); format.is_number_integer() && format != kManifestFormat)
      throw OtherFormat("{} has format {}; this program reads format {}", file.string(), format.dump(),
                        kManifestFormat);
    auto manifest = text.get<RunManifest>();
    if (manifest_text(manifest) == written) return manifest;
  } catch (const OtherFormat&) {
    throw;
  } catch (const std::exception&) {  // what is said below
  }
  throw support::Error("{} is no manifest of a run", file.string());
}

std::uint64_t pack_file(std::string_view bytes, const fs::path& packed) try {
  PackedFile file(packed, bytes.size());
  file.add(bytes);
  return file.finish();
} catch (const std::system_error& problem) {
  std::error_code error;
  if (problem.code() != std::errc::file_exists) fs::remove(packed, error);  // its room is needed to say so
  throw cannot_write(packed, problem.code().value());
}

void unpack_file(const fs::path& packed, const std::function<void(std::string_view)>& take) {
  const FileContent file(packed);
  // These are kept for each thread: a production's verification unpacks millions of small files.
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  ZSTD_freeDCtx);
  thread_local std::vector<char> piece(kPiece);
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer in{file.bytes().data(), file.size(), 0};
  for (;;) {
    support::check_interrupt();
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t more = ZSTD_decompressStream(context.get(), &out, &in);  // 0 once a frame has ended
    if (ZSTD_isError(more) != 0)
      throw support::Error("{} is damaged: {}", packed.string(), ZSTD_getErrorName(more));
    take({piece.data(), out.pos});
    if (in.pos < in.size) continue;
    if (more == 0) return;
    if (out.pos < out.size) throw support::Error("{} is damaged: it ends too early", packed.string());
  }
}

std::string unpacked_sha256(const fs::path& packed) {
  support::Checksum sum;
  unpack_file(packed, [&](std::string_view bytes) { sum.update(bytes); });
  return sum.hexadecimal();
}

}  // namespace overlay
