#include "overlay/compare/command_line.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "support/error.hpp"

namespace overlay {

void add_compare_options(CLI::App& command, std::function<overlay::BuildRequest()> common) {
  auto options = std::make_shared<CompareOptions>();
  command.add_option("--repeats", options->repeats, "pairs of timed runs")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--backend", options->backend, "of the patched program: auto, reference, simd, cuda")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--cherenkov", options->cherenkov,
                  "the patched program's Cherenkov stage: off, cpu, gpu, auto (CHERENKOV_BACKEND)")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--sampled-repeats", options->sampled_repeats,
                  "pairs of runs under the CPU sampler (default: as many as --repeats; 0: none)")
      ->type_name("N");
  command
      .add_option("--shipped-repeats", options->shipped_repeats,
                  "runs of stock with CORSIKA's own flags (0: none)")
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("!--no-gprof", options->gprof, "leave out the runs of the gprof builds");
  command
      .add_option("--gprof-showers", options->gprof_showers,
                  "showers in the gprof runs (default: as in the others)")
      ->type_name("N");
  command.add_flag("--warm-up", options->warm_up, "one uncounted run of each program first");
  command.add_option("--core", options->core, "pin every run to this core")->type_name("N");
  command
      .add_option(
          "--timeout", options->timeout_s,
          "limit of a run (default: 20 times stock's, at least 2 minutes; none for the first stock run)")
      ->type_name("SECONDS");
  command.add_flag("--keep", options->keep, "keep the outputs of all runs, not just of the first pair");
  command.add_flag("--print", options->print, "print the report too");
  command
      .add_option("--stages", options->stages,
                  "your own list of stages, as profiles/compare/data/stages.json")
      ->type_name("FILE");
  command.add_option("--report", options->report, "folder of the report (default: report in --out)")
      ->type_name("DIR");
  command.callback([options, common = std::move(common)] {
    const overlay::BuildRequest request = common();
    if (request.gpu == "off" && options->backend == "cuda")
      throw support::Error("--backend cuda needs a build with CUDA: leave out --gpu off");
    if (request.gpu == "off" && options->cherenkov == "gpu")
      throw support::Error("--cherenkov gpu needs a build with CUDA: leave out --gpu off");
    if (request.gpu == "on" && options->backend == "auto") options->backend = "cuda";
    const int status = run_compare({request, *options});
    if (status == 0) return;
    std::fflush(nullptr);
    std::exit(status);
  });
}

}  // namespace overlay
