// Run manifests as JSON, and the files that they name, which zstd packs.
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "overlay/identity/file_content.hpp"
#include "overlay/production/json_record.hpp"
#include "overlay/production/run.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::ordered_json;
namespace {

constexpr int kManifestFormat = 2;
const std::string kSum = ",\n  \"sha256\": \"";  // the manifest's own, behind all else
const std::string kEnd = "\"\n}\n";

constexpr int kLevel = 3;                             // zstd's default
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes between two looks whether we are to stop

}  // namespace

void members(SequenceStart& start, const auto& use) {
  use("seed", start.seed)("calls", start.calls)("billions", start.billions);
}

void members(PublishedFile& file, const auto& use) {
  use("name", file.name)("published", file.published)("bytes", file.bytes)("packed_bytes", file.packed_bytes);
  use("sha256", file.sha256)("content_sha256", file.content_sha256)("events", file.events);
}

void members(RunCost& cost, const auto& use) {
  use("began", cost.began)("ended", cost.ended);
  use("wall_s", cost.wall_s)("user_s", cost.user_s)("system_s", cost.system_s);
  use("startup_cpu_s", cost.startup_cpu_s)("peak_rss_kib", cost.peak_rss_kib);
  use("scratch_bytes", cost.scratch_bytes);
}

void members(RunManifest& run, const auto& use) {
  use("run", run.run)("setting", run.setting)("showers", run.showers)("seeds", run.starts);
  use("production", run.production)("plan_sha256", run.plan_sha256)("attempt", run.attempt);
  use("card_sha256", run.card_sha256)("program", run.program)("program_sha256", run.program_sha256);
  use("flags", run.flags)("compilers", run.compilers)("corsika_version", run.corsika_version);
  use("overlay_version", run.overlay_version)("host", run.host)("processor", run.processor);
  use("kernel", run.kernel)("system", run.system)("tunables", run.tunables)("class", run.node_class);
  use("cost", run.cost)("files", run.files)("cherenkov", run.cherenkov)("generator", run.generator);
}

std::string manifest_text(const RunManifest& manifest) {
  ordered_json text{{"format", kManifestFormat}};
  text.update(ordered_json(manifest));
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
  const auto text = ordered_json::parse(written, nullptr, false);
  if (const auto format = text.is_object() ? text.value("format", ordered_json()) : ordered_json();
      format.is_number_integer() && format != kManifestFormat)
    throw support::Error("{} has format {}; this program reads format {}", file.string(), format.dump(),
                         kManifestFormat);
  try {
    auto manifest = text.get<RunManifest>();
    if (manifest_text(manifest) == written) return manifest;
  } catch (const std::exception&) {  // what is said below
  }
  throw support::Error("{} is no manifest of a run", file.string());
}

std::uint64_t pack_file(std::string_view bytes, const fs::path& packed) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes.size());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(packed.c_str(), "wbxe"), std::fclose);
  if (!file) throw cannot_write(packed, errno);
  std::vector<char> buffer(kPiece);
  std::uint64_t size = 0;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    support::check_interrupt();
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    left = ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
    if (ZSTD_isError(left) != 0)
      throw support::Error("cannot compress {}: {}", packed.string(), ZSTD_getErrorName(left));
    if (std::fwrite(buffer.data(), 1, out.pos, file.get()) != out.pos) throw cannot_write(packed, errno);
    size += out.pos;
  }
  if (std::fflush(file.get()) != 0 || (fsync(fileno(file.get())) != 0 && errno != EINVAL))
    throw cannot_write(packed, errno);
  return size;
}

std::string unpacked_sha256(const fs::path& packed) {
  support::Sha256 sum;
  const MappedFile file(packed);
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
    sum.update(piece.data(), out.pos);
    if (in.pos < in.size) continue;
    if (more == 0) return sum.hexadecimal();
    if (out.pos < out.size) throw support::Error("{} is damaged: it ends too early", packed.string());
  }
}

}  // namespace overlay
