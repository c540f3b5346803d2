// What of ours a patched CORSIKA is made with: the patcher, the includes and the libraries to link with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// The words of a text, which blanks separate.
std::vector<std::string> words_of(const std::string& text);

struct OurLibrary {
  std::filesystem::path patcher;
  std::filesystem::path includes;
  std::string link_line;   ///< as the build of this checkout wrote it
  std::string link_words;  ///< for LIBS: as libtool and make can take it
  /// Checksums: of the patcher and its rules; of the libraries and the includes.
  std::string patcher_fingerprint, library_fingerprint;
  bool with_cuda = false;
};

/// Our library and patcher as built in `root` (build_root()), with the folder `includes`
/// (fortran-bindings/include); with nothing of CUDA where `gpu` is "off". Throws Error where something is not
/// built, or a path has blanks, which make and libtool cannot take.
OurLibrary find_our_library(const std::filesystem::path& root, const std::filesystem::path& includes,
                            const std::string& gpu);

}  // namespace overlay
