// overlay patch, and the commands that start the programs beside this one: prove, bench, validate. Writes
// below --out alone.
#include <gnu/libc-version.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "options.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/production/run.hpp"
#include "overlay/prove/prove.hpp"
#include "support/machine.hpp"

namespace overlay {
namespace {

/// Options of another program that are handed on to it as they are, where they are not empty.
using Passed = std::map<std::string, std::string>;

/// Replaces this process by the program of that name beside ours. Throws Error where it cannot start.
[[noreturn]] void exec_program(const char* program, std::vector<std::string> words,
                               const Passed& passed = {}) {
  words.insert(words.begin(), program_beside(program));
  for (const auto& [option, value] : passed)
    if (!value.empty()) words.insert(words.end(), {option, value});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw support::Error("cannot start {}: {}", words[0], std::strerror(errno));
}

/// Unpacks the IACT package of a tree (bernlohr/*.tar.gz), as coconut does; replaces nothing that is there.
void unpack_package(const fs::path& tree) {
  const auto found = matching_files(tree / "bernlohr", {"*.tar.gz"});
  if (found.empty()) return;
  const auto archive = found.front().string();
  const auto result =
      support::run({.argv = {"tar", "--extract", "--no-same-owner", "--skip-old-files", "--file", archive,
                             "--directory", (tree / "bernlohr").string()}});
  if (result.status != 0)
    throw support::Error("{} cannot be unpacked ({}); is it whole, and is there space?", archive,
                         first_line(result.output));
}

void print_diff(const std::string& patcher, const fs::path& tree) {
  const auto result = run_patcher(patcher, tree, {"--dry-run"}, support::Command::Errors::kPassThrough);
  const auto size = result.output.size();
  const bool written = std::fwrite(result.output.data(), 1, size, stdout) == size;
  if (result.status != 0) throw support::Error("the tree cannot be patched; the line above says why");
  if (!written || std::fflush(stdout) != 0) throw support::Error("cannot write the diff to standard output");
}

/// Calls the patcher; its one line of error becomes ours.
void make_patched(const std::string& patcher, const fs::path& tree, const fs::path& copy) {
  fs::create_directory(copy);
  const auto result = run_patcher(
      patcher, tree, {"--out", (copy / "tree").string(), "--manifest", (copy / "manifest.json").string()});
  if (result.status == 0) return;
  auto reason = result.output;
  if (const auto at = reason.find("error: "); at != std::string::npos) reason = reason.substr(at + 7);
  throw support::Error("the tree was not patched: {}", first_line(reason));
}

/// RMMARD and RMMAQD of a tree, compiled -O2 to a library that the benchmark can load.
std::string tree_library(const BuildSet& set, const fs::path& out) {
  const auto folder = out / "bench" / set.source_id;
  auto library = (folder / "rmmard.so").string();
  const auto result = support::run({.argv = {program_beside("prove"), "--tree", set.source.string(), "--out",
                                             folder.string(), "--library", library}});
  if (result.status != 0) throw support::Error("the tree's RMMARD cannot be compiled: " + result.output);
  return library;
}

int run_patch(const BuildRequest& source, bool dry_run) {
  const auto patcher = program_beside("corsika-patch");
  const auto found = obtain_source(source);
  const auto all = fs::absolute(source.out).lexically_normal() / "patched", copy = all / found.source_id;
  // A dry run leaves nothing below --out.
  std::optional<support::NewFolders> folders;
  if (!dry_run) folders.emplace(all);
  const support::TemporaryFolder work(dry_run ? fs::temp_directory_path() : all, "new");
  const auto tree = work.path() / "stock", fresh = work.path() / "copy";
  copy_sources(found.source, tree);
  unpack_package(tree);
  if (dry_run) {
    print_diff(patcher, tree);
    return 0;
  }
  make_patched(patcher, tree, fresh);
  std::error_code error;
  fs::rename(fresh, copy, error);
  const auto manifest = copy / "manifest.json";
  // One that is there, perhaps of a call beside this one, is as good where it says the same.
  if (error &&
      (!fs::exists(manifest) || support::read_file(manifest) != support::read_file(fresh / "manifest.json")))
    throw support::Error(
        "cannot write {} ({}); if it is there already, from other sources or another version of the patcher, "
        "delete it; else give --out DIR elsewhere",
        copy.string(), error.message());
  fmt::print("patched   {}\nmanifest  {}\n", (copy / "tree").string(), manifest.string());
  return 0;
}

/// Replaced routines against the stock bodies, by the program `prove`; `draws`: calls of random routines, of
/// each variant of options.
[[noreturn]] int prove_routines(const BuildRequest& request, const std::string& draws) {
  const auto out = fs::absolute(request.out).lexically_normal();
  const auto found = obtain_source(request);
  std::string flags = request.flags;  // of both sides
  if (flags == "tuned") flags = "-O2";
  if (flags == "shipped") flags = "-O0";
  exec_program("prove", {"--tree", found.source.string(), "--out", (out / "prove" / found.source_id).string(),
                         "--draws", draws, "--flags=" + flags});
}

/// `source.corsika` empty: no tree's RMMARD is timed.
[[noreturn]] int run_bench(const BuildRequest& source, Passed passed) {
  const auto out = fs::absolute(source.out).lexically_normal();
  passed["--out"] = (out / "bench").string();
  if (!source.corsika.empty()) passed["--tree-library"] = tree_library(obtain_source(source), out);
  exec_program("ranmar-bench", {}, passed);
}

[[noreturn]] int run_validate(const BuildRequest& source, bool full, bool list, const Passed& passed) {
  refuse_output_in_tree(source.corsika, source.out, "--out");
  const auto out = fs::absolute(source.out).lexically_normal() / "validation";
  std::vector<std::string> arguments{"--out", out.string(), "--corsika", source.corsika};
  if (full) arguments.emplace_back("--full");
  if (list) arguments.emplace_back("--list");
  exec_program("validate", arguments, passed);
}

/// The first line of what a program says; empty where it fails or is missing.
std::string said_by(std::vector<std::string> argv) {
  support::Command command{std::move(argv)};
  command.timeout = std::chrono::seconds(10);
  const auto result = support::run(command);
  return result.status == 0 ? first_line(result.output) : "";
}

/// The first line that a program says of its version, or that a command of the shell makes of it.
std::string version_of(const std::string& tool, const std::string& said = "grep -m1 .") {
  return said_by(
      {"sh", "-c", "PATH=$PATH:/usr/local/cuda/bin; \"$0\" --version 2> /dev/null | " + said, tool});
}

/// `out`: folder whose disk is looked at. `report`: without its name, and with what else an issue needs.
int run_doctor(const fs::path& out, bool report) {
  int missing = 0;
  // `found` is empty where the thing is not there, and then the advice is printed.
  const auto row = [&](const char* what, bool needed, const std::string& found, const std::string& advice) {
    const char* state = !found.empty() ? "ok" : needed ? "MISSING" : "-";
    fmt::print("{:<11} {:<8} {}\n", what, state, found.empty() ? advice : found);
    if (found.empty() && needed) ++missing;
  };
  const auto machine = support::describe_machine();
  if (report) {
    fmt::print("{}\n{}, glibc {}, {}\n", kVersion, machine.system, gnu_get_libc_version(), machine.kernel);
    for (char** each = environ; *each != nullptr; ++each)
      if (const std::string_view text = *each; text.starts_with("CHERENKOV_") || text.starts_with("RANMAR_"))
        fmt::print("{}\n", text);
  }
  for (const char* tool :
       {"gfortran", "gcc", "g++", "cpp", "make", "cmake", "ninja", "perl", "tar", "addr2line"})
    row(tool, true, version_of(tool), "needed");
  for (const auto& [tool, use] :
       {std::pair{"curl", "downloads"}, {"gprof", "compare's gprof columns"}, {"python3", "bench"}})
    row(tool, false, version_of(tool), fmt::format("optional: for {}", use));
  row("CUDA", false, version_of("nvcc", "sed -n 's/.*release \\([^,]*\\).*/CUDA \\1/p'"),
      "optional: NVIDIA's CUDA toolkit, for the GPU backend");
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
  const auto disk = fmt::format("{:.1f} GiB free", free_gib) + (report ? "" : " in " + folder.string());
  row("disk", true, free_gib >= 3 ? disk : "",
      disk + "; all builds of one profile take about 1 GiB: free some, or give --out DIR");
  const char* password = std::getenv("CORSIKA_PW");
  row("CORSIKA_PW", false, password != nullptr && *password != '\0' ? "set (not shown)" : "",
      "optional: password of the download server, for --corsika URL");
  if (missing > 0)
    throw support::Error(
        "{} needed thing{} missing; scripts/install-dependencies installs what Debian and Ubuntu have",
        missing, missing == 1 ? " is" : "s are");
  return 0;
}

}  // namespace

std::string program_beside(const char* name) {
  auto path = (this_program().parent_path() / name).string();
  if (!support::find_program(path))
    throw support::Error("{} is not built; scripts/overlay of a source archive or a checkout does that",
                         path);
  return path;
}

void declare_patch(CLI::App& app, Chosen& chosen) {
  const auto source = std::make_shared<BuildRequest>();
  const auto dry_run = std::make_shared<bool>(false);
  Options options(app, chosen, "patch", "Patches a copy of the sources, or shows the unified diff",
                  [=] { return run_patch(*source, *dry_run); });
  declare_sources(options, *source);
  options.flag("--dry-run", *dry_run, "print the unified diff and write nothing");
}

void declare_prove(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<BuildRequest>();
  const auto draws = std::make_shared<std::string>("10000000");
  const auto cherenkov = std::make_shared<bool>(false);
  const auto proof = std::make_shared<ProofOptions>();
  Options options(
      app, chosen, "prove",
      "Every replaced routine against the stock body compiled from a tree; or the Cherenkov stage", [=] {
        proof->jobs = request->jobs;
        return *cherenkov ? prove_cherenkov(*request, *proof) : prove_routines(*request, *draws);
      });
  declare_program(options, *request);
  declare_atmosphere(options, *request);
  options.value("--draws", *draws, "N", "draws of each variant of options")
      .flag("--cherenkov", *cherenkov,
            "the Cherenkov stage: many short runs in which the program compares it with CORSIKA step by "
            "step; --jobs of them at a time")
      .value("--steps", proof->steps, "N", "with --cherenkov: steps with light, in sum")
      .value("--run-timeout", proof->timeout_s, "SECONDS", "with --cherenkov: limit of a run");
}

void declare_bench(CLI::App& app, Chosen& chosen) {
  const auto source = std::make_shared<BuildRequest>();
  const auto passed = std::make_shared<Passed>();
  Options(app, chosen, "bench", "The generator against its peers, in one run",
          [=] { return run_bench(*source, *passed); })
      .value("--corsika", source->corsika, "PATH", "tree or archive whose RMMARD is timed beside ours")
      .value("--out", source->out, "DIR", kOut)
      .value("--repeats", (*passed)["--repeats"], "N",
             "repetitions of each row of the CPU; a row is their median (default: 9)")
      .value("--seconds", (*passed)["--seconds"], "N", "of one repetition (default: 0.1)")
      .value("--gpu", (*passed)["--gpu"], "TEXT",
             "rows of a CUDA and of an OpenCL device: auto (where there is one; the default), on or off");
}

void declare_validate(CLI::App& app, Chosen& chosen) {
  const auto source = std::make_shared<BuildRequest>();
  source->corsika = "standin";
  const auto full = std::make_shared<bool>(false), list = std::make_shared<bool>(false);
  const auto passed = std::make_shared<Passed>();
  Options(app, chosen, "validate", "Every claim checked, in some minutes, with a page of results",
          [=] { return run_validate(*source, *full, *list, *passed); })
      .value("--corsika", source->corsika, "PATH", "program whose outputs are compared: as for compare")
      .value("--out", source->out, "DIR", kOut)
      .flag("--full", *full, "long runs, a day or two; called again, it goes on where it was stopped")
      .value("--only", (*passed)["--only"], "PREFIX", "only the checks whose names begin so; see --list")
      .value("--jobs", (*passed)["--jobs"], "N", "checks at a time (default: 1)")
      .flag("--list", *list, "print the checks and their commands, run nothing")
      .value("--known-answers", (*passed)["--known-answers"], "FILE", "your own file of known answers");
}

void declare_doctor(CLI::App& app, Chosen& chosen) {
  const auto out = std::make_shared<fs::path>("build/overlay");
  const auto report = std::make_shared<bool>(false);
  Options(app, chosen, "doctor", "What this machine has and lacks", [=] { return run_doctor(*out, *report); })
      .value("--out", *out, "DIR", "folder whose disk is looked at")
      .flag("--report", *report, "for an issue: also version, system and environment; no paths");
}

}  // namespace overlay
