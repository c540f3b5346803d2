// Copies of a CORSIKA tree: see the header.
#include "overlay/build/tree_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <initializer_list>
#include <map>
#include <vector>

#include "overlay/build/models.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

bool is_elf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  char start[4] = {};
  stream.read(start, 4);
  return std::string(start, 4) == "\177ELF";
}

bool matches_any(const std::string& name, std::initializer_list<const char*> wildcards) {
  return std::any_of(wildcards.begin(), wildcards.end(),
                     [&](const char* wildcard) { return matches(name, wildcard); });
}

/// The names of everything in a tree that `left_out` does not refuse, by rising name. Links are not followed.
template <typename Refuses>
std::vector<fs::path> names_in(const fs::path& tree, Refuses left_out) {
  std::vector<fs::path> names;
  for (fs::recursive_directory_iterator it(tree), end; it != end; ++it) {
    support::check_interrupt();
    fs::path name = it->path().lexically_relative(tree);
    if (left_out(name)) {
      if (it->is_directory() && !it->is_symlink()) it.disable_recursion_pending();
      continue;
    }
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void copy_one(const fs::path& from, const fs::path& to) {
  if (fs::is_symlink(from)) return fs::copy_symlink(from, to);
  if (fs::is_directory(from)) {
    fs::create_directory(to);
    return;
  }
  if (!fs::is_regular_file(from)) return;  // a pipe or a socket is no source
  fs::copy_file(from, to);
  fs::last_write_time(to, fs::last_write_time(from));
}

template <typename Refuses>
void copy_files(const fs::path& from, const fs::path& to, Refuses left_out) {
  try {
    fs::create_directories(to);
    for (const auto& name : names_in(from, left_out)) copy_one(from / name, to / name);
  } catch (const fs::filesystem_error& problem) {
    throw support::Error("cannot copy {}: {}", problem.path1().string(), problem.code().message());
  }
}

/// Replaces links that lead to folders outside of the tree by copies of these folders: a build writes and
/// deletes in its copy alone.
void copy_linked_folders(const fs::path& from, const fs::path& to, int depth) {
  constexpr int kDeepest = 8;  // links of one folder to the other and back have no end
  const auto tree = fs::canonical(from);
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    std::error_code error;
    if (!entry.is_symlink(error) || !entry.is_directory(error)) continue;
    const auto place = to / entry.path().lexically_relative(from);
    if (!fs::is_symlink(place, error)) continue;  // not copied
    const auto target = fs::canonical(entry.path());
    const auto below = target.lexically_relative(tree);
    if (!below.empty() && *below.begin() != "..") continue;
    if (depth == kDeepest)
      throw support::Error("{} leads from link to link; give a tree that holds the folder itself",
                           entry.path().string());
    fs::remove(place);
    copy_files(target, place, [](const fs::path&) { return false; });
    copy_linked_folders(target, place, depth + 1);
  }
}

/// Gives generated files of autotools times in the order that make expects: unpacked archives and checkouts
/// do not keep them.
void order_times(const fs::path& tree) {
  if (!fs::exists(tree / "configure.ac") || !fs::exists(tree / "configure")) return;
  const auto now = fs::file_time_type::clock::now();
  const auto age = [&](const char* wildcard, std::chrono::seconds how_old) {
    for (const auto& entry : fs::recursive_directory_iterator(tree))
      if (!entry.is_symlink() && entry.is_regular_file() &&
          matches(entry.path().filename().string(), wildcard))
        fs::last_write_time(entry.path(), now - how_old);
  };
  for (const char* name : {"configure.ac", "acinclude.m4", "Makefile.am", "*.m4"})
    age(name, std::chrono::seconds(500));
  age("aclocal.m4", std::chrono::seconds(400));
  age("config.h.in", std::chrono::seconds(300));
  age("Makefile.in", std::chrono::seconds(200));
  age("configure", std::chrono::seconds(100));
}

template <typename Refuses>
void copy_whole(const fs::path& from, const fs::path& to, Refuses left_out) {
  std::error_code error;
  fs::remove_all(to, error);
  auto part = to;
  part += ".part";
  fs::remove_all(part, error);
  fs::create_directories(to.parent_path());
  try {
    copy_files(from, part, left_out);
    copy_linked_folders(from, part, 0);
  } catch (const std::exception&) {
    fs::remove_all(part, error);
    throw;
  }
  // Unpacked archives may be read-only.
  support::run({.argv = {"chmod", "-R", "u+rwX", part.string()}});
  order_times(part);
  fs::rename(part, to);
}

/// Every source by its name, with " " and its checksum, or " -> " and where a link leads.
std::map<std::string, std::string> sources_of(const fs::path& tree) {
  std::map<std::string, std::string> all;
  for (const auto& name : names_in(tree, [&](const fs::path& each) { return is_made_in_tree(tree, each); })) {
    if (fs::is_symlink(tree / name))
      all[name.string()] = " -> " + fs::read_symlink(tree / name).string();
    else if (fs::is_regular_file(tree / name))
      all[name.string()] = " " + support::sha256_of_file(tree / name);
  }
  return all;
}

constexpr const char* kAutotools = "autoconf, automake, libtool and autoconf-archive";

}  // namespace

bool is_made_in_tree(const fs::path& tree, const fs::path& name) {
  const std::string file = name.filename().string();
  const fs::path folder = name.parent_path();
  std::error_code error;
  if (matches_any(file, {".git", ".svn", ".libs", ".deps", "autom4te.cache"})) return true;
  if (fs::is_directory(tree / name, error)) return false;
  if (matches_any(file,
                  {"*.o", "*.lo", "*.la", "config.status", "config.log", "config.cache", "stamp-h[0-9]"}))
    return true;
  const auto beside = [&](const char* other) { return fs::exists(tree / folder / other, error); };
  const bool of_automake = beside("Makefile.am") || beside("Makefile.in");
  if (file == "Makefile" || (folder.empty() && file == "libtool")) return of_automake;
  if (file.ends_with(".a"))  // also of lib/SYSTEM, where make installs them
    return of_automake || (!folder.empty() && *folder.begin() == "lib");
  if (folder == "include") return file == "config.h";
  if (folder == "src") return matches(file, "corsika*compilefile.f");
  if (folder != "run") return false;
  const std::string number = "[0-9][0-9][0-9][0-9][0-9][0-9]*";
  return matches(file, "DAT" + number) || matches(file, "CER" + number) || matches(file, "core.[0-9]*") ||
         (matches(file, "corsika*") && is_elf(tree / name));
}

std::string sha256_of_sources(const fs::path& tree) {
  std::vector<std::string> lines;
  for (const auto& [name, what] : sources_of(tree)) lines.push_back(name + what);
  std::sort(lines.begin(), lines.end());
  return support::sha256_of_text(support::join(lines, "\n"));
}

void copy_tree(const fs::path& from, const fs::path& to) {
  copy_whole(from, to, [](const fs::path& name) { return name.filename() == ".git"; });
}

void copy_sources(const fs::path& from, const fs::path& to) {
  copy_whole(from, to, [&](const fs::path& name) { return is_made_in_tree(from, name); });
}

bool lacks_configure(const fs::path& tree) {
  std::error_code error;
  return fs::exists(tree / "configure.ac", error) &&
         (!fs::exists(tree / "configure", error) ||
          (fs::exists(tree / "Makefile.am", error) && !fs::exists(tree / "Makefile.in", error)));
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
  support::Command command{{"autoreconf", "--install"}};
  command.cwd = tree;
  command.log = log;
  support::write_file(log, "");
  if (support::run(command).status == 0 && !lacks_configure(tree)) return;
  const std::string text = support::read_file(log);
  const auto at = text.find("error:");
  const auto begin = at == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  throw support::Error(
      "autoreconf failed: {}; it needs {} (log: {})",
      at == std::string::npos ? "it made no configure" : text.substr(begin, text.find('\n', at) - begin),
      kAutotools, log.string());
}

}  // namespace overlay
