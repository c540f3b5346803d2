// Compiler flags of one build, and the environment that carries them.
#include "compiler_flags.hpp"

#include <fmt/format.h>

#include "overlay/build/flag_probe.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

std::string with(const std::string& flags, const std::string& more) {
  return flags.empty() || more.empty() ? flags + more : flags + " " + more;
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

}  // namespace overlay
