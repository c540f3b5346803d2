// What is read of a whole tree: its sources, their digests, its release, and code that still reads the
// generator's state. Reads the tree and writes nothing.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corsika-patches/rules.h"
#include "corsika-patches/text.h"

namespace corsika_patches {

enum class SourceKind { fortran, c, other };

/// A source without what cannot change a program: comments and empty lines, runs of blanks as one. Fortran is
/// fixed form. Lines keep all that might matter: a statement with a quote, a line beyond column 72 or with a
/// tab, a comment that the preprocessor or the compiler may read. Case counts, since the preprocessor tells
/// names apart by it. Of other kinds only blanks at line ends go.
std::string significant_text(std::string_view text, SourceKind kind);

/// SHA-256 of significant_text() of the sources and headers of a tree, in the order of their paths, without
/// what CORSIKA does not link and what builds write ([state]). By these a whole tree is recognised.
std::vector<std::pair<std::string, std::string>> source_digests(const std::filesystem::path& tree,
                                                                const Rule& state);

/// Reads the release, as 7.7410, from configure.ac, VERSION, or corsika.F; empty where the tree does not say.
/// Throws Error where it is outside 7.4 to 7.8.
std::string read_release(const std::filesystem::path& tree);

/// Looks through all sources of a tree for anything that would still read the generator's state once the
/// lines that blocks replace are gone: the state's COMMON, the macro that asks for it, a further copy of the
/// generator that uses this COMMON. Throws Error that names file, routine and line.
void scan_tree(const std::filesystem::path& tree, const RuleSet& rules,
               const std::map<std::string, std::vector<Block>>& blocks);

}  // namespace corsika_patches
