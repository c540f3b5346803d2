// The text of report.json. The only unit of the report that writes JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

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

/// `run_s`: median CPU time of a run of that build
Json sampler_json(const Attribution& sampled, const std::vector<ProfileCategory>& stages, double run_s) {
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
               {"stage_s", Json::object()},
               {"stages_uncorrected", Json::object()},
               {"generator_parts", sampled.generator_parts}};
  for (const ProfileCategory& stage : stages) {
    json["stages"][stage.name] = sampled.share(stage);
    json["stage_s"][stage.name] = sampled.share(stage) * run_s;
    json["stages_uncorrected"][stage.name] = sampled.share_uncorrected(stage);
  }
  std::vector<std::pair<std::string, std::uint64_t>> top(sampled.symbol_samples.begin(),
                                                         sampled.symbol_samples.end());
  std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (top.size() > 40) top.resize(40);
  json["top"] = Json::array();
  const double in_main =
      sampled.samples > 0 ? sampled.main_fraction() / static_cast<double>(sampled.samples) : 0;
  for (const auto& [symbol, count] : top)
    json["top"].push_back(
        {{"symbol", symbol}, {"samples", count}, {"share", static_cast<double>(count) * in_main}});
  return json;
}

const ProfileCategory* generator_of(const Report& report) {
  for (const ProfileCategory& stage : report.categories)
    if (stage.name == "generator") return &stage;
  return nullptr;
}

Json gprof_rows(const std::optional<GprofProfile>& profile, const ProfileCategory* generator) {
  Json rows = Json::array();
  if (profile && generator != nullptr)
    for (const GprofRow& row : profile->rows_of(*generator))
      rows.push_back({{"name", row.name}, {"self_s", row.self_s}, {"calls", maybe(row.calls)}});
  return rows;
}

/// gprof's own flat profile: the routines with most time of their own.
Json gprof_flat(const std::optional<GprofProfile>& profile) {
  constexpr std::size_t kRows = 25;
  Json rows = Json::array();
  if (!profile) return rows;
  std::vector<GprofRow> all = profile->rows;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.self_s > b.self_s; });
  if (all.size() > kRows) all.resize(kRows);
  const double total = profile->total_s();
  for (const GprofRow& row : all)
    rows.push_back({{"name", row.name},
                    {"share", total > 0 ? Json(row.self_s / total) : Json(nullptr)},
                    {"self_s", row.self_s},
                    {"calls", maybe(row.calls)}});
  return rows;
}

Json gain_json(const support::Estimate& gain) {
  return {{"measured", gain.value}, {"low", bound_of(gain, gain.low)}, {"high", bound_of(gain, gain.high)}};
}

Json gain_json(const std::optional<support::Estimate>& gain) {
  return gain ? gain_json(*gain) : Json{{"measured", nullptr}, {"low", nullptr}, {"high", nullptr}};
}

Json part_json(const std::optional<PartGain>& part) {
  if (!part) return nullptr;
  Json json = gain_json(part->gain);
  json["per_shower"] = part->per_shower ? gain_json(part->per_shower) : Json(nullptr);
  json["pairs"] = part->pairs;
  json["how"] = part->how;
  return json;
}

Json machine_json(const support::Machine& machine) {
  return {{"cpu", machine.cpu},
          {"cores", machine.cores},
          {"memory_gib", machine.memory_gib},
          {"kernel", machine.kernel},
          {"system", machine.system},
          {"gpu", machine.gpu},
          {"compilers", machine.compilers},
          {"load_before", machine.load}};
}

Json identity_json(const Report& report) {
  Json files = Json::array();
  std::uint64_t bytes = 0;
  for (const FileIdentity& file : report.identity.files) {
    Json entry = {{"name", file.name},
                  {"kind", kind_name(file.kind)},
                  {"bytes", file.bytes},
                  {"equal", file.compared ? Json(file.equal) : Json(nullptr)}};
    if (file.other_bytes != file.bytes) entry["bytes_patched"] = file.other_bytes;
    if (file.first_difference) entry["first_difference"] = *file.first_difference;
    if (!file.reason.empty()) entry["reason"] = file.reason;
    entry["normalised"] = file.normalised;
    files.push_back(entry);
    bytes += file.bytes;
  }
  const Identity& identity = report.identity;
  const bool compared = identity.could_not_compare.empty();
  return {{"identical", compared ? Json(identity.identical) : Json(nullptr)},
          {"could_not_compare", compared ? Json(nullptr) : Json(identity.could_not_compare)},
          {"command_failed", report.command_failed.empty() ? Json(nullptr) : Json(report.command_failed)},
          {"files", files},
          {"file_count", files.size()},
          {"bytes", bytes},
          {"events", maybe(report.identity.events)},
          {"reasons", report.identity.reasons},
          {"pairs", report.identity_pairs},
          {"parts_identical", maybe(report.parts_identical)},
          {"first_run_identical", maybe(report.first_run_identical)},
          {"sampled_outputs_identical", maybe(report.sampled_outputs_identical)}};
}

Json runs_json(const Report& report) {
  Json runs = Json::array();
  for (const BuildRuns& build : report.runs)
    runs.push_back({{"build", build.build},
                    {"flags", build.flags},
                    {"fflags", build.fflags},
                    {"cflags", build.cflags},
                    {"wall_s", build.wall_s},
                    {"cpu_s", build.cpu_s},
                    {"median_wall_s", support::median(build.wall_s)},
                    {"median_cpu_s", support::median(build.cpu_s)},
                    {"startup_wall_s", build.startup_wall_s},
                    {"startup_cpu_s", build.startup_cpu_s},
                    {"peak_rss_kib", build.peak_rss_kib}});
  return runs;
}

Json startup_json(const Report& report, const Derived& derived) {
  const auto share = [&](const std::optional<double>& startup, const char* build) {
    const BuildRuns* runs = report.build(build);
    const double whole = runs == nullptr ? 0 : support::median(runs->cpu_s);
    return startup && whole > 0 ? Json(*startup / whole) : Json(nullptr);
  };
  return {{"stock_s", maybe(derived.startup_stock)},
          {"patched_s", maybe(derived.startup_patched)},
          {"share_stock", share(derived.startup_stock, "stock")},
          {"share_patched", share(derived.startup_patched, "patched")},
          {"tables", report.tables},
          {"how", kStartupHow}};
}

Json rng_json(const Report& report, const Derived& derived) {
  return {{"numbers", maybe(report.numbers)},
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
}

Json light_json(const CherenkovSummary& light, const Derived& derived) {
  static constexpr const char* covered[] = {"whole", "bunches", "none"};
  return {{"asked", light.asked},
          {"made", light.with_light},
          {"covered", covered[static_cast<int>(light.built.covered)]},
          {"works", light.built.works},
          {"why", light.built.why},
          {"reason", light.built.reason},
          {"program", light.built.text()},
          {"in_run", light.in_run()},
          {"backend", light.backend},
          {"summary", light.summary},
          {"steps", maybe(light.steps)},
          {"left_to_corsika", maybe(light.left_to_corsika)},
          {"bunches", maybe(light.bunches)},
          {"traced", maybe(light.traced)},
          {"skipped", maybe(light.skipped)},
          {"share_stock", maybe(derived.light_stock)},
          {"share_patched", maybe(derived.light_patched)}};
}

Json speedup_json(const Report& report, const Derived& derived) {
  const bool removed = derived.accelerated_stock && *derived.accelerated_stock > 0;
  const bool run = report.build("patched") != nullptr;
  Json json = run ? gain_json(derived.speedup) : gain_json(std::nullopt);
  json["of"] = "CPU time, stock over patched, median of pairs";
  json["certainty"] = certainty(report);
  json["wall"] = run ? gain_json(derived.wall_speedup) : gain_json(std::nullopt);
  json["per_shower"] = gain_json(derived.per_shower);
  json["per_shower"]["shipped"] =
      derived.shipped_per_shower ? gain_json(derived.shipped_per_shower) : Json(nullptr);
  json["shipped"] = derived.shipped ? gain_json(derived.shipped) : Json(nullptr);
  json["over_shipped"] = maybe(derived.over_shipped);
  json["bound"] = maybe(derived.amdahl_gain);
  json["accelerated_share_stock"] = maybe(derived.accelerated_stock);
  json["removed_fraction"] = removed ? Json(derived.removed.value) : Json(nullptr);
  json["removed_low"] = removed ? bound_of(derived.removed, derived.removed.low) : Json(nullptr);
  json["removed_high"] = removed ? bound_of(derived.removed, derived.removed.high) : Json(nullptr);
  json["removed_by_sampler"] = maybe(derived.removed_by_sampler);
  return json;
}

Json gprof_json(const Report& report) {
  const ProfileCategory* generator = generator_of(report);
  const auto share = [&](const std::optional<GprofProfile>& profile) {
    return profile && generator != nullptr ? Json(profile->share(*generator)) : Json(nullptr);
  };
  return {{"share_stock", share(report.gprof_stock)},
          {"share_patched", share(report.gprof_patched)},
          {"showers", report.gprof_showers},
          {"why_different", kWhyGprofDiffers},
          {"routines_stock", gprof_rows(report.gprof_stock, generator)},
          {"routines_patched", gprof_rows(report.gprof_patched, generator)},
          {"flat_stock", gprof_flat(report.gprof_stock)},
          {"flat_patched", gprof_flat(report.gprof_patched)}};
}

}  // namespace

std::string report_json(const Report& report, const Derived& derived) {
  Json json;
  json["profile"] = report.profile;
  json["corsika"] = {{"version", report.corsika_version}, {"sha256", report.corsika_sha256}};
  json["library_version"] = report.library_version;
  json["started"] = report.started;
  json["command"] = report.command;
  json["quick"] = report.quick;
  json["summary"] = closing_lines(report, derived);
  json["flags"] = report.flags;
  json["showers"] = report.showers;
  json["repeats"] = report.repeats;
  json["pinned_to_core"] = maybe(report.core);
  json["card"] = report.card;
  json["machine"] = machine_json(report.machine);
  json["backend"] = report.backend;
  json["backend_asked"] = report.backend_asked;
  json["identity"] = identity_json(report);
  json["runs"] = runs_json(report);
  json["startup"] = startup_json(report, derived);
  json["shower"] = {{"stock_s", maybe(derived.shower_stock)},
                    {"patched_s", maybe(derived.shower_patched)},
                    {"shipped_s", maybe(derived.shower_shipped)}};
  json["speedup"] = speedup_json(report, derived);
  json["parts"] = {{"generator", part_json(derived.generator)},
                   {"stage", part_json(derived.stage)},
                   {"both", part_json(derived.both)},
                   {"note", derived.parts_note.empty() ? Json(nullptr) : Json(derived.parts_note)}};
  json["rng"] = rng_json(report, derived);
  json["cherenkov"] = light_json(report.light, derived);
  json["gprof"] = gprof_json(report);
  json["sampler"] = {{"name", report.sampled_stock ? "libcpu_sampler" : "none"},
                     {"clock", "consumed CPU time of the main thread; other threads by their clock"}};
  const auto run_s = [&](const char* build) {
    const BuildRuns* runs = report.build(build);
    return runs == nullptr ? 0.0 : support::median(runs->cpu_s);
  };
  if (report.sampled_stock)
    json["sampler"]["stock"] = sampler_json(*report.sampled_stock, report.categories, run_s("stock"));
  if (report.sampled_patched)
    json["sampler"]["patched"] = sampler_json(*report.sampled_patched, report.categories, run_s("patched"));
  json["stages"] = Json::array();
  for (const ProfileCategory& stage : report.categories)
    json["stages"].push_back(
        {{"name", stage.name}, {"title", stage.title}, {"accelerated", stage.accelerated}});
  json["notes"] = report.notes;
  // Cards, paths and logs may hold any bytes; those that are no UTF-8 become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace overlay
