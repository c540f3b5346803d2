// What of ours a patched CORSIKA is made with: the patcher, the includes and the libraries to link with.
#pragma once

#include <filesystem>
#include <string>

namespace overlay {

struct OurLibrary {
  std::filesystem::path patcher;
  std::filesystem::path includes;  ///< free of blanks
  std::string link_line;           ///< as the build of this checkout wrote it
  std::string link_words;          ///< for LIBS: as libtool and make can take it, free of blanks in paths
  /// Checksums: of the patcher and its rules; of the libraries and the includes.
  std::string patcher_fingerprint, library_fingerprint;
  bool with_cuda = false;
};

/// Our library and patcher as built in `root` (build_root()), with the folder `includes`
/// (fortran-bindings/include); with nothing of CUDA where `gpu` is "off". make and libtool cannot take paths
/// with blanks: where the checkout has some, links without blanks that lead to it are made in `out`. Throws
/// Error where something is not built.
OurLibrary find_our_library(const std::filesystem::path& root, const std::filesystem::path& includes,
                            const std::string& gpu, const std::filesystem::path& out);

}  // namespace overlay
