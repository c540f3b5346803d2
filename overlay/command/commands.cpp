// overlay build, install and patch, and the commands that start the programs beside this one: prove, bench,
// validate. Writes below --out, --run-folder and --prefix alone.
#include "commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "overlay/build/tree_copy.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A program that stands beside this one. Throws Error where it is not built.
std::string program_beside(const char* name) {
  auto path = (program_folder() / name).string();
  if (!support::find_program(path))
    throw support::Error("{} is not built; run scripts/overlay, or cmake --build --preset default", path);
  return path;
}

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
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(tree / "bernlohr", error))
    if (entry.path().string().ends_with(".tar.gz")) found.push_back(entry.path().string());
  if (found.empty()) return;
  const auto archive = *std::min_element(found.begin(), found.end());
  const auto result =
      support::run({.argv = {"tar", "--extract", "--no-same-owner", "--skip-old-files", "--file", archive,
                             "--directory", (tree / "bernlohr").string()}});
  if (result.status != 0)
    throw support::Error("{} cannot be unpacked ({}); is it whole, and is there space?", archive,
                         first_line(result.output));
}

void print_diff(const std::string& patcher, const fs::path& tree) {
  support::Command command{{patcher, "apply", "--tree", tree.string(), "--dry-run"}};
  command.errors = support::Command::Errors::kPassThrough;
  const auto result = support::run(command);
  const auto size = result.output.size();
  const bool written = std::fwrite(result.output.data(), 1, size, stdout) == size;
  if (result.status != 0) throw support::Error("the tree cannot be patched; the line above says why");
  if (!written || std::fflush(stdout) != 0) throw support::Error("cannot write the diff to standard output");
}

/// Calls the patcher; its one line of error becomes ours.
void make_patched(const std::string& patcher, const fs::path& tree, const fs::path& copy) {
  fs::create_directory(copy);
  const auto result =
      support::run({.argv = {patcher, "apply", "--tree", tree.string(), "--out", (copy / "tree").string(),
                             "--manifest", (copy / "manifest.json").string()}});
  if (result.status == 0) return;
  auto reason = result.output;
  if (const auto at = reason.find("error: "); at != std::string::npos) reason = reason.substr(at + 7);
  throw support::Error("the tree was not patched: {}", first_line(reason));
}

/// RMMARD and RMMAQD of a tree, compiled -O2 to a library that the benchmark can load.
std::string tree_library(const SourceTree& tree, const fs::path& out) {
  const auto folder = out / "bench" / tree.id;
  auto library = (folder / "rmmard.so").string();
  const auto result = support::run({.argv = {program_beside("prove"), "--tree", tree.folder.string(), "--out",
                                             folder.string(), "--library", library}});
  if (result.status != 0) throw support::Error("the tree's RMMARD cannot be compiled: " + result.output);
  return library;
}

}  // namespace

fs::path program_folder() {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : self.parent_path();
}

int run_build(const BuildCommand& command) {
  if (!command.run_folder.empty())
    refuse_output_in_tree(command.request.corsika, command.run_folder, "--run-folder");
  const auto set = build_proven(command.request, command.builds);
  fmt::print("CORSIKA    {} (SHA-256 {})\n", set.corsika_version, set.sha256);
  fmt::print("profile    {}: {}\n", set.profile.name, set.profile.summary);
  fmt::print("options    {}\n", fmt::join(set.profile.options, " "));
  fmt::print("compilers  {}\n", set.compilers);
  for (const auto& [name, program] : set.programs)
    fmt::print("{:<10} {}\n           FFLAGS=\"{}\" CFLAGS=\"{}\"\n", name, program.executable.string(),
               program.fflags, program.cflags);
  if (!set.manifest.empty()) {
    fmt::print("Cherenkov stage: {}\n", set.cherenkov_stage.text());
    fmt::print("patched    as {} says; our own library is always optimised (-O3)\n", set.manifest.string());
  }
  if (!command.run_folder.empty()) {
    const auto& first = *set.programs.begin();
    const auto folder = prepare_run_dir(set, first.first, set.card, command.run_folder);
    fmt::print("run        cd {} && {} < card > log\n", folder.string(), first.second.executable.string());
  }
  return 0;
}

int run_install(const InstallRequest& request) {
  const auto installed = install(request, [&] { return build_proven(request.build, {"patched"}); });
  fmt::print("program    {}\n", installed.program.string());
  fmt::print("Cherenkov stage: {}\n", installed.cherenkov_stage);
  fmt::print("files      {}, listed in {}\n", installed.files,
             (installed.readme.parent_path() / "overlay-install.json").string());
  fmt::print("run        as {} says\n", installed.readme.string());
  return 0;
}

int run_patch(const PatchCommand& command) {
  const auto patcher = program_beside("corsika-patch");
  const auto found = obtain_source(command.source);
  const auto all = fs::absolute(command.source.out).lexically_normal() / "patched", copy = all / found.id;
  // A dry run leaves nothing below --out.
  std::optional<support::NewFolders> folders;
  if (!command.dry_run) folders.emplace(all);
  const support::TemporaryFolder work(command.dry_run ? fs::temp_directory_path() : all, "new");
  const auto tree = work.path() / "stock", fresh = work.path() / "copy";
  copy_sources(found.folder, tree);
  unpack_package(tree);
  if (command.dry_run) {
    print_diff(patcher, tree);
    return 0;
  }
  make_patched(patcher, tree, fresh);
  std::error_code error;
  fs::rename(fresh, copy, error);
  const auto manifest = copy / "manifest.json";
  // One that is there, perhaps of a call beside this one, is as good where it says the same.
  if (error && !fs::exists(copy))
    throw support::Error("cannot write {} ({}); give --out DIR elsewhere", copy.string(), error.message());
  if (error &&
      (!fs::exists(manifest) || support::read_file(manifest) != support::read_file(fresh / "manifest.json")))
    throw support::Error(
        "{} is there already, from other sources or another version of the patcher; delete it "
        "and call again",
        copy.string());
  fmt::print("patched   {}\nmanifest  {}\n", (copy / "tree").string(), manifest.string());
  return 0;
}

int run_prove(const ProveCommand& command) {
  const auto& request = command.request;
  if (command.cherenkov) {
    ProofOptions options = command.proof;
    options.jobs = request.jobs;
    return prove_cherenkov(request, options);
  }
  const auto out = fs::absolute(request.out).lexically_normal();
  const auto tree = obtain_source({request.corsika, out, request.sha256, request.known});
  std::string flags = request.flags;  // of both sides
  if (flags == "tuned") flags = "-O2";
  if (flags == "shipped") flags = "-O0";
  exec_program("prove", {"--tree", tree.folder.string(), "--out", (out / "prove" / tree.id).string(),
                         "--draws", command.draws, "--flags=" + flags});
}

int run_bench(const BenchCommand& command) {
  const auto out = fs::absolute(command.source.out).lexically_normal();
  Passed passed = command.passed;
  passed["--out"] = (out / "bench").string();
  if (!command.source.corsika.empty())
    passed["--tree-library"] = tree_library(obtain_source(command.source), out);
  exec_program("ranmar-bench", {}, passed);
}

int run_validate(const ValidateCommand& command) {
  refuse_output_in_tree(command.corsika, command.out, "--out");
  const auto out = fs::absolute(command.out).lexically_normal() / "validation";
  std::vector<std::string> arguments{"--out", out.string(), "--corsika", command.corsika};
  if (command.full) arguments.emplace_back("--full");
  if (command.list) arguments.emplace_back("--list");
  exec_program("validate", arguments, command.passed);
}

}  // namespace overlay
