// `overlay compare`: what its options ask for, and the way from the builds to the report.
#include "overlay/compare/compare.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "overlay/attribution/attribution.hpp"
#include "overlay/build/source.hpp"
#include "overlay/card/card.hpp"
#include "overlay/prove/prove.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

void check_one_of(const char* option, const std::string& value, const std::vector<std::string>& known) {
  if (std::ranges::find(known, value) == known.end())
    throw support::Error(fmt::format("{} cannot be {}; give {}", option, value, fmt::join(known, ", ")));
}

/// The words of this process's command line as one line that a shell reads back.
std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string word, line;
  while (std::getline(in, word, '\0')) {
    const bool plain =
        !word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%") ==
            std::string::npos;
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return line;
}

bool has_option(const std::vector<std::string>& options, const char* option) {
  return std::ranges::find(options, option) != options.end();
}

/// What is known before anything runs.
Json begun_report(const BuildSet& set, const CompareOptions& options, const RunCounts& counts) {
  const long showers = Card(set.card).showers();
  const support::Machine machine = support::describe_machine();
  Json report = new_report();
  report.update({{"profile", set.profile.name},
                 {"corsika", {{"version", set.corsika_version}, {"sha256", set.sha256}}},
                 {"library_version", OVERLAY_VERSION},
                 {"started", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
                 {"command", ""},
                 {"quick", options.quick},
                 {"flags", set.flags},
                 {"showers", showers},
                 {"repeats", counts.pairs},
                 {"pinned_to_core", options.core},
                 {"card", set.card},
                 {"machine",
                  {{"cpu", machine.cpu},
                   {"cores", machine.cores},
                   {"memory_gib", machine.memory_gib},
                   {"kernel", machine.kernel},
                   {"system", machine.system},
                   {"gpu", machine.gpu},
                   {"compilers", set.compilers},
                   {"load_before", machine.load}}},
                 {"backend", options.backend},
                 {"backend_asked", options.backend},
                 {"notes", set.notes}});
  report["gprof"]["showers"] = report["rng"]["calls_showers"] =
      options.gprof_showers > 0 ? options.gprof_showers : showers;
  Json& light = report["cherenkov"];
  light["asked"] = options.cherenkov;
  light["made"] = has_option(set.profile.options, "CERENKOV");
  put_stage(light, set.cherenkov_stage);
  light["in_run"] = stage_in_run(light, set.cherenkov_stage);
  return report;
}

}  // namespace

RunCounts run_counts(const CompareOptions& options) {
  const bool quick = options.quick;
  RunCounts counts;
  counts.pairs = options.repeats.value_or(quick ? 1 : 5);
  counts.parts = std::min(counts.pairs, options.parts_repeats.value_or(quick ? 1 : 2));
  counts.sampled = options.sampled_repeats.value_or(quick ? 0 : counts.pairs);
  counts.shipped = options.shipped_repeats.value_or(quick ? 0 : 1);
  counts.gprof = options.gprof && !quick;
  return counts;
}

std::vector<std::string> needed_builds(const CompareOptions& options, const std::string& flags, bool light) {
  const RunCounts counts = run_counts(options);
  std::vector<std::string> builds{"stock", "patched"};
  // A quick comparison saves this build, and does not say what the stage gives alone.
  if (light && options.cherenkov != "off" && counts.parts > 0 && !options.quick)
    builds.emplace_back("patched-stage");
  if (counts.shipped > 0 && flags != "shipped") builds.emplace_back("stock-shipped");
  if (counts.sampled > 0 && !find_sampler().empty())
    builds.insert(builds.end(), {"stock-sampled", "patched-sampled"});
  if (counts.gprof) builds.insert(builds.end(), {"stock-gprof", "patched-gprof"});
  return builds;
}

void check_options(const CompareOptions& options) {
  for (const auto& [option, value, least] :
       {std::tuple<const char*, double, int>{"--repeats", options.repeats.value_or(1), 1},
        {"--parts-repeats", options.parts_repeats.value_or(0), 0},
        {"--sampled-repeats", options.sampled_repeats.value_or(0), 0},
        {"--shipped-repeats", options.shipped_repeats.value_or(0), 0},
        {"--gprof-showers", static_cast<double>(options.gprof_showers), 0},
        {"--timeout", options.timeout_s, 0}})
    if (value < least)
      throw support::Error(fmt::format("{} cannot be {}; give {} or more", option, value, least));
  check_one_of("--backend", options.backend, {"auto", "reference", "simd", "cuda", "opencl"});
  check_one_of("--cherenkov", options.cherenkov, {"auto", "cpu", "thread", "gpu", "off"});
  if (const std::vector<int> cores = support::allowed_cores();
      options.core && std::ranges::find(cores, *options.core) == cores.end())
    throw support::Error(fmt::format("--core cannot be {}; give one of the cores that we may use: {}",
                                     *options.core, fmt::join(cores, ", ")));
  if (options.categories) CategoryList::from_file(*options.categories);
}

fs::path find_sampler() {
  std::error_code error;
  const char* given = std::getenv("OVERLAY_CPU_SAMPLER");
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {fs::path(given == nullptr ? "" : given), self / "libcpu_sampler.so",
                                self.parent_path() / "lib/libcpu_sampler.so"})
    if (fs::is_regular_file(place, error)) return fs::absolute(place);
  return {};
}

Json compare_programs(const BuildSet& set, const CompareOptions& options) {
  check_options(options);
  RunCounts counts = run_counts(options);  // less those whose programs are not there
  const auto have = [&](const char* build) { return set.programs.contains(build); };
  if (find_sampler().empty() || !have("stock-sampled") || !have("patched-sampled")) counts.sampled = 0;
  if (!have("stock-gprof") || !have("patched-gprof")) counts.gprof = false;
  if (!have("stock-shipped")) counts.shipped = 0;
  const bool light = has_option(set.profile.options, "CERENKOV") && options.cherenkov != "off";
  const int parts = !light ? 0 : have("patched-stage") ? 2 * counts.parts : counts.parts;
  const int planned = 1 + 2 * (counts.pairs + (options.warm_up ? 1 : 0) + counts.sampled) + parts +
                      counts.shipped + (counts.gprof ? 2 : 0);
  return run_comparison(set, options, counts, begun_report(set, options, counts), planned);
}

int run_compare(CompareRequest request) {
  CompareOptions& options = request.options;
  if (request.build.gpu == "off" && (options.backend == "cuda" || options.cherenkov == "gpu"))
    throw support::Error("--backend cuda and --cherenkov gpu need a build with CUDA: leave out --gpu off");
  if (request.build.gpu == "on" && options.backend == "auto") options.backend = "cuda";
  check_options(options);
  const fs::path folder = fs::absolute(options.report.value_or(request.build.out / "report"));
  refuse_output_in_tree(request.build.corsika, folder, "--report");
  check_report_folder(folder);
  const Profile profile = load_profile(request.build.profile, request.build.corsika == "standin");
  BuildSet set = build_proven(
      request.build, needed_builds(options, request.build.flags, has_option(profile.options, "CERENKOV")));
  fmt::print(stderr, "overlay: Cherenkov stage in the program: {}\n", set.cherenkov_stage.text());
  if (options.quick && !request.build.parameters.showers && Card(set.card).showers() > kQuickShowers)
    set.card = card_with_showers(set.card, kQuickShowers);
  Json report = compare_programs(set, options);
  report["command"] = command_line();
  write_report(report, folder);
  if (options.print) fmt::print("{}", page_markdown(report_page(report)));
  for (const std::string& line : closing_lines(report, folder / "report.html")) fmt::print("{}\n", line);
  const Json& identical = report.at("identity").at("identical");
  return identical == true ? 0 : identical == false ? 3 : 1;
}

}  // namespace overlay
