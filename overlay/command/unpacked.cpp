// What of a package's archive is new in a tree, its list on disk, and its way out. Writes in that tree and
// beside it.
#include "unpacked.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view first_line = "unpacked by overlay patch 1\n";

/// What stands at a path, as a list would have it; empty where nothing does.
std::string digest_of(const fs::path& path) {
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return "";
  if (fs::is_symlink(status)) return "link " + fs::read_symlink(path, error).string();
  if (fs::is_directory(status)) return "folder";
  return fs::is_regular_file(status) ? support::sha256_of_file(path) : "other";
}

/// The archive of the IACT package; empty where the tree has none.
fs::path archive_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().string().ends_with(".tar.gz") && entry.is_regular_file(error))
      found.push_back(entry.path());
  return found.empty() ? fs::path() : *std::min_element(found.begin(), found.end());
}

/// Everything below `from` that `to` has nothing for; outer folders before what is in them.
std::vector<Unpacked> news(const fs::path& from, const fs::path& to, const fs::path& tree) {
  std::vector<Unpacked> out;
  for (fs::recursive_directory_iterator it(from), end; it != end; ++it) {
    const auto place = to / it->path().lexically_relative(from);
    const auto there = digest_of(place);
    const auto fresh = digest_of(it->path());
    if (there.empty()) {
      out.push_back({place.lexically_relative(tree).string(), fresh});
    } else if (fresh == "folder" && there != "folder") {
      throw support::Error(
          fmt::format("{} is in the way of a folder of the package; move it elsewhere", place.string()));
    }
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

std::string list_text(const std::vector<Unpacked>& all) {
  std::string out(first_line);
  for (const auto& one : all) {
    out += one.digest;
    out += '\0';
    out += one.name;
    out += '\0';
  }
  return out;
}

std::vector<Unpacked> read_list(const fs::path& list) {
  std::error_code error;
  if (!fs::exists(list, error)) return {};
  const auto text = support::read_file(list);
  std::vector<Unpacked> out;
  std::string_view rest = text;
  const auto damaged = [&] {
    return support::Error(
        fmt::format("{} is damaged; delete it and what was unpacked by hand", list.string()));
  };
  if (!rest.starts_with(first_line)) throw damaged();
  rest.remove_prefix(first_line.size());
  const auto field = [&] {
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) throw damaged();
    std::string value(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return value;
  };
  while (!rest.empty()) {
    auto digest = field();
    auto name = field();
    const fs::path path = name;
    if (path.is_absolute() || path.empty() || std::find(path.begin(), path.end(), "..") != path.end())
      throw damaged();
    out.push_back({std::move(name), std::move(digest)});
  }
  return out;
}

/// Gives a file the name `to` if nothing has it. An error number; 0: done.
int put(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return 0;
  std::error_code error;
  if (errno == EEXIST || fs::exists(fs::symlink_status(to, error))) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;  // a file system without hard links
}

}  // namespace

void unpack_package(const fs::path& tree, const fs::path& list, const fs::path& work) {
  const auto folder = tree / "bernlohr";
  const auto archive = archive_in(folder);
  if (archive.empty()) return;
  const support::TemporaryFolder place(work, "unpacked");
  const auto result = support::run({.argv = {"tar", "--extract", "--no-same-owner", "--file",
                                             archive.string(), "--directory", place.path().string()}});
  if (result.status != 0)
    throw support::Error(fmt::format("{} cannot be unpacked ({}); is it whole, and is there space?",
                                     archive.string(), result.output.substr(0, result.output.find('\n'))));
  const auto fresh = news(place.path(), folder, tree);
  // What a killed call listed and did not put in place is listed already.
  auto all = read_list(list);
  for (const auto& one : fresh)
    if (std::none_of(all.begin(), all.end(), [&](const auto& old) { return old.name == one.name; }))
      all.push_back(one);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  support::write_file(list, list_text(all));
  for (const auto& one : fresh) {
    const auto to = tree / one.name;
    std::error_code error;
    if (one.digest == "folder")
      fs::create_directory(to, error);
    else if (const int problem = put(place.path() / to.lexically_relative(folder), to); problem != 0)
      error = std::error_code(problem, std::generic_category());
    if (error) throw support::Error(fmt::format("cannot write {} ({})", to.string(), error.message()));
  }
}

std::vector<std::string> changed_since(const fs::path& tree, const fs::path& list, const fs::path& manifest) {
  std::error_code error;
  const auto written = fs::is_regular_file(manifest, error) ? support::read_file(manifest) : std::string();
  std::vector<std::string> out;
  for (const auto& one : read_list(list)) {
    const auto now = digest_of(tree / one.name);
    if (now.empty() || now == one.digest) continue;
    if (written.find("\"sha256_after\": \"" + now + "\"") == std::string::npos) out.push_back(one.name);
  }
  return out;
}

std::vector<std::string> remove_unpacked(const fs::path& tree, const fs::path& list) {
  std::vector<std::string> kept;
  auto all = read_list(list);
  std::reverse(all.begin(), all.end());  // what is in a folder before the folder
  std::error_code error;
  for (const auto& one : all) {
    const auto now = digest_of(tree / one.name);
    if (now.empty()) continue;
    // A folder that holds more is not empty, and stays.
    if (now != one.digest || (now == "folder" && !fs::is_empty(tree / one.name, error)))
      kept.push_back(one.name);
    else
      support::delete_file(tree / one.name);
  }
  support::delete_file(list);
  return kept;
}

}  // namespace overlay
