// Manifests as JSON: see the header.
#include "overlay/production/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "overlay/production/json_record.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
constexpr int kManifestFormat = 2;
const std::string kSum = ",\n  \"sha256\": \"";  // the manifest's own, behind all else
const std::string kEnd = "\"\n}\n";
}  // namespace

template <class Use>
void members(SequenceStart& start, const Use& use) {
  use("seed", start.seed);
  use("calls", start.calls);
  use("billions", start.billions);
}

template <class Use>
void members(PublishedFile& file, const Use& use) {
  use("name", file.name);
  use("published", file.published);
  use("bytes", file.bytes);
  use("packed_bytes", file.packed_bytes);
  use("sha256", file.sha256);
  use("content_sha256", file.content_sha256);
  use("events", file.events);
}

template <class Use>
void members(RunCost& cost, const Use& use) {
  use("began", cost.began);
  use("ended", cost.ended);
  use("wall_s", cost.wall_s);
  use("user_s", cost.user_s);
  use("system_s", cost.system_s);
  use("startup_cpu_s", cost.startup_cpu_s);
  use("peak_rss_kib", cost.peak_rss_kib);
  use("scratch_bytes", cost.scratch_bytes);
}

template <class Use>
void members(RunManifest& manifest, const Use& use) {
  use("run", manifest.run);
  use("setting", manifest.setting);
  use("showers", manifest.showers);
  use("seeds", manifest.starts);
  use("production", manifest.production);
  use("plan_sha256", manifest.plan_sha256);
  use("attempt", manifest.attempt);
  use("card_sha256", manifest.card_sha256);
  use("program", manifest.program);
  use("program_sha256", manifest.program_sha256);
  use("flags", manifest.flags);
  use("compilers", manifest.compilers);
  use("corsika_version", manifest.corsika_version);
  use("overlay_version", manifest.overlay_version);
  use("host", manifest.host);
  use("processor", manifest.processor);
  use("kernel", manifest.kernel);
  use("system", manifest.system);
  use("tunables", manifest.tunables);
  use("class", manifest.node_class);
  use("cost", manifest.cost);
  use("files", manifest.files);
  use("cherenkov", manifest.cherenkov);
  use("generator", manifest.generator);
}

std::string manifest_text(const RunManifest& manifest) {
  ordered_json text{{"format", kManifestFormat}};
  text.update(json_of(manifest));
  std::string written = text_of(text);
  written.resize(written.size() - 2);  // the last line end and brace
  return fmt::format("{}{}{}{}", written, kSum, support::sha256_of_text(written), kEnd);
}

RunManifest read_manifest(const fs::path& file) {
  const std::string written = support::read_file(file);
  const auto at = written.rfind(kSum);
  if (at == std::string::npos ||
      written.substr(at) != kSum + support::sha256_of_text(written.substr(0, at)) + kEnd)
    throw support::Error(fmt::format("{} is damaged: its own checksum differs", file.string()));
  int format = 0;
  RunManifest manifest;
  try {
    const auto text = ordered_json::parse(written);
    read_record(text.at("format"), format);
    if (format == kManifestFormat) read_record(text, manifest);
  } catch (const std::exception&) {
    throw support::Error(fmt::format("{} is no manifest of a run", file.string()));
  }
  if (format != kManifestFormat)
    throw support::Error(fmt::format("{} has format {}; this program reads format {}", file.string(), format,
                                     kManifestFormat));
  return manifest;
}

std::string content_difference(const RunManifest& a, const RunManifest& b) {
  for (const PublishedFile& file : a.files) {
    const auto other = std::find_if(b.files.begin(), b.files.end(),
                                    [&](const PublishedFile& each) { return each.name == file.name; });
    if (other == b.files.end()) return fmt::format("{} is of one attempt only", file.name);
    if (other->content_sha256 != file.content_sha256) return fmt::format("{} has other content", file.name);
  }
  if (a.files.size() != b.files.size()) return "one attempt left more files";
  return {};
}

}  // namespace overlay
