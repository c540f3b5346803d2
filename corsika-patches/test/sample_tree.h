// Trees of the stand-in (validation/standin), which has the generator's routines under CORSIKA's names.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "corsika-patches/text.h"
#include "support/files.hpp"

namespace sample {

namespace fs = std::filesystem;
using support::read_file;

inline void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// A file of the stand-in.
inline std::string standin(const std::string& file = "src/corsika.F") {
  return read_file(fs::path(CORSIKA_PATCHES_STANDIN) / file);
}
/// A copy of the stand-in, with a release and some bystanders.
inline void write_tree(const fs::path& tree) {
  fs::copy(CORSIKA_PATCHES_STANDIN, tree, fs::copy_options::recursive);
  write(tree / "configure.ac", "AC_INIT(corsika,77410)\n");
  write(tree / "src/utils/reader.f", "      COMMON /CRRANMA4/C,U\n      END\n");
  write(tree / "src/preshower2.0/utils.c",
        "void rmmard_(double*, int*, int*);\n/* crranma4_ in a comment */\n");
  write(tree / "own/gen.f", "      SUBROUTINE OWN\n      COMMON /OWNGEN/ V(97),I97,J97\n      END\n");
}

/// A patched text without our blocks, found by their marks (text.h): the stock text.
inline std::string without_blocks(const std::string& patched) {
  std::string out;
  bool ours = false;
  const corsika_patches::TextFile text{patched};
  for (int i = 0; i < text.line_count(); ++i) {
    const auto line = text.line(i);
    const auto has = [&](const char* mark) { return line.find(mark) != std::string_view::npos; };
    if (!has("-overlay ") && !ours) out += text.raw_line(i);
    if (has("-overlay begin ") || has("-overlay else ") || has("-overlay end ")) ours = has("begin ");
  }
  return out;
}

}  // namespace sample
