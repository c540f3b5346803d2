// Manifests as JSON: see the header.
#include "overlay/production/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manifest_text.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::ordered_json;
namespace {

constexpr int kManifestFormat = 1;
const std::string kSum = ",\n  \"sha256\": \"";  // the manifest's own, behind all else
const std::string kEnd = "\"\n}\n";

// What a manifest holds, in its order: writing and reading go through the same lines, so they cannot differ.

template <class File, class Use>
void each_of_file(File& file, const Use& use) {
  use("name", file.name);
  use("published", file.published);
  use("bytes", file.bytes);
  use("packed_bytes", file.packed_bytes);
  use("sha256", file.sha256);
  use("content_sha256", file.content_sha256);
  use("events", file.events);
}

template <class Cost, class Use>
void each_of_cost(Cost& cost, const Use& use) {
  use("began", cost.began);
  use("ended", cost.ended);
  use("wall_s", cost.wall_s);
  use("user_s", cost.user_s);
  use("system_s", cost.system_s);
  use("startup_cpu_s", cost.startup_cpu_s);
  use("peak_rss_kib", cost.peak_rss_kib);
  use("scratch_bytes", cost.scratch_bytes);
}

template <class Manifest, class Use>
void each_number(Manifest& manifest, const Use& use) {
  use("run", manifest.run);
  use("setting", manifest.setting);
  use("showers", manifest.showers);
}

template <class Manifest, class Use>
void each_text(Manifest& manifest, const Use& use) {
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
  use("libm_file", manifest.libm_file);
  use("libm_sha256", manifest.libm_sha256);
  use("tunables", manifest.tunables);
  use("class_libm", manifest.node.libm);
  use("class_program", manifest.node.program);
}

void read_counters(ManifestText& text, std::map<std::string, std::string>& counters) {
  text.take('{');
  while (!text.take_if('}')) {
    const std::string name = text.any_key();
    text.value(counters[name]);
  }
}

RunManifest manifest_of(ManifestText& text) {
  const auto take = [&text](const char* key, auto& value) {
    text.key(key);
    text.value(value);
  };
  RunManifest manifest;
  each_number(manifest, take);
  text.key("seeds");
  text.take('[');
  while (!text.take_if(']')) {
    SequenceStart start;
    text.take('[');
    for (auto* number : {&start.seed, &start.calls, &start.billions}) text.value(*number);
    text.take(']');
    manifest.starts.push_back(start);
  }
  each_text(manifest, take);
  text.key("cost");
  text.take('{');
  each_of_cost(manifest.cost, take);
  text.take('}');
  text.key("files");
  text.take('[');
  while (!text.take_if(']')) {
    text.take('{');
    each_of_file(manifest.files.emplace_back(), take);
    text.take('}');
  }
  text.key("cherenkov");
  read_counters(text, manifest.cherenkov);
  text.key("generator");
  read_counters(text, manifest.generator);
  return manifest;
}

template <class Part, class Each>
ordered_json part_of(const Part& part, const Each& each) {
  ordered_json text;
  each(part, [&text](const char* key, const auto& value) { text[key] = value; });
  return text;
}

}  // namespace

std::string manifest_text(const RunManifest& manifest) {
  ordered_json text{{"format", kManifestFormat}};
  const auto put = [&text](const char* key, const auto& value) { text[key] = value; };
  each_number(manifest, put);
  text["seeds"] = ordered_json::array();
  for (const SequenceStart& start : manifest.starts)
    text["seeds"].push_back({start.seed, start.calls, start.billions});
  each_text(manifest, put);
  text["cost"] = part_of(manifest.cost, [](const auto& cost, const auto& use) { each_of_cost(cost, use); });
  text["files"] = ordered_json::array();
  for (const PublishedFile& file : manifest.files)
    text["files"].push_back(
        part_of(file, [](const auto& each, const auto& use) { each_of_file(each, use); }));
  text["cherenkov"] = manifest.cherenkov;
  text["generator"] = manifest.generator;
  std::string written = text.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  written.resize(written.size() - 2);  // the last line end and brace
  return fmt::format("{}{}{}{}", written, kSum, support::sha256_of_text(written), kEnd);
}

RunManifest read_manifest(const fs::path& file) {
  const std::string written = support::read_file(file);
  const auto at = written.rfind(kSum);
  if (at == std::string::npos ||
      written.substr(at) != kSum + support::sha256_of_text(written.substr(0, at)) + kEnd)
    throw support::Error(fmt::format("{} is damaged: its own checksum differs", file.string()));
  try {
    ManifestText text(std::string_view(written).substr(0, at));
    std::int64_t format = 0;
    text.take('{');
    text.key("format");
    text.value(format);
    if (format != kManifestFormat)
      throw support::Error(fmt::format("{} has format {}; this program reads format {}", file.string(),
                                       format, kManifestFormat));
    return manifest_of(text);
  } catch (const NoManifest&) {
    throw support::Error(fmt::format("{} is no manifest of a run", file.string()));
  }
}

std::string plan_digest(const fs::path& folder) {
  return support::sha256_of_file(folder / "production.toml");
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
