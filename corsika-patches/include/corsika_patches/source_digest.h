// Digests of sources, by which a whole tree is recognised. Reads the tree.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "corsika_patches/rules.h"

namespace corsika_patches {

/// A source or header of the tree.
struct SourceDigest {
  std::string path;    ///< relative to the tree
  std::string sha256;  ///< of significant_text()
};

enum class SourceKind { fortran, c, other };

/// A source without what cannot change a program: comments and empty lines, runs of blanks as one. Fortran is
/// fixed form. Lines keep all that might matter: a statement with a quote, a line beyond column 72 or with a
/// tab, a comment that the preprocessor or the compiler may read. Case counts, since the preprocessor tells
/// names apart by it. Of other kinds only blanks at line ends go.
std::string significant_text(std::string_view text, SourceKind kind);

/// Sources and headers of a tree, by path, without what CORSIKA does not link and what builds write
/// (StateRule).
std::vector<SourceDigest> source_digests(const std::filesystem::path& tree, const StateRule& state);

}  // namespace corsika_patches
