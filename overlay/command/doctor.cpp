// overlay doctor: what this machine has of the tools that a build needs, and what it lacks.
#include <fmt/format.h>

#include <cstdlib>
#include <thread>

#include "options.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/production/run.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

/// The first line of what a program says; empty where it fails or is missing.
std::string said_by(std::vector<std::string> argv) {
  support::Command command{std::move(argv)};
  command.timeout = std::chrono::seconds(10);
  const auto result = support::run(command);
  return result.status == 0 ? first_line(result.output) : "";
}

struct Tool {
  const char *name, *package;
  bool needed = true;
};

constexpr Tool kTools[] = {{"gfortran", "gfortran"},
                           {"gcc", "gcc"},
                           {"g++", "g++"},
                           {"cpp", "cpp"},
                           {"make", "make"},
                           {"cmake", "cmake"},
                           {"ninja", "ninja-build"},
                           {"perl", "perl"},
                           {"tar", "tar"},
                           {"objdump", "binutils"},
                           {"curl", "curl (only for downloads)", false},
                           {"gprof", "binutils (only for compare's gprof columns)", false},
                           {"python3", "python3 (only for bench)", false}};

std::string version_of(const std::string& tool) {
  const auto path = support::find_program(tool);
  if (!path) return "";
  const auto version =
      tool == "perl" ? said_by({"perl", "-e", "print \"perl $^V\""}) : said_by({tool, "--version"});
  return version.empty() ? path->string() : version;
}

std::string cuda_version() {
  for (const char* nvcc : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (const auto path = support::find_program(nvcc)) {
      const auto text = support::run({.argv = {nvcc, "--version"}}).output;
      const auto at = text.find("release ");
      return at == std::string::npos ? path->string()
                                     : "CUDA " + text.substr(at + 8, text.find(',', at) - at - 8);
    }
  return "";
}

/// `out`: folder whose disk is looked at.
int run_doctor(const fs::path& out) {
  int missing = 0;
  // `found` is empty where the thing is not there, and then the advice is printed.
  const auto row = [&](const char* what, bool needed, const std::string& found, const std::string& advice) {
    const char* state = !found.empty() ? "ok" : needed ? "MISSING" : "-";
    fmt::print("{:<11} {:<8} {}\n", what, state, found.empty() ? advice : found);
    if (found.empty() && needed) ++missing;
  };
  for (const auto& tool : kTools)
    row(tool.name, tool.needed, version_of(tool.name), fmt::format("apt-get install {}", tool.package));
  // perf may be there and still not be allowed to count.
  row("perf", false,
      support::run({.argv = {"perf", "stat", "-e", "cpu-clock", "true"}}).status == 0 ? "works" : "",
      "optional: our own CPU sampler is used where perf may not count");
  row("CUDA", false, cuda_version(), "optional: NVIDIA's CUDA toolkit, for the GPU backend");
  const auto machine = support::describe_machine();
  row("GPU", false, machine.gpu, "optional: without one, numbers come from the CPU");
  row("OpenCL", false,
      said_by({this_program().replace_filename("ranmar-bench").string(), "--opencl-devices"}),
      "optional: a card's driver, or pocl-opencl-icd for the CPU; to build, opencl-headers");
  row("memory", true, machine.memory_gib >= 2 ? fmt::format("{:.1f} GiB", machine.memory_gib) : "",
      "compiling CORSIKA with -O2 takes about 1 GiB a process");
  row("processors", true, fmt::format("{} x {}", std::thread::hardware_concurrency(), machine.cpu), "");
  fs::path folder = fs::absolute(out);
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_parent_path()) folder = folder.parent_path();
  const auto space = fs::space(folder, error);
  const double free_gib = error ? 0. : static_cast<double>(space.available) / (1u << 30);
  const auto disk = fmt::format("{:.1f} GiB free in {}", free_gib, folder.string());
  row("disk", true, free_gib >= 3 ? disk : "",
      disk + "; all builds of one profile take about 1 GiB: free some, or give --out DIR");
  const char* password = std::getenv("CORSIKA_PW");
  row("CORSIKA_PW", false, password != nullptr && *password != '\0' ? "set (not shown)" : "",
      "optional: password of the download server, for --corsika URL");
  if (missing > 0)
    throw support::Error(
        "{} needed thing{} missing; scripts/install-dependencies installs what Debian and "
        "Ubuntu have",
        missing, missing == 1 ? " is" : "s are");
  return 0;
}

}  // namespace

void declare_doctor(CLI::App& app, Chosen& chosen) {
  const auto out = std::make_shared<std::filesystem::path>("build/overlay");
  Options(app, chosen, "doctor", "What this machine has and lacks", [out] {
    return run_doctor(*out);
  }).value("--out", *out, "DIR", "folder whose disk is looked at");
}

}  // namespace overlay
