// Compiler flags of one build, and the environment that carries them. Judges flags by what they do: compiles
// overlay/build/probe with them and runs it, in a temporary folder.
#include "overlay/build/compiler_flags.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "overlay/build/workplace.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

std::string with(const std::string& flags, const std::string& more) {
  return flags.empty() || more.empty() ? flags + more : flags + " " + more;
}

/// What a word of probe/main.c means, the most telling first.
constexpr std::pair<const char*, const char*> kMeanings[] = {
    {"sizes", "change the size of REAL, DOUBLE PRECISION or INTEGER"},
    {"excess", "keep extra bits in the x87 unit"},
    {"fuse", "fuse multiplication and addition"},
    {"reorder", "reorder sums"},
    {"reciprocal", "replace divisions by multiplications"},
    {"approximate", "approximate square roots and reciprocals"},
    {"zero", "drop the sign of zero"},
    {"tiny", "set tiny numbers to zero"},
    {"nan", "assume that there is no NaN"},
    {"constant", "read constants in single precision"},
};

/// Runs a compiler; returns what it said.
std::string compile(std::vector<std::string> argv, const std::string& flags, const fs::path& folder) {
  const auto words = words_of(flags);
  argv.insert(argv.begin() + 1, words.begin(), words.end());
  support::Command command{argv};
  command.cwd = folder;
  command.timeout = std::chrono::seconds(120);
  const auto result = support::run(command);
  if (result.status != 0)
    throw support::Error("{} does not take the flags '{}': {}; correct --flags", argv[0], flags,
                         telling_line(result.output));
  return result.output;
}

/// Compiles the probe with `more` behind the flags, and adds what it prints.
void look(const std::string& fflags, const std::string& cflags, const std::string& more,
          const fs::path& folder, std::set<std::string>& effects) {
  const std::string c = cflags + more, f = fflags + more;
  auto said = compile({"gcc", "-c", "operations.c", "-o", "c.o"}, c, folder);
  said += compile({"gfortran", "-c", "operations.f", "-o", "f.o"}, f, folder);
  said += compile({"gfortran", "-o", "probe", "main.o", "c.o", "f.o", "-lm"}, f, folder);
  // Asked for, and switched off by the compiler as long as other flags are missing: not to be relied on.
  if (said.find("-fassociative-math") != std::string::npos && said.find("disabled") != std::string::npos)
    effects.insert("reorder");
  support::Command command{{(folder / "probe").string()}, folder};
  command.timeout = std::chrono::seconds(20);
  const auto words = words_of(support::run(command).output);
  if (words.empty() || words.back() != "done")
    throw support::Error("a small program compiled with the flags '{}' does not run here; correct --flags",
                         fflags);
  effects.insert(words.begin(), words.end() - 1);
}

}  // namespace

CompilerFlags parse_flags(const std::string& text) {
  if (text == "shipped") return {"shipped", "", ""};
  if (text == "tuned") return {"tuned", "-O2", "-O2"};
  if (text.empty() || text.find('-') == std::string::npos ||
      text.find_first_of("\n\"'`$;&|<>\\") != std::string::npos)
    throw support::Error(
        "--flags cannot be '{}'; give shipped, tuned, or compiler flags such as \"-O3 -mavx2\"", text);
  return {"given-" + support::sha256_of_text(text).substr(0, 8), text, text, true};
}

bool rounds_one_by_one(const CompilerFlags& flags) {
#ifdef __x86_64__
  if (!flags.given) return true;
#endif
  return probe_flags(flags.fflags, flags.cflags).empty();
}

std::map<std::string, std::string> environment_of(const std::string& build, const CompilerFlags& flags,
                                                  const OurLibrary* library, bool stage,
                                                  const std::filesystem::path& tree) {
  std::map<std::string, std::string> e{{"F77", "gfortran"}, {"FC", "gfortran"}, {"CC", "gcc"}};
  std::string more;
  if (build.ends_with("-gprof")) more = "-pg";
  if (build.ends_with("-sampled")) more = "-g";
  e["FFLAGS"] = with(flags.fflags, more);
  e["CFLAGS"] = with(flags.cflags, more);
  e["LDFLAGS"] = build.ends_with("-gprof") ? "-pg" : "";
  e["CPPFLAGS"] = "";
  e["LIBS"] = "";
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

std::string link_options(bool works) {
  return std::string("-rpath $ORIGIN --disable-new-dtags") + (works ? " -u cherenkov_proven_\n" : "\n");
}

bool is_patched(const std::string& build) { return build.starts_with("patched"); }

std::string folder_name(const std::string& build) { return build == "stock-shipped" ? "stock" : build; }

std::set<std::string> probe_flags(const std::string& fflags, const std::string& cflags) {
  const support::TemporaryFolder folder("overlay-flags");
  for (const char* name : {"main.c", "operations.c", "operations.f"})
    folder.write(name, support::read_file(source_root() / "overlay" / "build" / "probe" / name));
  compile({"gcc", "-c", "main.c", "-o", "main.o"}, "-O1 -std=gnu11", folder.path());
  std::set<std::string> effects;
  look(fflags, cflags, "", folder.path(), effects);
  if (!effects.contains("sizes")) look(fflags, cflags, " -O3", folder.path(), effects);
  // Extra bits look like all the others in results.
  return effects.contains("excess") ? std::set<std::string>{"excess"} : effects;
}

void refuse_flags_that_change_bits(const std::string& fflags, const std::string& cflags) {
  const auto effects = probe_flags(fflags, cflags);
  std::vector<std::string> texts;
  for (const auto& [word, text] : kMeanings)
    if (effects.contains(word)) texts.emplace_back(text);
  if (texts.empty()) return;
  const bool only_fuse = effects == std::set<std::string>{"fuse"};
  throw support::Error(
      "flags '{}' {}, so the patched program would not give the same bytes; {}",
      fflags == cflags ? fflags : fflags + "' and '" + cflags, support::join(texts, ", "),
      only_fuse ? "add -ffp-contract=off" : "take flags that leave arithmetic alone, such as \"-O3 -mavx2\"");
}

}  // namespace overlay
