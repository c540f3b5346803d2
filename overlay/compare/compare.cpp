// `overlay compare`: what its options ask for, the way from the builds to the report, and its run folders:
// makes them, runs programs in them, deletes them.
#include "overlay/compare/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/card/card.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/prove/prove.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr const char* kNumberedRuns = ".overlay-runs";

/// The folder that holds the run folders.
fs::path run_folders_of(const BuildSet& set) {
  if (const std::string why = outputs_elsewhere(set.card, set.profile.options); !why.empty())
    throw support::Error(why);
  return set.out / "runs" / set.profile.name;
}

}  // namespace

CompareOptions with_defaults(CompareOptions options) {
  const bool quick = options.quick;
  options.repeats = options.repeats.value_or(quick ? 1 : 5);
  options.parts_repeats = std::min(*options.repeats, options.parts_repeats.value_or(quick ? 1 : 2));
  options.sampled_repeats = options.sampled_repeats.value_or(quick ? 0 : *options.repeats);
  options.shipped_repeats = options.shipped_repeats.value_or(quick ? 0 : 1);
  options.gprof = options.gprof && !quick;
  return options;
}

std::vector<std::string> needed_builds(const CompareOptions& asked, const std::string& flags, bool light) {
  const CompareOptions options = with_defaults(asked);
  std::vector<std::string> builds{"stock", "patched"};
  // A quick comparison saves this build, and does not say what the stage gives alone.
  if (light && options.cherenkov != "off" && *options.parts_repeats > 0 && !options.quick)
    builds.emplace_back("patched-stage");
  if (*options.shipped_repeats > 0 && flags != "shipped") builds.emplace_back("stock-shipped");
  if (*options.sampled_repeats > 0 && !find_sampler().empty())
    builds.insert(builds.end(), {"stock-sampled", "patched-sampled"});
  if (options.gprof) builds.insert(builds.end(), {"stock-gprof", "patched-gprof"});
  return builds;
}

int planned_runs(const CompareOptions& options, int parts) {
  return 1 + 2 * (*options.repeats + *options.sampled_repeats) + parts * *options.parts_repeats +
         *options.shipped_repeats + (options.gprof ? 2 : 0);
}

void check_options(const CompareOptions& options) {
  check_least("--repeats", options.repeats.value_or(1), 1);
  check_least("--parts-repeats", options.parts_repeats.value_or(0), 0);
  check_least("--sampled-repeats", options.sampled_repeats.value_or(0), 0);
  check_least("--shipped-repeats", options.shipped_repeats.value_or(0), 0);
  check_least("--timeout", options.timeout_s, 0);
  check_one_of("--backend", options.backend, {"auto", "reference", "simd", "cuda", "opencl"});
  check_one_of("--cherenkov", options.cherenkov, {"auto", "cpu", "thread", "gpu", "off"});
}

fs::path find_sampler() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {self / "libcpu_sampler.so", self.parent_path() / "lib/libcpu_sampler.so"})
    if (fs::is_regular_file(place, error)) return fs::absolute(place);
  return {};
}

int run_compare(const BuildRequest& request, CompareOptions options) {
  if (request.gpu == "off" && (options.backend == "cuda" || options.cherenkov == "gpu"))
    throw support::Error("--backend cuda and --cherenkov gpu need a build with CUDA: leave out --gpu off");
  if (request.gpu == "on" && options.backend == "auto") options.backend = "cuda";
  check_options(options);
  const fs::path folder = fs::absolute(options.report.value_or(request.out / "report"));
  refuse_output_in_tree(request.corsika, folder, "--report");
  check_report_folder(folder);
  const Profile profile = asked_profile(request);
  const auto builds = needed_builds(options, request.flags, contains(profile.options, "CERENKOV"));
  if (!options.quick)
    message(
        fmt::format("{} programs, of which missing ones are built in minutes each: {}; and about {} runs of "
                    "the card (with --quick 2 and 5)",
                    builds.size(), fmt::join(builds, ", "),
                    planned_runs(with_defaults(options), contains(builds, "patched-stage") ? 2 : 0)));
  BuildSet set = build_proven(request, builds);
  fmt::print(stderr, "overlay: Cherenkov stage in the program: {}\n", set.cherenkov_stage.text());
  if (options.quick && !request.showers && Card(set.card).showers() > kQuickShowers)
    set.card = card_with_showers(set.card, kQuickShowers);
  Json report = compare_programs(set, options);
  report["command"] = shell_line(typed_words());
  write_report(report, folder);
  if (options.print) fmt::print("{}", page_markdown(report_page(report)));
  for (const std::string line : report.at("summary")) fmt::print("{}\n", line);
  fmt::print("Report: {}\n", (folder / "report.html").string());
  const Json& identical = report.at("identity").at("identical");
  return identical == true ? 0 : identical == false ? 3 : 1;
}

fs::path samples_of(const RunResult& run) { return run.errors.parent_path() / "samples"; }

RunFolders::RunFolders(const BuildSet& set, const CompareOptions& options, int planned)
    : set_(set), options_(options), planned_(planned), folder_(run_folders_of(set)), workplace_(folder_) {
  for (const auto& [build, program] : set.programs) stamps_[build] = fs::last_write_time(program);
  delete_listed();
}

void RunFolders::delete_listed() const {
  std::ifstream in(folder_ / kNumberedRuns, std::ios::binary);
  for (std::string name; std::getline(in, name);) {
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos) continue;
    support::remove_folder(folder_ / name);
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder_ / name, error)))  // it stays listed
      throw support::Error("cannot delete {} of an older comparison; delete it, or give another --out DIR",
                           (folder_ / name).string());
  }
  support::write_file(folder_ / kNumberedRuns, "");
}

fs::path RunFolders::claim(const std::string& name) const {
  fs::path path = folder_ / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw support::Error("{} is there already, and no comparison made it; move it away, or give --out DIR",
                         path.string());
  const fs::path list = folder_ / kNumberedRuns;  // first, so that it is never there without being listed
  support::write_file(list, support::read_file(list) + name + "\n");
  return path;
}

RunResult RunFolders::run(const std::string& build, const std::string& what, const std::string& card,
                          Environment environment, bool sampled) {
  support::check_interrupt();
  const fs::path& program = set_.programs.at(build);
  if (stamps_.at(build) != fs::last_write_time(program))
    throw support::Error(
        "{} was built again while it was being compared; compare again, and let other calls of overlay have "
        "another --out",
        program.string());
  const fs::path folder = claim(fmt::format("{}-{}", build, what));
  auto spec = corsika_run(set_, build, card.empty() ? set_.card : card, folder);
  spec.timeout_s = options_.timeout_s > 0 ? options_.timeout_s
                   : slowest_s_ > 0       ? std::max(120.0, 20 * slowest_s_)
                                          : 0;
  if (is_patched(build)) {
    const bool thread = options_.cherenkov == "thread";
    if (thread) environment.emplace("CHERENKOV_THREADS", "1");
    environment.merge(Environment{{"RANMAR_BACKEND", options_.backend},
                                  {"RANMAR_SUMMARY", "1"},
                                  {"CHERENKOV_BACKEND", thread ? "cpu" : options_.cherenkov},
                                  {"CHERENKOV_SUMMARY", "1"}});
  }
  spec.environment = environment;
  if (sampled) {
    spec.environment["LD_PRELOAD"] = find_sampler().string();
    spec.environment["CPU_SAMPLER_OUT"] = folder / "samples";
  }
  const RunResult result = run_program(spec);
  if (what == "first" && build != "stock") ++planned_;  // only where stock wrote tables
  planned_ = std::max(planned_, ++ended_);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  fmt::print(stderr, "overlay: run {}/{} {} {}: {:.2f} s (CPU {:.2f} s); {} elapsed, about {} left\n", ended_,
             planned_, build, what == "first" ? "first (a short one)" : what, result.wall_s, result.cpu_s(),
             duration(elapsed), duration(elapsed / ended_ * (planned_ - ended_)));
  std::fflush(stderr);
  // A first run has a card of its own.
  if (build == "stock" && card.empty()) slowest_s_ = std::max(slowest_s_, result.wall_s);
  return result;
}

void RunFolders::remove(const RunResult& run) const {
  if (!options_.keep) support::remove_folder(run.folder.parent_path());
}

}  // namespace overlay
