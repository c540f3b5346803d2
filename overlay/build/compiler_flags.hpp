// Compiler flags of one build: what the user asks for, and the environment of CORSIKA's configure and make.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "our_library.hpp"

namespace overlay {

/// FFLAGS and CFLAGS of a request.
struct CompilerFlags {
  std::string key;  ///< good as a folder name
  std::string fflags, cflags;
  bool given = false;  ///< the user's own text, not "shipped" or "tuned"
};

/// "shipped" (CORSIKA's own: none), "tuned" (-O2), or the text of both. Throws Error for anything else.
CompilerFlags parse_flags(const std::string& text);

/// Whether CORSIKA compiled with these flags rounds its operations one by one, in their order, as the
/// Cherenkov stage does. Always so for shipped and tuned on x86-64; compilers for other processors fuse some
/// unless a flag forbids it.
bool rounds_one_by_one(const CompilerFlags& flags);

/// Variables of one of known_builds(). `library` is null for stock; `stage`: with the Cherenkov stage, where
/// the build is a patched one; `tree` is the build's own tree.
std::map<std::string, std::string> environment_of(const std::string& build, const CompilerFlags& flags,
                                                  const OurLibrary* library, bool stage,
                                                  const std::filesystem::path& tree);

/// File beside a patched build's tree with options for the linker, and its text. `works`: the stage may work.
constexpr const char* kLinkOptions = "link-options.txt";
std::string link_options(bool works);

bool is_patched(const std::string& build);

/// Name of a build's folder: that of the build, but "stock" for stock-shipped. Each choice of flags has a
/// folder of its own around these, so stock-shipped is stock below another one.
std::string folder_name(const std::string& build);

}  // namespace overlay
