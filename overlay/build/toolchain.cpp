// Finds our library, includes and patcher in the build of this checkout, and tells flags and environment.
// Judges flags by what they do: compiles overlay/build/probe with them and runs it, in a temporary folder.
#include "overlay/build/toolchain.hpp"

#include "overlay/build/workplace.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// A shared library named by its path comes out of libtool before everything that needs it, and the linker
/// then drops it; as -l it stays in its place.
std::string libtool_safe(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (auto word : words) {
    const auto name = fs::path(word).filename().string();
    const auto so = name.find(".so");
    if (word.starts_with('/') && name.starts_with("lib") && so != std::string::npos) {
      result.push_back("-L" + fs::path(word).parent_path().string());
      word = "-l" + name.substr(3, so - 3);
    }
    result.push_back(word);
  }
  return support::join(result);
}

fs::path rules_folder() { return source_root() / "corsika-patches" / "rules"; }

/// The lines that a program of the probe prints where it is compiled with these flags. `effects` gets what
/// the compiler says of itself.
std::vector<std::string> lines_of_probe(const std::string& compiler, const fs::path& source,
                                        const std::string& flags, std::set<std::string>& effects) {
  const support::TemporaryFolder folder("overlay-flags");
  support::Command compile{.argv = words_of(compiler + " " + flags), .cwd = folder.path()};
  compile.argv.insert(compile.argv.end(), {source.string(), "-o", "probe", "-lm"});
  compile.timeout = std::chrono::seconds(120);
  const auto compiled = support::run(compile);
  if (compiled.status != 0)
    throw support::Error("{} does not take the flags '{}': {}; correct --flags", compiler, flags,
                         telling_line(compiled.output));
  // Asked for, and switched off by the compiler as long as other flags are missing: not to be relied on.
  if (compiled.output.find("-fassociative-math") != std::string::npos &&
      compiled.output.find("disabled") != std::string::npos)
    effects.insert("reordered-sums");
  const auto ran = support::run({.argv = {(folder.path() / "probe").string()},
                                 .cwd = folder.path(),
                                 .input_file = source.parent_path() / "numbers.txt",
                                 .timeout = std::chrono::seconds(20)});
  if (ran.status != 0)
    throw support::Error("a small program compiled with the flags '{}' does not run here; correct --flags",
                         flags);
  return support::split(ran.output);
}

}  // namespace

OurLibrary find_our_library(const fs::path& root, const fs::path& includes, const std::string& gpu) {
  for (const auto& folder : {root, includes})
    if (folder.string().find_first_of(" \t") != std::string::npos)
      throw support::Error("make and libtool cannot take the blanks in {}; move this checkout",
                           folder.string());
  OurLibrary library;
  library.patcher = root / "bin" / "corsika-patch";
  const auto line_file = root / "fortran-bindings" / (gpu == "off" ? "link-line-cpu.txt" : "link-line.txt");
  for (const auto& needed : {library.patcher, line_file})
    if (!fs::is_regular_file(needed))
      throw support::Error(
          "{} is not there; build the project first (scripts/overlay does), or ask for stock builds only",
          needed.string());
  const auto line = support::read_file(line_file);
  auto words = words_of(line);
  for (auto& word : words)
    if (!word.starts_with('/') && !word.starts_with('-')) word = (root / word).string();  // installed
  library.with_cuda = line.find("cudart") != std::string::npos;
  library.link_words = libtool_safe(words);
  library.includes = includes;

  // The patcher with its rules; the library with its includes.
  std::string patcher = support::sha256_of_file(library.patcher);
  if (fs::is_directory(rules_folder())) patcher += support::sha256_of_tree(rules_folder());
  library.patcher_fingerprint = support::sha256_of_text(patcher);
  std::string parts = support::sha256_of_tree(includes);
  for (const auto& word : words) {
    if (!word.starts_with('/')) continue;
    if (!fs::is_regular_file(word))
      throw support::Error("{} is not there; build the project first (scripts/overlay does)", word);
    parts += support::sha256_of_file(word);
  }
  library.library_fingerprint = support::sha256_of_text(parts);
  return library;
}

support::CommandResult run_patcher(const std::string& patcher, const fs::path& tree,
                                   const std::vector<std::string>& more, support::Command::Errors errors) {
  const auto rules = rules_folder();
  support::Command command{{patcher, "apply", "--tree", tree.string(), "--rules",
                            (rules / "ranmar.toml").string(), (rules / "cherenkov.toml").string()}};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  command.errors = errors;
  return support::run(command);
}

bool are_given(const std::string& asked) { return asked != "shipped" && asked != "tuned"; }

void check_flags(const std::string& asked) {
  if (are_given(asked) &&
      (asked.find('-') == std::string::npos || asked.find_first_of("\n\"'`$;&|<>\\") != std::string::npos))
    throw support::Error(
        "--flags cannot be '{}'; give shipped, tuned, or compiler flags such as \"-O3 -mavx2\"", asked);
}

std::string flags_of(const std::string& build, const std::string& asked) {
  const bool shipped = asked == "shipped" || build == "stock-shipped";
  const std::string flags = shipped ? "" : asked == "tuned" ? "-O2" : asked;
  const std::string more = build.ends_with("-gprof") ? "-pg" : build.ends_with("-sampled") ? "-g" : "";
  return flags + (flags.empty() || more.empty() ? "" : " ") + more;
}

bool rounds_one_by_one(const std::string& asked) {
  return !are_given(asked) || probe_flags(flags_of("stock", asked)).empty();
}

std::map<std::string, std::string> environment_of(const std::string& build, const std::string& asked,
                                                  const OurLibrary* library, bool stage,
                                                  const std::filesystem::path& tree) {
  const std::string flags = flags_of(build, asked);
  std::map<std::string, std::string> e{
      {"F77", "gfortran"}, {"FC", "gfortran"}, {"CC", "gcc"},
      {"FFLAGS", flags},   {"CFLAGS", flags},  {"LDFLAGS", build.ends_with("-gprof") ? "-pg" : ""},
      {"CPPFLAGS", ""},    {"LIBS", ""}};
  if (is_patched(build) && library != nullptr) {
    // Our includes use the tree's own headers, and cpp looks for those beside ours first.
    const bool generator = build != "patched-stage";
    e["CPPFLAGS"] =
        fmt::format("{}{}-I{} -I{}", generator ? "-D__RANMARLIB__ " : "", stage ? "-D__CHERENKOVLIB__ " : "",
                    library->includes.string(), (tree / "src").string());
    // Libraries that are installed beside the program are found there. The linker reads the option from a
    // file: make and shells would each take a part of "$ORIGIN".
    e["LIBS"] = library->link_words + " -Wl,@" + (tree.parent_path() / kLinkOptions).string();
  }
  return e;
}

bool is_patched(const std::string& build) { return build.starts_with("patched"); }

std::set<std::string> probe_flags(const std::string& flags) {
  std::set<std::string> effects;
  const auto folder = source_root() / "overlay" / "build" / "probe";
  for (const auto& [compiler, source] :
       {std::pair{"gcc", folder / "operations.c"}, {"gfortran", folder / "operations.f"}}) {
    const auto wanted = lines_of_probe(compiler, source, "-O0 -ffp-contract=off", effects);
    for (const char* more : {"", " -O3"}) {
      const auto found = lines_of_probe(compiler, source, flags + more, effects);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (i >= found.size() || found[i] != wanted[i])
          effects.insert(wanted[i].substr(0, wanted[i].find(' ')));
    }
  }
  // Other sizes and extra bits look like all the others in results.
  for (const char* alone : {"other-sizes-of-REAL", "extra-x87-bits"})
    if (effects.contains(alone)) return {alone};
  return effects;
}

void refuse_flags_that_change_bits(const std::string& flags) {
  const auto effects = probe_flags(flags);
  if (effects.empty()) return;
  const bool only_fuse = effects == std::set<std::string>{"fused-operations"};
  throw support::Error(
      "flags '{}' change arithmetic ({}), so the patched program would not give the same bytes; {}", flags,
      fmt::join(effects, ", "),
      only_fuse ? "add -ffp-contract=off" : "take flags that leave arithmetic alone, such as \"-O3 -mavx2\"");
}

}  // namespace overlay
