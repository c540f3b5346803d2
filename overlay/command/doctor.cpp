// overlay doctor: what this machine has of the tools that a build needs, and what it lacks.
#include <fmt/format.h>
#include <sys/sysinfo.h>

#include <cstdlib>
#include <thread>

#include "commands.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string what;
  bool there, needed;
  std::string found, advice;
};

std::string first_line_of(std::vector<std::string> argv) {
  support::Command command{std::move(argv)};
  command.timeout = std::chrono::seconds(10);
  const auto result = support::run(command);
  if (result.status != 0) return "";
  return result.output.substr(0, result.output.find('\n'));
}

/// perf may be there and still not be allowed to count.
std::string perf_state() {
  support::Command command{{"perf", "stat", "-e", "cpu-clock", "true"}};
  command.timeout = std::chrono::seconds(10);
  return support::run(command).status == 0 ? "works" : "";
}

}  // namespace

int run_doctor(const std::filesystem::path& out) {
  std::vector<Row> rows;
  auto tool = [&](const std::string& name, bool needed, const std::string& package,
                  std::vector<std::string> argv = {}) {
    const auto path = support::find_program(name);
    if (argv.empty()) argv = {name, "--version"};
    std::string version = path ? first_line_of(argv) : "";
    if (path && version.empty()) version = path->string();
    rows.push_back({name, path.has_value(), needed, version, "apt-get install " + package});
  };
  tool("gfortran", true, "gfortran");
  tool("gcc", true, "gcc");
  tool("g++", true, "g++");
  tool("cpp", true, "cpp");
  tool("make", true, "make");
  tool("cmake", true, "cmake");
  tool("ninja", true, "ninja-build");
  tool("perl", true, "perl", {"perl", "-e", "print \"perl $^V\""});
  tool("tar", true, "tar");
  tool("curl", false, "curl (only for downloads)");
  tool("objdump", true, "binutils");
  tool("gprof", false, "binutils (only for compare's gprof columns)");
  tool("python3", false, "python3 (only for bench)");
  rows.push_back(
      {"perf", false, false, perf_state(), "optional: our own CPU sampler is used where perf may not count"});
  rows.back().there = !rows.back().found.empty();
  std::string nvcc = "nvcc";
  if (!support::find_program(nvcc) && support::find_program("/usr/local/cuda/bin/nvcc"))
    nvcc = "/usr/local/cuda/bin/nvcc";
  const auto cuda = support::find_program(nvcc);
  std::string cuda_version;
  if (cuda) {
    const auto text = support::run({.argv = {nvcc, "--version"}}).output;
    const auto at = text.find("release ");
    cuda_version =
        at == std::string::npos ? cuda->string() : "CUDA " + text.substr(at + 8, text.find(',', at) - at - 8);
  }
  rows.push_back({"CUDA", cuda.has_value(), false, cuda_version,
                  "optional: NVIDIA's CUDA toolkit, for the GPU backend"});
  const auto gpu =
      support::find_program("nvidia-smi")
          ? first_line_of({"nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"})
          : "";
  rows.push_back({"GPU", !gpu.empty(), false, gpu, "optional: without one, numbers come from the CPU"});

  const std::string lister = (program_folder() / "ranmar-bench").string();
  const auto opencl = support::find_program(lister) ? first_line_of({lister, "--opencl-devices"}) : "";
  rows.push_back({"OpenCL", !opencl.empty(), false, opencl,
                  "optional: a card's driver, or pocl-opencl-icd for the CPU; to build, opencl-headers"});

  struct sysinfo memory {};
  sysinfo(&memory);
  const double gib = static_cast<double>(memory.totalram) * memory.mem_unit / (1u << 30);
  rows.push_back({"memory", gib >= 2, true, fmt::format("{:.1f} GiB", gib),
                  "compiling CORSIKA with -O2 takes about 1 GiB a process"});
  rows.push_back(
      {"processors", true, true,
       fmt::format("{} x {}", std::thread::hardware_concurrency(), support::describe_machine().cpu), ""});
  fs::path folder = fs::absolute(out);
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_parent_path()) folder = folder.parent_path();
  const auto space = fs::space(folder, error);
  const double free = error ? 0. : static_cast<double>(space.available) / (1u << 30);
  rows.push_back({"disk", free >= 3, true, fmt::format("{:.1f} GiB free in {}", free, folder.string()),
                  "all builds of one profile take about 1 GiB: free some, or give --out DIR"});
  const char* password = std::getenv("CORSIKA_PW");
  rows.push_back({"CORSIKA_PW", password != nullptr && *password != '\0', false, "set (not shown)",
                  "optional: password of the download server, for --corsika URL"});

  int missing = 0;
  for (const auto& row : rows) {
    const char* state = row.there ? "ok" : row.needed ? "MISSING" : "-";
    fmt::print("{:<11} {:<8} {}\n", row.what, state, row.there ? row.found : row.advice);
    if (!row.there && row.needed) ++missing;
  }
  if (missing > 0)
    throw support::Error(fmt::format(
        "{} needed thing{} missing; scripts/install-dependencies installs what Debian and Ubuntu have",
        missing, missing == 1 ? " is" : "s are"));
  return 0;
}

}  // namespace overlay
