// Copies of a CORSIKA tree, and their configuration: drives coconut by coconut.pl, and checks what was
// selected.

#include <algorithm>
#include <fstream>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// Whether a file or folder of a tree, by its path in it, was made by a configure, a build or a run there:
/// objects, libraries, include/config.h, Makefiles that have a Makefile.am, CORSIKA's programs and outputs in
/// run/, what autoconf keeps, and .git.
bool is_made_in_tree(const fs::path& tree, const fs::path& name) {
  const std::string file = name.filename().string();
  const fs::path folder = name.parent_path();
  std::error_code error;
  if (matches(file, {".git", ".svn", ".libs", ".deps", "autom4te.cache"})) return true;
  if (fs::is_directory(tree / name, error)) return false;
  if (matches(file, {"*.o", "*.lo", "*.la", "config.status", "config.log", "config.cache", "stamp-h[0-9]"}))
    return true;
  const auto beside = [&](const char* other) { return fs::exists(tree / folder / other, error); };
  const bool of_automake = beside("Makefile.am") || beside("Makefile.in");
  if (file == "Makefile" || (folder.empty() && file == "libtool")) return of_automake;
  if (file.ends_with(".a"))  // also of lib/SYSTEM, where make installs them
    return of_automake || (!folder.empty() && *folder.begin() == "lib");
  if (folder == "include") return file == "config.h";
  if (folder == "src") return matches(file, {"corsika*compilefile.f"});
  if (folder != "run") return false;
  const std::string number = "[0-9][0-9][0-9][0-9][0-9][0-9]*";
  return matches(file, {"DAT" + number, "CER" + number, "core.[0-9]*"}) ||
         (file.starts_with("corsika") && is_elf(tree / name));
}

/// Copies the sources of a tree, or all of a folder that a link led to. A link that leads to a folder outside
/// becomes a copy of that folder: a build writes and deletes in its copy alone.
void copy_files(const fs::path& from, const fs::path& to, int depth = 0) try {
  constexpr int kDeepest = 8;  // links of one folder to the other and back have no end
  if (depth > kDeepest)
    throw support::Error("{} leads from link to link; give a tree that holds the folder itself",
                         from.string());
  fs::create_directories(to);
  const auto tree = fs::canonical(from);
  for (fs::recursive_directory_iterator it(from), end; it != end; ++it) {
    support::check_interrupt();
    const auto name = it->path().lexically_relative(from), copy = to / name;
    std::error_code error;
    const bool linked = it->is_symlink() && it->is_directory(error);
    const auto target = linked ? fs::canonical(it->path()) : fs::path();
    if (depth == 0 && is_made_in_tree(tree, name))
      it.disable_recursion_pending();
    else if (linked && *target.lexically_relative(tree).begin() == "..")
      copy_files(target, copy, depth + 1);
    else if (it->is_symlink())
      fs::copy_symlink(it->path(), copy);
    else if (it->is_directory())
      fs::create_directory(copy);
    else if (it->is_regular_file())  // a pipe or a socket is no source
      fs::copy_file(it->path(), copy);
  }
} catch (const fs::filesystem_error& problem) {
  throw support::Error("cannot copy {}: {}", problem.path1().string(), problem.code().message());
}

constexpr const char* kAutotools = "autoconf, automake, libtool and autoconf-archive";

support::Command command_of(const char* work, const fs::path& tree, const std::vector<std::string>& options) {
  support::Command command{{"perl", (source_root() / "overlay" / "build" / "coconut.pl").string(), work},
                           tree};
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  command.environment["PERL_UNICODE"] = "";
  return command;
}

/// The rest of the last line that holds `what`, without blanks; empty where there is none.
std::string after(const std::string& text, const std::string& what) {
  const auto at = text.rfind(what);
  if (at == std::string::npos) return "";
  const auto begin = text.find_first_not_of(' ', at + what.size());
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

/// Why coconut or configure failed; empty where they did not.
std::string failure_in(const support::CommandResult& result, int timeout_s) {
  if (result.timed_out) return fmt::format("coconut did not end within {} s", timeout_s);
  if (auto why = after(result.output, "\001refused:"); !why.empty()) return why;
  const auto status = after(result.output, "\001configured:");
  if (status.empty()) return "coconut ended without configuring";
  if (status == "0") return {};
  for (const std::string sign : {"Missing required packages", "configure: error"})
    if (result.output.find(sign) != std::string::npos)
      return "CORSIKA's configure failed: " + sign + after(result.output, sign);
  return "CORSIKA's configure failed: see its last lines";
}

/// What coconut.pl prints for these options, line by line.
std::vector<std::string> listed(const char* work, const fs::path& tree,
                                const std::vector<std::string>& options) {
  const auto result = support::run(command_of(work, tree, options));
  if (result.status != 0)
    throw support::Error("cannot read the menus of {}: {}", (tree / "coconut").string(),
                         after(result.output, "\001refused:"));
  return support::split(result.output);
}

}  // namespace

bool is_elf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  char start[4] = {};
  stream.read(start, 4);
  return std::string(start, 4) == "\177ELF";
}

std::string sha256_of_sources(const fs::path& tree) {
  return support::sha256_of_tree(tree, [&](const fs::path& name) { return is_made_in_tree(tree, name); });
}

void copy_sources(const fs::path& from, const fs::path& to) {
  copy_files(from, to);
  // Unpacked archives may be read-only.
  support::run({.argv = {"chmod", "-R", "u+rwX", to.string()}});
  // Nothing is older than what it is made of, so that make needs no autotools.
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::recursive_directory_iterator(to))
    if (!entry.is_symlink() && entry.is_regular_file()) fs::last_write_time(entry.path(), now);
}

bool lacks_configure(const fs::path& tree) {
  return fs::exists(tree / "configure.ac") &&
         (!fs::exists(tree / "configure") ||
          (fs::exists(tree / "Makefile.am") && !fs::exists(tree / "Makefile.in")));
}

void check_autotools(const fs::path& tree) {
  if (!lacks_configure(tree)) return;
  std::vector<std::string> missing;
  for (const char* tool : {"autoreconf", "automake", "libtoolize"})
    if (!support::find_program(tool)) missing.emplace_back(tool);
  if (!missing.empty())
    throw support::Error("{} has no configure, and {} to make it {} missing; install {}", tree.string(),
                         support::join(missing, ", "), missing.size() == 1 ? "is" : "are", kAutotools);
}

void make_configure(const fs::path& tree, const fs::path& log) {
  fs::create_directories(tree / "include");  // a checkout has no empty folders
  fs::create_directories(tree / "m4");
  support::write_file(log, "");
  const auto made = support::run({.argv = {"autoreconf", "--install"}, .cwd = tree, .log = log});
  if (made.status == 0 && !lacks_configure(tree)) return;
  throw support::Error("autoreconf failed: {}; it needs {} (log: {})", telling_line(support::read_file(log)),
                       kAutotools, log.string());
}

std::vector<std::string> unknown_options(const fs::path& tree, const std::vector<std::string>& options) {
  return listed("unknown", tree, options);
}

std::vector<std::string> options_left_out(const fs::path& tree, const std::vector<std::string>& options) {
  return listed("out", tree, options);
}

std::vector<std::string> selected_options(const fs::path& tree) {
  return options_of_config(tree / "include" / "config.h");
}

std::vector<std::string> options_of_config(const fs::path& config) {
  std::vector<std::string> selected;
  const std::string key = "#define __CACHE_";
  for (const auto& line : support::split(support::read_file(config))) {
    const auto end = line.find("__", key.size());
    if (line.starts_with(key) && end != std::string::npos && end > key.size())
      selected.push_back(line.substr(key.size(), end - key.size()));
  }
  return selected;
}

void configure_with_coconut(const fs::path& tree, const std::vector<std::string>& options,
                            const std::map<std::string, std::string>& environment, const fs::path& log,
                            int timeout_s) {
  support::delete_file(tree / "include" / "config.h");
  support::delete_file(log);
  auto command = command_of("configure", tree, options);
  command.environment.insert(environment.begin(), environment.end());
  command.timeout = std::chrono::seconds(timeout_s);
  const auto result = support::run(command);
  support::write_file(log, result.output);
  auto why = failure_in(result, timeout_s);
  if (why.empty()) {
    const auto selected = selected_options(tree);
    const auto header = support::read_file(tree / "include" / "config.h");
    for (const auto& name : options)
      if (!contains(selected, name) && header.find("__CACHE_" + name + "__") != std::string::npos)
        why += (why.empty() ? "coconut did not select " : ", ") + name;
    if (!why.empty()) why += ", which the profile asks for";
  }
  if (!why.empty()) throw support::Error("{} (log: {})", why, log.string());
}

}  // namespace overlay
