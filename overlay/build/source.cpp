// Gets CORSIKA's sources: downloads, checks checksums, unpacks. Writes in OUT/downloads, OUT/source and
// OUT/known-releases.toml, each under a lock and through names of its own.
#include "overlay/build/source.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <tuple>

#include "overlay/build/build.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* official_host = "web.iap.kit.edu";

/// Whether two checksums are, hexadecimal in any case.
bool same(const std::string& a, const std::string& b) { return upper_case(a) == upper_case(b); }

bool is_url(const std::string& text) { return text.starts_with("https://") || text.starts_with("http://"); }

/// The lines that give curl the password, where the server is one that it is for.
std::string curl_config(const std::string& url, const std::string& host) {
  const char* extra = std::getenv("CORSIKA_HOST");
  const bool ours = host == official_host || (extra != nullptr && host == extra);
  const char* password = std::getenv("CORSIKA_PW");
  if (!ours || password == nullptr) return "# no user\n";
  if (!url.starts_with("https://") && extra == nullptr)
    throw support::Error("the password is only sent over https; write the address with https://");
  std::string config = "user = \"corsika:";
  for (const char* c = password; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') config += '\\';
    config += *c;
  }
  return config + "\"\n";
}

/// The archive of an address. It keeps its name, by which lists of checksums know it, in a folder of the
/// address's own: two addresses may end with one name.
fs::path download(const std::string& url, const fs::path& out) {
  std::string name = url.substr(0, url.find_first_of("?#"));
  name = name.substr(name.find_last_of('/') + 1);
  if (name.empty() || name == "." || name == "..")
    throw support::Error("{} names no file; give the address of an archive such as .../corsika-77410.tar.gz",
                         url);
  const auto folder = out / "downloads" / support::sha256_of_text(url).substr(0, 16);
  auto target = folder / name;
  if (fs::is_regular_file(target)) return target;
  if (!support::find_program("curl"))
    throw support::Error("curl is needed to download; install it, or download the archive and give its path");
  std::string host = url.substr(url.find("://") + 3);
  host = host.substr(0, host.find('/'));

  const Workplace workplace(folder);
  if (fs::is_regular_file(target)) return target;  // fetched by the one that we waited for
  const support::TemporaryFolder unfinished(folder, ".unfinished");
  const auto partial = unfinished.path() / name;
  support::Command curl{{"curl", "--config", "-", "--silent", "--show-error", "--location", "--fail",
                         "--connect-timeout", "30", "--output", partial.string(), "--write-out",
                         "%{http_code}", url}};
  curl.input = curl_config(url, host);
  const auto result = support::run(curl);
  if (result.status != 0) {
    if (support::disk_is_full(folder, result.output)) report_full_disk(out);
    if (result.output.find("401") != std::string::npos)
      throw support::Error(
          "{} asks for a password; put the one that you were mailed into the environment variable CORSIKA_PW",
          host);
    throw support::Error(
        "cannot download {}: {}; check the address, or download the archive and give its path", url,
        first_line(result.output));
  }
  fs::rename(partial, target);
  return target;
}

/// Throws Error where a list knows another checksum of this name; returns whether one knows this one, of
/// whatever name.
bool check_sum(const fs::path& archive, const BuildRequest& request, const std::string& sha256) {
  const auto name = archive.filename().string();
  if (!request.sha256.empty() && !same(request.sha256, sha256))
    throw support::Error("wrong checksum: {} has SHA-256 {}, but --sha256 says {}", name, sha256,
                         request.sha256);
  std::vector<fs::path> lists{profiles_folder() / "known-releases.toml"};
  if (request.known) {
    if (!fs::is_regular_file(support::status_of(*request.known)))
      throw support::Error("no list of releases {}", request.known->string());
    lists.push_back(*request.known);
  }
  const auto first_use = request.out / "known-releases.toml";
  if (fs::is_regular_file(first_use)) lists.push_back(first_use);
  bool recorded = false;
  const auto md5 = support::md5_of_file(archive);
  for (const auto& list : lists) {
    const auto file = support::Toml::read(list, "list of releases");
    for (const auto& release : file["release"].list())
      for (const auto& [key, kind, found] : {std::tuple{"sha256", "SHA-256", sha256}, {"md5", "MD5", md5}}) {
        const auto listed = release[key].text().value_or("");
        const bool of_this_name = release["file"].text() == name;
        if (of_this_name && !listed.empty() && !same(listed, found))
          throw support::Error(
              "wrong checksum: {} has {} {}, but {} says {}; download the archive again, or correct the list",
              name, kind, found, list.string(), listed);
        // Of an MD5 alone the SHA-256 is yet to be recorded.
        recorded = recorded || (same(listed, found) && !(of_this_name && found == md5));
      }
  }
  return recorded;
}

bool is_zip(const fs::path& archive) {
  std::ifstream stream(archive, std::ios::binary);
  char start[4] = {};
  stream.read(start, 4);
  return std::string(start, 4) == "PK\3\4";
}

/// Unpacks an archive in a folder of its own beside `place`, and renames it there. Call it under the lock.
void unpack(const fs::path& archive, const fs::path& place, const fs::path& out) {
  const support::TemporaryFolder unfinished(place.parent_path(), ".unfinished");
  const auto into = unfinished.path() / "tree";
  fs::create_directory(into);
  // cmake's own tar says nothing of a full disk.
  support::Command unpacks{{"tar", "--extract", "--no-same-owner", "--file", archive.string()}, into};
  if (is_zip(archive)) unpacks.argv = {"cmake", "-E", "tar", "xf", archive.string()};
  const auto result = support::run(unpacks);
  if (result.status != 0) {
    if (support::disk_is_full(into, result.output)) report_full_disk(out);
    throw support::Error("{} is not a whole tar archive ({}); download it again", archive.string(),
                         first_line(result.output));
  }
  std::vector<fs::path> inside;
  for (const auto& entry : fs::directory_iterator(into)) inside.push_back(entry.path());
  const auto unpacked = inside.size() == 1 && fs::is_directory(inside[0]) ? inside[0] : into;
  release_of(unpacked, archive);
  std::error_code error;
  fs::rename(unpacked, place, error);
  if (error)
    throw support::Error("cannot write in {} ({}); give --out DIR elsewhere", out.string(), error.message());
}

/// Writes down a checksum that no list knows. Call it under the lock.
void record(const fs::path& archive, BuildSet& set, const fs::path& out) {
  const auto list = out / "known-releases.toml";
  const std::string old =
      fs::is_regular_file(list) ? support::read_file(list) : "# Checksums recorded at first use.\n";
  const auto name = archive.filename().string();
  try {
    support::write_file(list, fmt::format("{}\n[[release]]\nversion = \"{}\"\nfile = {}\nsha256 = \"{}\"\n",
                                          old, release_of(set.source), toml_text(name), set.sha256));
  } catch (const support::Error& problem) {
    if (support::disk_is_full(out, problem.what())) report_full_disk(out);
    throw;
  }
  set.notes.push_back(
      fmt::format("{}: SHA-256 {} recorded at first use; checked from now on", name, set.sha256));
}

/// Unpacks the archive where that is not done yet.
void add_archive(BuildSet& set, const fs::path& archive, const BuildRequest& request) {
  set.sha256 = support::sha256_of_file(archive);
  set.source = request.out / "source" / (archive.stem().stem().string() + "-" + set.sha256.substr(0, 12));
  const Workplace workplace(set.source.parent_path());
  const bool recorded = check_sum(archive, request, set.sha256);
  if (!fs::is_directory(set.source)) unpack(archive, set.source, request.out);
  if (!recorded && request.sha256.empty()) record(archive, set, request.out);
}

/// 77410 or 7.7410 as "77410", without quotes, brackets and blanks around it; empty where it is no release.
std::string digits_in(const std::string& text) {
  static const std::regex form(R"([\s'"\[\]]*(\d)\.?(\d{3,})[\s'"\[\]]*)");
  std::smatch found;
  return std::regex_match(text, found, form) ? found[1].str() + found[2].str() : "";
}

/// What a tree says of its release: configure, or what a checkout has in its place. "77410"; throws Error
/// where none says it, with the tree as `called`.
std::string digits_of_release(const fs::path& tree, const fs::path& called) {
  std::string said;
  for (const auto& [file, form] :
       {std::pair{"configure", R"(PACKAGE_VERSION='([^']{0,80})')"},
        std::pair{"configure.ac", R"(AC_INIT\([^,)\n]{0,80},([^,)\n]{0,80})[,)\n])"},
        std::pair{"src/corsika.F", R"(#define __CVERSION__([^\n]{0,80})\n)"}}) {
    const auto text =
        fs::is_regular_file(support::status_of(tree / file)) ? support::read_file(tree / file) : "";
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(form))) continue;
    if (auto digits = digits_in(found[1]); !digits.empty()) return digits;
    if (said.empty()) said = fmt::format("its {} says '{}'", file, found[1].str());
  }
  throw support::Error("cannot tell the release of {}: {}", called.string(),
                       said.empty() ? "none of its files says it" : said);
}

}  // namespace

std::string release_of(const fs::path& tree, const fs::path& archive) {
  const auto& called = archive.empty() ? tree : archive;
  const bool checkout = fs::is_regular_file(support::status_of(tree / "configure.ac"));
  for (const char* needed : {"configure", "coconut", "src/corsika.F"})
    if (!fs::is_regular_file(support::status_of(tree / needed)) &&
        !(checkout && needed == std::string("configure")))
      throw support::Error(
          "{} is no CORSIKA 7 {}: it has no {}; give an archive as downloaded, or the folder that it unpacks "
          "to",
          called.string(), archive.empty() ? "tree" : "archive", needed);
  const auto digits = digits_of_release(tree, called);
  std::string version = digits.substr(0, 1) + "." + digits.substr(1);
  const int series = (digits[0] - '0') * 10 + (digits[1] - '0');
  if (series < 74 || series > 78)
    throw support::Error("release {} is outside 7.4 to 7.8, which this overlay supports; get one of those",
                         version);
  return version;
}

void refuse_output_in_tree(const std::string& corsika, const fs::path& folder, const char* option) {
  std::error_code error;
  if (corsika == "standin" || !fs::is_directory(corsika, error)) return;
  std::vector<fs::path> inside{corsika};
  fs::recursive_directory_iterator it(corsika, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end; it.increment(error))
    if (std::error_code dead; it->is_symlink() && it->is_directory(dead)) inside.push_back(it->path());
  // Commands write to the path without its dots, which need not be where the system finds it with them.
  const auto given = fs::absolute(folder);
  for (const auto& path : {given, given.lexically_normal()})
    for (auto at = fs::weakly_canonical(path, error); at.has_relative_path(); at = at.parent_path())
      for (const auto& each : inside)
        if (fs::equivalent(at, each, error))
          throw support::Error(
              "{} {} lies in the tree {}, and nothing is written there; give a folder outside of it", option,
              folder.string(), corsika);
}

BuildSet obtain_source(const BuildRequest& asked) {
  BuildRequest request = asked;
  request.out = fs::absolute(asked.out).lexically_normal();
  BuildSet set;
  set.standin = request.corsika == "standin";
  if (set.standin) {
    const char* folder = std::getenv("OVERLAY_STANDIN");
    set.source = folder != nullptr ? fs::path(folder) : build_root() / "standin";
    if (!fs::is_regular_file(set.source / "Makefile"))
      throw support::Error("the stand-in program is not in {}; build in a whole checkout",
                           set.source.string());
    set.corsika_version = first_line(support::read_file(set.source / "VERSION"));
    set.sha256 = support::sha256_of_tree(set.source);
    set.source_id = "standin-" + set.sha256.substr(0, 8);
    return set;
  }
  fs::path path = request.corsika;
  if (is_url(request.corsika)) path = download(request.corsika, request.out);
  if (!fs::exists(support::status_of(path)))
    throw support::Error(
        "no such archive or folder: {}; give a CORSIKA 7 archive, an unpacked tree, a URL, or 'standin'",
        path.string());
  path = fs::canonical(path);
  if (fs::is_directory(path)) {
    release_of(path);
    refuse_output_in_tree(request.corsika, request.out, "--out");
    set.source = path;
    set.sha256 = sha256_of_sources(path);
    if (!request.sha256.empty() && !same(request.sha256, set.sha256))
      throw support::Error("wrong checksum: the files of {} have SHA-256 {}, but --sha256 says {}",
                           path.string(), set.sha256, request.sha256);
  } else {
    add_archive(set, path, request);
  }
  set.corsika_version = release_of(set.source);
  set.source_id = "corsika-" + set.corsika_version + "-" + set.sha256.substr(0, 8);
  return set;
}

}  // namespace overlay
