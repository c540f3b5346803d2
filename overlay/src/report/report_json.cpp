#include <algorithm>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

using Json = nlohmann::json;

template <typename T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// null where there is no interval: a bound that says nothing must not look like one.
Json bound_of(const support::Estimate& estimate, double value) {
  return estimate.has_interval ? Json(value) : Json(nullptr);
}

Json interval(const std::optional<support::Estimate>& estimate) {
  return estimate ? Json::array({estimate->low, estimate->high}) : Json(nullptr);
}

/// null where nothing was corrected
Json ambiguous(const std::optional<Attribution>& sampled) {
  return sampled && sampled->corrected ? Json(sampled->ambiguous) : Json(nullptr);
}

Json sampler_json(const Attribution& sampled, const std::vector<Stage>& stages) {
  Json json = {{"runs", sampled.runs},
               {"samples", sampled.samples},
               {"lost", sampled.lost},
               {"overruns", sampled.overruns},
               {"asked_interval_us", sampled.interval_us},
               {"real_interval_ms", sampled.real_interval_ms()},
               {"cpu_s", static_cast<double>(sampled.cpu_ns) * 1e-9},
               {"other_threads_s", static_cast<double>(sampled.other_threads_ns) * 1e-9},
               {"line_table", sampled.lines},
               {"corrected", sampled.corrected},
               {"moved", sampled.moved},
               {"ambiguous", sampled.ambiguous},
               {"ambiguous_unknown", sampled.unknown},
               {"stages", Json::object()},
               {"stages_uncorrected", Json::object()},
               {"generator_parts", sampled.generator_parts}};
  for (const Stage& stage : stages) {
    json["stages"][stage.name] = sampled.share(stage);
    json["stages_uncorrected"][stage.name] = sampled.share_uncorrected(stage);
  }
  std::vector<std::pair<std::string, std::uint64_t>> top(sampled.symbol_samples.begin(),
                                                         sampled.symbol_samples.end());
  std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (top.size() > 40) top.resize(40);
  json["top"] = Json::array();
  for (const auto& [symbol, count] : top) json["top"].push_back({{"symbol", symbol}, {"samples", count}});
  return json;
}

const Stage* generator_of(const Report& report) {
  for (const Stage& stage : report.stages)
    if (stage.name == "generator") return &stage;
  return nullptr;
}

Json gprof_rows(const std::optional<GprofProfile>& profile, const Stage* generator) {
  Json rows = Json::array();
  if (profile && generator != nullptr)
    for (const GprofRow& row : profile->rows_of(*generator))
      rows.push_back({{"name", row.name}, {"self_s", row.self_s}, {"calls", maybe(row.calls)}});
  return rows;
}

}  // namespace

nlohmann::json report_json(const Report& report, const Derived& derived) {
  const Stage* generator = generator_of(report);
  Json json;
  json["profile"] = report.profile;
  json["corsika"] = {{"version", report.corsika_version}, {"sha256", report.corsika_sha256}};
  json["library_version"] = report.library_version;
  json["started"] = report.started;
  json["flags"] = report.flags;
  json["showers"] = report.showers;
  json["repeats"] = report.repeats;
  json["pinned_to_core"] = maybe(report.core);
  json["card"] = report.card;
  json["machine"] = {{"cpu", report.machine.cpu},
                     {"cores", report.machine.cores},
                     {"memory_gib", report.machine.memory_gib},
                     {"kernel", report.machine.kernel},
                     {"system", report.machine.system},
                     {"gpu", report.machine.gpu},
                     {"compilers", report.machine.compilers},
                     {"load_before", report.machine.load}};
  json["backend"] = report.backend;
  json["backend_asked"] = report.backend_asked;

  Json files = Json::array();
  for (const FileIdentity& file : report.identity.files) {
    Json entry = {
        {"name", file.name}, {"kind", kind_name(file.kind)}, {"bytes", file.bytes}, {"equal", file.equal}};
    if (file.other_bytes != file.bytes) entry["bytes_patched"] = file.other_bytes;
    if (file.first_difference) entry["first_difference"] = *file.first_difference;
    if (!file.reason.empty()) entry["reason"] = file.reason;
    entry["normalised"] = file.normalised;
    files.push_back(entry);
  }
  json["identity"] = {{"identical", report.identity.identical},
                      {"files", files},
                      {"reasons", report.identity.reasons},
                      {"pairs", report.identity_pairs},
                      {"sampled_outputs_identical", maybe(report.sampled_outputs_identical)}};

  json["runs"] = Json::array();
  for (const BuildRuns& build : report.runs)
    json["runs"].push_back({{"build", build.build},
                            {"flags", build.flags},
                            {"fflags", build.fflags},
                            {"cflags", build.cflags},
                            {"wall_s", build.wall_s},
                            {"cpu_s", build.cpu_s},
                            {"median_wall_s", support::median(build.wall_s)},
                            {"median_cpu_s", support::median(build.cpu_s)},
                            {"peak_rss_kib", build.peak_rss_kib}});

  json["rng"] = {{"numbers", maybe(report.numbers)},
                 {"numbers_from", report.numbers_from},
                 {"numbers_log", maybe(report.numbers_log)},
                 {"summary", report.summary},
                 {"calls", maybe(report.calls)},
                 {"calls_showers", report.gprof_showers},
                 {"share_stock", maybe(derived.share_stock)},
                 {"share_patched", maybe(derived.share_patched)},
                 {"share_stock_uncorrected", maybe(derived.share_stock_uncorrected)},
                 {"share_patched_uncorrected", maybe(derived.share_patched_uncorrected)},
                 {"ambiguous_samples_stock", ambiguous(report.sampled_stock)},
                 {"ambiguous_samples_patched", ambiguous(report.sampled_patched)},
                 {"share_stock_interval", interval(derived.share_stock_interval)},
                 {"share_patched_interval", interval(derived.share_patched_interval)},
                 {"ns_per_number_stock", maybe(derived.ns_stock)},
                 {"ns_per_number_patched", maybe(derived.ns_patched)}};

  json["cherenkov"] = {{"asked", report.light.asked},
                       {"backend", report.light.backend},
                       {"summary", report.light.summary},
                       {"steps", maybe(report.light.steps)},
                       {"left_to_corsika", maybe(report.light.left_to_corsika)},
                       {"bunches", maybe(report.light.bunches)},
                       {"traced", maybe(report.light.traced)},
                       {"skipped", maybe(report.light.skipped)},
                       {"share_stock", maybe(derived.light_stock)},
                       {"share_patched", maybe(derived.light_patched)}};

  const bool removed = derived.accelerated_stock && *derived.accelerated_stock > 0;
  json["speedup"] = {
      {"measured", derived.speedup.value},
      {"low", bound_of(derived.speedup, derived.speedup.low)},
      {"high", bound_of(derived.speedup, derived.speedup.high)},
      {"of", "CPU time, stock over patched, median of pairs"},
      {"wall",
       {{"measured", derived.wall_speedup.value},
        {"low", bound_of(derived.wall_speedup, derived.wall_speedup.low)},
        {"high", bound_of(derived.wall_speedup, derived.wall_speedup.high)}}},
      {"bound", maybe(derived.bound)},
      {"accelerated_share_stock", maybe(derived.accelerated_stock)},
      {"removed_fraction", removed ? Json(derived.removed.value) : Json(nullptr)},
      {"removed_low", removed ? bound_of(derived.removed, derived.removed.low) : Json(nullptr)},
      {"removed_high", removed ? bound_of(derived.removed, derived.removed.high) : Json(nullptr)},
      {"removed_by_sampler", maybe(derived.removed_by_sampler)}};

  const auto gprof_share = [&](const std::optional<GprofProfile>& profile) {
    return profile && generator != nullptr ? Json(profile->share(*generator)) : Json(nullptr);
  };
  json["gprof"] = {{"share_stock", gprof_share(report.gprof_stock)},
                   {"share_patched", gprof_share(report.gprof_patched)},
                   {"showers", report.gprof_showers},
                   {"routines_stock", gprof_rows(report.gprof_stock, generator)},
                   {"routines_patched", gprof_rows(report.gprof_patched, generator)}};
  json["sampler"] = {{"name", report.sampled_stock ? "libcpu_sampler" : "none"},
                     {"clock", "consumed CPU time of the main thread; other threads by their clock"}};
  if (report.sampled_stock) json["sampler"]["stock"] = sampler_json(*report.sampled_stock, report.stages);
  if (report.sampled_patched)
    json["sampler"]["patched"] = sampler_json(*report.sampled_patched, report.stages);
  json["stages"] = Json::array();
  for (const Stage& stage : report.stages)
    json["stages"].push_back(
        {{"name", stage.name}, {"title", stage.title}, {"accelerated", stage.accelerated}});
  json["notes"] = report.notes;
  return json;
}

}  // namespace overlay
