// Installs patched programs with their data. Writes in the prefix alone, under names that are its own.
#include "overlay/build/install.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {

extern const char* const kForms;  // data/forms.txt; made by CMake

namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* kInstallManifest = "overlay-install.json";
constexpr const char* kUnfinishedInstall = ".overlay-install";

/// Installed files by their names below the prefix, with their checksums: two where an installation was
/// stopped between two versions.
using Checksums = std::map<std::string, std::set<std::string>>;

/// Whether a library is of the C library's own package: it fits the kernel and the processor of a machine,
/// and stays its own.
bool is_of_the_system(const std::string& name) {
  static const std::regex own("lib(c|m|mvec|dl|pthread|rt|cuda)\\.so|ld-linux|linux-vdso");
  return std::regex_search(name, own);
}

/// Shared libraries of a program that other machines may lack: name -> file.
std::map<std::string, fs::path> libraries_of(const fs::path& program) {
  const auto result = support::run_tool({"ldd", program.string()});
  if (result.status != 0) throw support::Error("ldd cannot read {}", program.string());
  std::map<std::string, fs::path> libraries;
  for (const auto& line : support::split(result.output)) {
    std::istringstream words(line);
    std::string name, arrow, file;
    if (!(words >> name >> arrow >> file) || arrow != "=>" || is_of_the_system(name)) continue;
    if (!file.starts_with('/'))
      throw support::Error("{} needs {}, which is not here; build it again", program.string(), name);
    libraries[name] = fs::canonical(file);
  }
  return libraries;
}

/// Name of what is started, as coconut gives it to the first program.
std::string program_name(const Installation& made) {
  return made.sets.front().programs.at("patched").filename().string();
}

bool is_curved(const BuildSet& set) { return contains(set.profile.options, "CURVED"); }

std::string installed_name(const Installation& made, const BuildSet& set) {
  return program_name(made) + (is_curved(set) ? kCurved : kFlat);
}

/// This system's image in public registries, such as debian:12-slim: its C library is ours or newer.
std::string base_image() {
  std::map<std::string, std::string> system;
  std::ifstream in("/etc/os-release");
  for (std::string line; std::getline(in, line);) {
    std::erase(line, '"');
    system[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  }
  return system["ID"] + ":" + system["VERSION_ID"] + (system["ID"] == "debian" ? "-slim" : "");
}

/// The programs as simtools looks them up, build_opts.yml: coconut's names are RELEASE_MODEL_LOWMODEL.
std::string build_options(const Installation& made) {
  std::string text = fmt::format("corsika_version: \"{}\"\nvariant:\n", made.sets.front().corsika_version);
  std::istringstream words(std::regex_replace(program_name(made), std::regex("_"), " "));
  std::string release, high = "none", low = "none";
  words >> release >> high >> low;
  high = std::regex_replace(high, std::regex("QGSI+"), "qgs" + std::to_string(std::ranges::count(high, 'I')));
  std::ranges::transform(high, high.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto& set : made.sets)
    text += fmt::format(
        "  - executable: \"{}\"\n    config: \"{}\"\n    atmosphere_geometry: \"{}\"\n"
        "    he_hadronic_model: \"{}\"\n    le_hadronic_model: \"{}\"\n",
        installed_name(made, set), support::join(set.profile.options), is_curved(set) ? "curved" : "flat",
        high, low);
  return text;
}

/// All but programs, tables and libraries.
void write_texts(const Installation& made, const fs::path& stage) {
  const auto& set = made.sets.front();
  auto version = set.corsika_version;
  std::ranges::replace(version, ' ', '-');
  std::string programs;
  for (const auto& each : made.sets)
    programs +=
        fmt::format("  {:<15}  {}\n  {:<15}  {}\n", is_curved(each) ? "curved program" : "program",
                    support::join(each.profile.options), "Cherenkov stage", each.cherenkov_stage.text());
  std::string run_folders = "run1";
  for (const auto& name : output_folders(Card(set.card))) run_folders += " run1/" + name;
  const std::map<std::string, std::string> values{
      {"VERSION", set.corsika_version},
      {"PROFILE", set.profile.name},
      {"PROGRAMS", programs},
      {"SUBSTITUTES", set.substitutes.empty() ? "none" : support::join(set.substitutes, "; ")},
      {"FLAGS", set.flags},
      {"COMPILERS", set.compilers},
      {"PROGRAM", program_name(made)},
      {"GAIN", made.gain},
      {"RUN_FOLDERS", run_folders},
      {"LIMIT", fmt::format("{}", kCurvedFrom)},
      {"IMAGE", base_image()},
      {"MANIFEST", kInstallManifest}};
  support::write_file(stage / "README", filled_form(kForms, "README", values));
  fs::create_directories(stage / "modulefiles" / "corsika");
  support::write_file(stage / "modulefiles" / "corsika" / version, filled_form(kForms, "modulefile", values));
  if (made.container == "docker")
    support::write_file(stage / "Containerfile", filled_form(kForms, "docker", values));
  if (made.container == "apptainer")
    support::write_file(stage / "corsika.def", filled_form(kForms, "apptainer", values));
  support::write_file(stage / "run" / "example.card", set.card);
  support::write_file(stage / "run" / "build_opts.yml", build_options(made));
}

void copy_in(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!error) fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::skip_existing, error);
  if (error)
    throw support::Error("cannot copy {} to {} ({}); is there space?", from.string(), to.string(),
                         error.message());
  // Tables of an archive may be read-only, and a folder of them is to be removed like any other.
  fs::permissions(to, fs::perms::owner_write, fs::perm_options::add, error);
}

Checksums checksums_of(const fs::path& folder) {
  Checksums sums;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      sums[entry.path().lexically_relative(folder).string()] = {support::sha256_of_file(entry.path())};
  return sums;
}

void write_manifest(const fs::path& folder, const Installation& made, const Checksums& files) {
  const auto& set = made.sets.front();
  json manifest{{"installed_by", "overlay"},
                {"profile", set.profile.name},
                {"asked_options", set.conditions.options},
                {"corsika", {{"version", set.corsika_version}, {"sha256", set.sha256}}},
                {"overlay", set.conditions.stage},
                {"flags", set.flags},
                {"compilers", set.compilers},
                {"substitutes", set.substitutes},
                {"notes", set.notes},
                {"programs", json::array()},
                {"files", json::array()}};
  for (const auto& each : made.sets)
    manifest["programs"].push_back({{"path", "run/" + installed_name(made, each)},
                                    {"options", each.profile.options},
                                    {"sources", each.conditions.sources},
                                    {"cherenkov_stage", each.cherenkov_stage.text()}});
  manifest.update(made.provenance);
  for (const auto& [name, sums] : files)
    for (const auto& sum : sums) {
      manifest["files"].push_back({{"path", name}, {"sha256", sum}});
      if (name.starts_with("run/") && set.data_files.contains(name.substr(4)))
        manifest["files"].back()["table"] = true;
    }
  support::write_file(folder / kInstallManifest,
                      manifest.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

using OptionNames = std::set<std::string>;

/// What an earlier installation left; empty where there is none. `options`: as they were asked for.
Checksums earlier_files(const fs::path& prefix, const OptionNames& options) {
  const auto file = prefix / kInstallManifest;
  if (!fs::exists(file)) return {};
  Checksums files;
  std::string installed_by;
  OptionNames other;
  try {
    const auto manifest = json::parse(support::read_file(file));
    installed_by = manifest.value("installed_by", "");
    other = manifest.value("asked_options", manifest.at("programs").at(0).at("options").get<OptionNames>());
    for (const auto& entry : manifest.at("files"))
      files[entry.at("path").get<std::string>()].insert(entry.at("sha256").get<std::string>());
  } catch (const json::exception&) {
    installed_by.clear();
  }
  if (installed_by != "overlay")
    throw support::Error("{} is not a list of ours; give another --prefix", file.string());
  if (other != options)
    throw support::Error("{} holds a program with other options, {}; give another --prefix", prefix.string(),
                         fmt::join(other, " "));
  return files;
}

/// Throws Error where a file stands in the way that is not ours, or is no longer as we installed it.
void refuse_foreign_files(const fs::path& prefix, const Checksums& earlier, const Checksums& fresh) {
  const auto refuse = [](const fs::path& file, const char* why) {
    throw support::Error("{} {}; move it, or give another --prefix", file.string(), why);
  };
  for (const auto& [name, sums] : fresh) {
    const auto file = prefix / name;
    for (auto folder = file.parent_path(); folder != prefix; folder = folder.parent_path())
      if (fs::is_symlink(folder) || (fs::exists(folder) && !fs::is_directory(folder)))
        refuse(folder, "is in the way and not ours");
    if (!fs::exists(fs::symlink_status(file))) continue;
    const auto listed = earlier.find(name);
    // What a run of this program has kept since is the same.
    if (listed == earlier.end() && is_kept_table(name)) continue;
    if (listed == earlier.end()) refuse(file, "is in the way and not ours");
    if (fs::is_symlink(file) || !fs::is_regular_file(file))
      refuse(file, "was replaced since it was installed");
    const auto found = support::sha256_of_file(file);
    if (!listed->second.contains(found) && !sums.contains(found))
      refuse(file, "was changed since it was installed");
  }
}

/// Renames staged files into a prefix that is there. The list goes first, with old and new files, so that
/// whatever stops us leaves a prefix that is still known to be ours.
void replace_files(const fs::path& stage, const fs::path& prefix, const Installation& made,
                   const Checksums& earlier, const Checksums& fresh) {
  auto both = earlier;
  for (const auto& [name, sums] : fresh) both[name].insert(sums.begin(), sums.end());
  write_manifest(prefix, made, both);
  for (const auto& [name, sums] : fresh) {
    fs::create_directories((prefix / name).parent_path());
    fs::rename(stage / name, prefix / name);
  }
  for (const auto& [name, sums] : earlier)
    if (!fresh.contains(name) && fs::is_regular_file(prefix / name) &&
        sums.contains(support::sha256_of_file(prefix / name)))
      fs::remove(prefix / name);
  write_manifest(prefix, made, fresh);
}

/// Returns how many files there are.
std::size_t publish(const Installation& made, const fs::path& prefix) {
  const bool is_new = !fs::exists(fs::symlink_status(prefix));
  const auto parent = is_new ? prefix.parent_path() : prefix;
  const Workplace workplace(parent, kUnfinishedInstall);
  if (is_new == fs::exists(fs::symlink_status(prefix)))
    throw support::Error("{} was made by somebody else meanwhile; try again", prefix.string());
  const auto earlier = is_new ? Checksums() : earlier_files(prefix, made.sets.front().conditions.options);
  const support::TemporaryFolder temporary(parent, kUnfinishedInstall);
  const auto stage = temporary.path() / "prefix";
  for (const auto& set : made.sets) {
    lay_out_program(set, "patched", stage);
    const fs::path& program = set.programs.at("patched");
    const fs::path to = stage / "run" / installed_name(made, set);
    fs::rename(stage / "run" / program.filename(), to);
    // Tables that the pair of runs has left beside the program (refraction_table_entry.cpp).
    for (const auto& entry : fs::directory_iterator(program.parent_path()))
      if (is_kept_table(entry.path())) copy_in(entry.path(), to.string() + entry.path().extension().string());
  }
  copy_program(made.launcher, stage / "run" / program_name(made), stage / "run");
  write_texts(made, stage);
  const auto fresh = checksums_of(stage);
  if (is_new) {
    write_manifest(stage, made, fresh);
    fs::rename(stage, prefix);
  } else {
    refuse_foreign_files(prefix, earlier, fresh);
    replace_files(stage, prefix, made, earlier, fresh);
  }
  for (const auto& name : output_folders(Card(made.sets.front().card)))
    fs::create_directories(prefix / "run" / name);
  return fresh.size();
}

}  // namespace

void copy_program(const fs::path& program, const fs::path& to, const fs::path& libraries) {
  copy_in(program, to);
  for (const auto& [library, file] : libraries_of(program)) copy_in(file, libraries / library);
}

void lay_out_program(const BuildSet& set, const std::string& build, const fs::path& folder) {
  const auto& program = set.programs.at(build);
  copy_program(program, folder / "run" / program.filename(), folder / "run");
  for (const auto& [table, file] : set.data_files) copy_in(file, folder / "run" / table);
  for (const auto& [beside, source] : set.folders_beside)
    for (const auto& table : matching_files(source, {beside + ".*"}))
      if (is_data_file(table)) copy_in(table, folder / beside / table.filename());
}

fs::path checked_prefix(const fs::path& given, const OptionNames& options) {
  auto prefix = absolute_folder(given);
  const support::NewFolders made(prefix, "--prefix");
  if (access(prefix.c_str(), W_OK) != 0)
    throw support::Error("you may not write in {}; give another folder with --prefix", prefix.string());
  earlier_files(prefix, options);
  return prefix;
}

std::size_t install(const Installation& made, const fs::path& prefix) try {
  return publish(made, prefix);
} catch (const fs::filesystem_error& problem) {
  throw support::Error("cannot install in {} ({}); is there space, and may you write there?", prefix.string(),
                       problem.code().message());
}

}  // namespace overlay
