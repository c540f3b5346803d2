// Manifests as JSON: see the header.
#include "overlay/production/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::ordered_json;
namespace {

constexpr int kManifestFormat = 1;
constexpr const char* kSum = ",\n  \"sha256\": \"";  // the manifest's own, behind all else

ordered_json files_of(const RunManifest& manifest) {
  auto files = ordered_json::array();
  for (const PublishedFile& file : manifest.files)
    files.push_back({{"name", file.name},
                     {"published", file.published},
                     {"bytes", file.bytes},
                     {"packed_bytes", file.packed_bytes},
                     {"sha256", file.sha256},
                     {"content_sha256", file.content_sha256},
                     {"events", file.events}});
  return files;
}

void read_files(const ordered_json& text, RunManifest& manifest) {
  for (const auto& entry : text.at("files")) {
    PublishedFile file;
    entry.at("name").get_to(file.name);
    entry.at("published").get_to(file.published);
    entry.at("bytes").get_to(file.bytes);
    entry.at("packed_bytes").get_to(file.packed_bytes);
    entry.at("sha256").get_to(file.sha256);
    entry.at("content_sha256").get_to(file.content_sha256);
    entry.at("events").get_to(file.events);
    manifest.files.push_back(std::move(file));
  }
}

ordered_json cost_of(const RunCost& cost) {
  return {{"began", cost.began},
          {"ended", cost.ended},
          {"wall_s", cost.wall_s},
          {"user_s", cost.user_s},
          {"system_s", cost.system_s},
          {"startup_cpu_s", cost.startup_cpu_s},
          {"peak_rss_kib", cost.peak_rss_kib},
          {"scratch_bytes", cost.scratch_bytes}};
}

void read_cost(const ordered_json& text, RunCost& cost) {
  text.at("began").get_to(cost.began);
  text.at("ended").get_to(cost.ended);
  text.at("wall_s").get_to(cost.wall_s);
  text.at("user_s").get_to(cost.user_s);
  text.at("system_s").get_to(cost.system_s);
  text.at("startup_cpu_s").get_to(cost.startup_cpu_s);
  text.at("peak_rss_kib").get_to(cost.peak_rss_kib);
  text.at("scratch_bytes").get_to(cost.scratch_bytes);
}

/// The texts of a manifest by their keys, so that writing and reading cannot differ.
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

RunManifest manifest_of(const ordered_json& text) {
  RunManifest manifest;
  text.at("run").get_to(manifest.run);
  text.at("setting").get_to(manifest.setting);
  text.at("showers").get_to(manifest.showers);
  for (const auto& start : text.at("seeds"))
    manifest.starts.push_back(
        {start.at(0).get<std::int64_t>(), start.at(1).get<std::int64_t>(), start.at(2).get<std::int64_t>()});
  each_text(manifest, [&](const char* key, std::string& value) { text.at(key).get_to(value); });
  read_cost(text.at("cost"), manifest.cost);
  read_files(text, manifest);
  text.at("cherenkov").get_to(manifest.cherenkov);
  text.at("generator").get_to(manifest.generator);
  return manifest;
}

}  // namespace

std::string manifest_text(const RunManifest& manifest) {
  ordered_json text{{"format", kManifestFormat},
                    {"run", manifest.run},
                    {"setting", manifest.setting},
                    {"showers", manifest.showers},
                    {"seeds", ordered_json::array()}};
  for (const SequenceStart& start : manifest.starts)
    text["seeds"].push_back({start.seed, start.calls, start.billions});
  each_text(manifest, [&](const char* key, const std::string& value) { text[key] = value; });
  text["cost"] = cost_of(manifest.cost);
  text["files"] = files_of(manifest);
  text["cherenkov"] = manifest.cherenkov;
  text["generator"] = manifest.generator;
  std::string written = text.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  written.resize(written.size() - 2);  // the last line end and brace
  return fmt::format("{}{}{}\"\n}}\n", written, kSum, support::sha256_of_text(written));
}

RunManifest read_manifest(const fs::path& file) {
  const std::string written = support::read_file(file);
  const auto at = written.rfind(kSum);
  const auto text = ordered_json::parse(written, nullptr, false);
  if (at == std::string::npos || !text.is_object() ||
      text.value("sha256", "") != support::sha256_of_text(written.substr(0, at)))
    throw support::Error(fmt::format("{} is damaged: its own checksum differs", file.string()));
  if (text.value("format", 0) != kManifestFormat)
    throw support::Error(fmt::format("{} has format {}; this program reads format {}", file.string(),
                                     text.value("format", 0), kManifestFormat));
  try {
    return manifest_of(text);
  } catch (const ordered_json::exception&) {
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
