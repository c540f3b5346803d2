// overlay patch: a patched copy of the sources, its unified diff, or the way back.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

#include "commands.hpp"
#include "overlay/build/steps.hpp"
#include "programs.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// Packages are archives inside a tree; rules may reach into them. Returns what was unpacked.
std::vector<std::string> unpack_packages(const std::filesystem::path& tree) {
  const auto folder = tree / "bernlohr";
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().string().ends_with(".tar.gz")) continue;
    const auto archive = entry.path().string();
    const auto result = support::run({.argv = {"tar", "--extract", "--verbose", "--skip-old-files", "--file",
                                               archive, "--directory", folder.string()}});
    if (result.status != 0) throw support::Error(fmt::format("{} cannot be unpacked; is it whole?", archive));
    std::stringstream lines(result.output);
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("tar: ") && !line.ends_with('/')) names.push_back("bernlohr/" + line);
    break;
  }
  return names;
}

}  // namespace

int run_patch(const PatchCommand& options) {
  namespace fs = std::filesystem;
  auto source = options.source;
  const auto out = fs::absolute(options.out).lexically_normal();
  source.out = out;
  const auto patcher = program_folder() / "corsika-patch";
  if (!support::find_program(patcher.string()))
    throw support::Error(fmt::format(
        "{} is not built; run scripts/overlay, or cmake --build --preset default", patcher.string()));
  const auto found = overlay::obtain_source(source);
  const auto folder = out / "patched" / found.id;
  const auto tree = folder / "tree", manifest = folder / "manifest.json";
  std::error_code error;

  if (options.dry_run) {
    // A copy that is looked at and thrown away: the user's tree is never written to.
    auto place = fs::temp_directory_path() / fmt::format("overlay-{}", getpid());
    struct Remove {
      fs::path folder;
      ~Remove() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
      }
    } remove{place};
    overlay::copy_tree(found.folder, place / "tree");
    unpack_packages(place / "tree");
    support::Command command{{patcher.string(), options.reverse ? "reverse" : "apply", "--tree",
                              (place / "tree").string(), "--dry-run"}};
    command.errors = support::Command::Errors::kPassThrough;
    const auto result = support::run(command);
    std::cout << result.output;
    if (result.status != 0) throw support::Error("the tree cannot be patched; the line above says why");
    return 0;
  }
  auto ask = [&](const fs::path& where, const char* verb) {
    support::Command command{{patcher.string(), verb, "--tree", where.string()}};
    if (std::string(verb) == "apply")
      command.argv.insert(command.argv.end(), {"--manifest", manifest.string()});
    const auto result = support::run(command);
    if (result.status == 0) return;
    auto reason = result.output;
    if (const auto at = reason.find("error: "); at != std::string::npos) reason = reason.substr(at + 7);
    throw support::Error(fmt::format("the tree was not changed: {}", reason.substr(0, reason.find('\n'))));
  };
  if (options.reverse) {
    if (!fs::is_directory(tree, error))
      throw support::Error(fmt::format(
          "there is no patched tree {} to reverse; patch first, or give the same --out", tree.string()));
    ask(tree, "reverse");
    fs::remove(manifest, error);
    // What was unpacked for the rules goes again.
    if (const auto list = folder / "unpacked.txt"; fs::exists(list)) {
      std::stringstream names(support::read_file(list));
      for (std::string name; std::getline(names, name);) fs::remove(tree / name, error);
      fs::remove(list, error);
    }
    fmt::print("{}: stock again\n", tree.string());
    return 0;
  }
  if (!fs::is_directory(tree, error)) {
    fs::create_directories(folder, error);
    if (error)
      throw support::Error(
          fmt::format("cannot write in {} ({}); give --out DIR elsewhere", out.string(), error.message()));
    const auto staged = folder / "tree.new";
    try {
      overlay::copy_tree(found.folder, staged);
      const auto unpacked = unpack_packages(staged);
      ask(staged, "apply");
      support::write_file(folder / "unpacked.txt", support::join(unpacked, "\n") + "\n");
      fs::rename(staged, tree);
    } catch (...) {
      for (const auto& left : {staged, folder / "tree.new.part"}) fs::remove_all(left, error);
      fs::remove(manifest, error);
      for (auto f = folder; f != out.parent_path(); f = f.parent_path()) fs::remove(f, error);
      throw;
    }
  } else {
    if (!fs::exists(folder / "unpacked.txt"))
      support::write_file(folder / "unpacked.txt", support::join(unpack_packages(tree), "\n") + "\n");
    ask(tree, "apply");
  }
  fmt::print("patched   {}\nmanifest  {}\n", tree.string(), manifest.string());
  return 0;
}

}  // namespace overlay
