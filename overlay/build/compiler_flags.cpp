// Compiler flags of one build, and the environment that carries them. Judges flags by what they do: compiles
// overlay/build/probe with them, reads the machine code and runs it, in a temporary folder.
#include "overlay/build/compiler_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "overlay/build/checkout.hpp"
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

struct Meaning {
  FlagEffect effect;
  const char* word;  ///< as probe/main.c prints it; nullptr: seen elsewhere
  const char* text;
};

constexpr Meaning kMeanings[] = {
    {FlagEffect::kSizes, "sizes", "change the size of REAL, DOUBLE PRECISION or INTEGER"},
    {FlagEffect::kX87, "excess", "keep extra bits in the x87 unit"},
    {FlagEffect::kFuse, "fuse", "fuse multiplication and addition"},
    {FlagEffect::kReorder, "reorder", "reorder sums"},
    {FlagEffect::kReorder, "sum", "reorder sums"},
    {FlagEffect::kReciprocal, "reciprocal", "replace divisions by multiplications"},
    {FlagEffect::kApproximate, "approximate", "approximate square roots and reciprocals"},
    {FlagEffect::kZero, "zero", "drop the sign of zero"},
    {FlagEffect::kTiny, "tiny", "set tiny numbers to zero"},
    {FlagEffect::kNan, "nan", "assume that there is no NaN"},
    {FlagEffect::kConstant, "constant", "read constants in single precision"},
};

constexpr int kIllegalInstruction = 128 + 4;  // SIGILL: this processor lacks an instruction

std::vector<std::string> flags_in(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

/// First line of a compiler's messages that tells what is wrong.
std::string complaint(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.find("rror") != std::string::npos) return line;
  return output.substr(0, output.find('\n'));
}

/// Runs a compiler; returns what it said.
std::string compile(std::vector<std::string> argv, const std::string& flags, const fs::path& folder) {
  const auto words = flags_in(flags);
  argv.insert(argv.begin() + 1, words.begin(), words.end());
  support::Command command{argv};
  command.cwd = folder;
  command.timeout = std::chrono::seconds(120);
  const auto result = support::run(command);
  if (result.status != 0)
    throw support::Error("{} does not take the flags '{}': {}; correct --flags", argv[0], flags,
                         complaint(result.output));
  return result.output;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// What one instruction of one of the probe's functions shows.
void judge(const std::string& function, const std::string& name, std::set<FlagEffect>& effects) {
  for (const char* fused : {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "fmadd", "fmsub", "fnmadd", "fnmsub",
                            "fmla", "fmls", "xsmadd", "xsmsub", "xvmadd", "xvmsub"})
    if (name.starts_with(fused)) effects.insert(FlagEffect::kFuse);
  const auto plain = name.starts_with('v') ? name.substr(1) : name;
  for (const char* estimate : {"rcp", "rsqrt", "frecpe", "frsqrte"})
    if (plain.starts_with(estimate)) effects.insert(FlagEffect::kApproximate);
#if defined(__x86_64__) || defined(__i386__)
  for (const char* x87 : {"fld", "fadd", "fsub", "fmul", "fdiv", "fsqrt"})
    if (name.starts_with(x87)) effects.insert(FlagEffect::kX87);
#endif
  if ((has(function, "_third") || has(function, "_divide")) && plain.starts_with("mul"))
    effects.insert(FlagEffect::kReciprocal);
  if (has(function, "_sum") && (plain == "addpd" || plain == "addps")) effects.insert(FlagEffect::kReorder);
}

/// Reads the machine code of the probe's functions.
void read_code(const fs::path& program, std::set<FlagEffect>& effects) {
  const auto result = support::run_tool({"objdump", "-d", "--no-show-raw-insn", program.string()});
  if (result.status != 0) throw support::Error("objdump is needed to judge --flags; install binutils");
  std::istringstream lines(result.output);
  std::string function;
  std::set<std::string> seen, subtracting;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(">:")) {
      function = line.substr(line.find('<') + 1);
      if (!function.starts_with("c_") && !function.starts_with("f_")) function.clear();
      function = function.substr(0, function.find_first_of(".>"));
      if (!function.empty()) seen.insert(function);
    } else if (const auto tab = line.find('\t'); !function.empty() && tab != std::string::npos) {
      const auto name = line.substr(tab + 1, line.find_first_of(" \t", tab + 1) - tab - 1);
      judge(function, name, effects);
      if (has(name, "sub")) subtracting.insert(function);
    }
  }
  for (const char* language : {"c", "f"}) {
    const auto reorder = fmt::format("{}_reorder_", language);
    if (!seen.contains(reorder) || !seen.contains(fmt::format("{}_fuse_", language)))
      throw support::Error(
          "the flags hide the machine code of functions, so they cannot be judged; correct --flags");
    if (!subtracting.contains(reorder)) effects.insert(FlagEffect::kReorder);
  }
}

/// Compiles the probe with `more` behind the flags, and adds what it shows.
void look(const std::string& fflags, const std::string& cflags, const std::string& more,
          const fs::path& folder, std::set<FlagEffect>& effects) {
  const std::string c = cflags + more, f = fflags + more;
  auto said = compile({"gcc", "-c", "operations.c", "-o", "c.o"}, c, folder);
  said += compile({"gfortran", "-c", "operations.f", "-o", "f.o"}, f, folder);
  said += compile({"gfortran", "-o", "probe", "main.o", "c.o", "f.o", "-lm"}, f, folder);
  // Asked for, and switched off by the compiler as long as other flags are missing: not to be relied on.
  if (has(said, "-fassociative-math") && has(said, "disabled")) effects.insert(FlagEffect::kReorder);
  support::Command command{{(folder / "probe").string()}};
  command.cwd = folder;
  command.timeout = std::chrono::seconds(20);
  const auto result = support::run(command);
  const auto words = flags_in(result.output);
  for (const auto& word : words)
    for (const auto& meaning : kMeanings)
      if (word == meaning.word) effects.insert(meaning.effect);
  if (result.status != kIllegalInstruction && (words.empty() || words.back() != "done"))
    throw support::Error("a small program compiled with the flags '{}' does not run; correct --flags",
                         fflags);
  if (!effects.contains(FlagEffect::kSizes)) read_code(folder / "probe", effects);
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

std::set<FlagEffect> probe_flags(const std::string& fflags, const std::string& cflags) {
  const support::TemporaryFolder folder("overlay-flags");
  for (const char* name : {"main.c", "operations.c", "operations.f"})
    folder.write(name, support::read_file(source_root() / "overlay" / "build" / "probe" / name));
  compile({"gcc", "-c", "main.c", "-o", "main.o"}, "-O1 -std=gnu11", folder.path());
  std::set<FlagEffect> effects;
  look(fflags, cflags, "", folder.path(), effects);
  if (!effects.contains(FlagEffect::kSizes)) look(fflags, cflags, " -O3", folder.path(), effects);
  // Extra bits look like all the others in results.
  if (effects.contains(FlagEffect::kX87)) return {FlagEffect::kX87};
  return effects;
}

void refuse_flags_that_change_bits(const std::string& fflags, const std::string& cflags) {
  const auto effects = probe_flags(fflags, cflags);
  if (effects.empty()) return;
  std::vector<std::string> texts;
  for (const auto effect : effects)
    for (const auto& meaning : kMeanings)
      if (meaning.effect == effect) {
        texts.emplace_back(meaning.text);
        break;
      }
  const bool only_fuse = effects == std::set{FlagEffect::kFuse};
  throw support::Error(
      "flags '{}' {}, so the patched program would not give the same bytes; {}",
      fflags == cflags ? fflags : fflags + "' and '" + cflags, support::join(texts, ", "),
      only_fuse ? "add -ffp-contract=off" : "take flags that leave arithmetic alone, such as \"-O3 -mavx2\"");
}

}  // namespace overlay
