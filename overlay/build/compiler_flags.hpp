// Compiler flags of one build: what the user asks for, and the environment of CORSIKA's configure and make.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "overlay/build/our_library.hpp"

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

/// Ways in which flags change the bits of CORSIKA's arithmetic.
enum class FlagEffect {
  kSizes,        ///< REAL, DOUBLE PRECISION or INTEGER have other sizes
  kX87,          ///< results keep extra bits in the x87 unit
  kFuse,         ///< a multiplication and an addition are rounded once
  kReorder,      ///< sums are taken in another order
  kReciprocal,   ///< a division becomes a multiplication by a reciprocal
  kApproximate,  ///< square roots or reciprocals are approximations
  kZero,         ///< the sign of zero is dropped
  kTiny,         ///< denormal numbers become zero
  kNan,          ///< NaN is assumed away
  kConstant,     ///< constants are read in single precision
};

/// Compiles small functions of Fortran and C twice, with the flags and with the flags and -O3: compilers use
/// what flags allow only when they optimise. Looks at the machine code and, if this processor can run it, at
/// results. So a flag is judged by what it does here, not by its name. Takes a second or two.
///
/// Throws Error where a compiler does not take the flags.
std::set<FlagEffect> probe_flags(const std::string& fflags, const std::string& cflags);

/// Throws Error that names what the flags do, where the same card would not give the same bytes with a
/// patched program.
void refuse_flags_that_change_bits(const std::string& fflags, const std::string& cflags);

}  // namespace overlay
