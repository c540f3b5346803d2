// The text of report.json. What was not measured is null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "overlay/report/report.hpp"

namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& value) { to = value ? json(*value) : json(nullptr); }
};
/// Without an interval its ends are null: a bound that says nothing must not look like one.
template <>
struct adl_serializer<support::Estimate> {
  static void to_json(json& to, const support::Estimate& gain) {
    const auto bound = [&](double value) { return gain.has_interval ? json(value) : json(nullptr); };
    to = {{"measured", gain.value}, {"low", bound(gain.low)}, {"high", bound(gain.high)}};
  }
};
}  // namespace nlohmann

namespace overlay {
namespace {

using Json = nlohmann::json;

/// Scripts read the members of a gain that was not measured: null, as JSON writes what is no number.
const support::Estimate kNoGain{std::nan(""), 0, 0, false};

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json interval(const std::optional<support::Estimate>& estimate) {
  return estimate ? Json::array({estimate->low, estimate->high}) : Json(nullptr);
}

/// `runs`: the timed runs of the same build.
Json sampler_json(const Attribution& sampled, const std::vector<ProfileCategory>& categories,
                  const BuildRuns* runs) {
  constexpr std::size_t kSymbols = 40;
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
               {"generator_parts", sampled.generator_parts}};
  const double run_s = runs == nullptr ? 0 : support::median(runs->cpu_s);
  for (const ProfileCategory& category : categories) {
    json["categories"][category.name] = sampled.share(category);
    json["category_s"][category.name] = sampled.share(category) * run_s;
    json["categories_uncorrected"][category.name] = sampled.share_uncorrected(category);
  }
  for (const auto& [symbol, count] : sampled.most_sampled(kSymbols))
    json["top"].push_back(
        {{"symbol", symbol}, {"samples", count}, {"share", sampled.share_of_samples(count)}});
  return json;
}

/// The generator's part of gprof's profile; null where gprof was not run.
Json gprof_share(const Report& report, const std::optional<GprofProfile>& profile) {
  for (const ProfileCategory& category : report.categories)
    if (profile && category.name == "generator") return profile->share(category);
  return nullptr;
}

/// gprof's own flat profile: the routines with most time of their own.
Json gprof_flat(const std::optional<GprofProfile>& profile) {
  constexpr std::size_t kRows = 25;
  Json rows = Json::array();
  if (!profile) return rows;
  const double total = profile->total_s();
  for (std::size_t i = 0; i < std::min(kRows, profile->rows.size()); ++i) {
    const GprofRow& row = profile->rows[i];
    rows.push_back({{"name", row.name},
                    {"share", row.self_s / total},  // null where the total is 0
                    {"self_s", row.self_s},
                    {"calls", row.calls}});
  }
  return rows;
}

Json part_json(const std::optional<PartGain>& part) {
  if (!part) return nullptr;
  Json json = part->gain;
  json["per_shower"] = part->per_shower;
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
  const Identity& identity = report.identity;
  Json files = Json::array();
  for (const FileIdentity& file : identity.files) {
    files.push_back({{"name", file.name},
                     {"kind", kind_name(file.kind)},
                     {"bytes", file.bytes},
                     {"equal", file.compared ? Json(file.equal) : Json(nullptr)},
                     {"normalised", file.normalised}});
    if (file.other_bytes != file.bytes) files.back()["bytes_patched"] = file.other_bytes;
    if (file.first_difference) files.back()["first_difference"] = *file.first_difference;
    if (!file.reason.empty()) files.back()["reason"] = file.reason;
  }
  return {{"identical", identity.could_not_compare.empty() ? Json(identity.identical) : Json(nullptr)},
          {"could_not_compare", text_or_null(identity.could_not_compare)},
          {"command_failed", text_or_null(report.command_failed)},
          {"files", files},
          {"events", identity.events},
          {"reasons", identity.reasons},
          {"pairs", report.identity_pairs},
          {"parts_identical", report.parts_identical},
          {"first_run_identical", report.first_run_identical},
          {"sampled_outputs_identical", report.sampled_outputs_identical}};
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

Json rng_json(const Report& report, const Derived& derived) {
  return {{"numbers", report.numbers},
          {"numbers_from", report.numbers_from},
          {"numbers_log", report.numbers_log},
          {"summary", report.summary},
          {"calls", report.calls},
          {"calls_showers", report.gprof_showers},
          {"share_stock", derived.share_stock},
          {"share_patched", derived.share_patched},
          {"share_stock_uncorrected", derived.share_stock_uncorrected},
          {"share_patched_uncorrected", derived.share_patched_uncorrected},
          {"share_stock_interval", interval(derived.share_stock_interval)},
          {"share_patched_interval", interval(derived.share_patched_interval)},
          {"ns_per_number_stock", derived.ns_stock},
          {"ns_per_number_patched", derived.ns_patched}};
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
          {"steps", light.steps},
          {"left_to_corsika", light.left_to_corsika},
          {"bunches", light.bunches},
          {"traced", light.traced},
          {"skipped", light.skipped},
          {"share_stock", derived.light_stock},
          {"share_patched", derived.light_patched}};
}

Json speedup_json(const Report& report, const Derived& derived) {
  const bool run = report.build("patched") != nullptr;
  Json json = run ? derived.speedup : kNoGain;
  json["of"] = "CPU time, stock over patched, median of pairs";
  json["certainty"] = certainty(report);
  json["wall"] = run ? derived.wall_speedup : kNoGain;
  json["per_shower"] = derived.per_shower.value_or(kNoGain);
  json["per_shower"]["shipped"] = derived.shipped_per_shower;
  json["shipped"] = derived.shipped;
  json["bound"] = derived.amdahl_gain;
  json["accelerated_share_stock"] = derived.accelerated_stock;
  const Json removed = derived.accelerated_stock.value_or(0) > 0 ? derived.removed : kNoGain;
  json["removed_fraction"] = removed["measured"];
  json["removed_low"] = removed["low"];
  json["removed_high"] = removed["high"];
  json["removed_by_sampler"] = derived.removed_by_sampler;
  return json;
}

}  // namespace

std::string report_json(const Report& report, const Derived& derived) {
  Json json = {{"profile", report.profile},
               {"corsika", {{"version", report.corsika_version}, {"sha256", report.corsika_sha256}}},
               {"library_version", report.library_version},
               {"started", report.started},
               {"command", report.command},
               {"quick", report.quick},
               {"summary", closing_lines(report, derived)},
               {"flags", report.flags},
               {"showers", report.showers},
               {"repeats", report.repeats},
               {"pinned_to_core", report.core},
               {"card", report.card},
               {"machine", machine_json(report.machine)},
               {"backend", report.backend},
               {"backend_asked", report.backend_asked},
               {"identity", identity_json(report)},
               {"runs", runs_json(report)},
               {"startup",
                {{"stock_s", derived.startup_stock},
                 {"patched_s", derived.startup_patched},
                 {"tables", report.tables}}},
               {"shower",
                {{"stock_s", derived.shower_stock},
                 {"patched_s", derived.shower_patched},
                 {"shipped_s", derived.shower_shipped}}},
               {"speedup", speedup_json(report, derived)},
               {"parts",
                {{"generator", part_json(derived.generator)},
                 {"stage", part_json(derived.stage)},
                 {"both", part_json(derived.both)},
                 {"note", text_or_null(derived.parts_note)}}},
               {"rng", rng_json(report, derived)},
               {"cherenkov", light_json(report.light, derived)},
               {"gprof",
                {{"share_stock", gprof_share(report, report.gprof_stock)},
                 {"share_patched", gprof_share(report, report.gprof_patched)},
                 {"showers", report.gprof_showers},
                 {"flat_stock", gprof_flat(report.gprof_stock)},
                 {"flat_patched", gprof_flat(report.gprof_patched)}}},
               {"notes", report.notes}};
  json["sampler"] = Json::object();
  if (report.sampled_stock)
    json["sampler"]["stock"] = sampler_json(*report.sampled_stock, report.categories, report.build("stock"));
  if (report.sampled_patched)
    json["sampler"]["patched"] =
        sampler_json(*report.sampled_patched, report.categories, report.build("patched"));
  for (const ProfileCategory& category : report.categories)
    json["categories"].push_back(
        {{"name", category.name}, {"title", category.title}, {"accelerated", category.accelerated}});
  // Cards, paths and logs may hold any bytes; those that are no UTF-8 become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace overlay
