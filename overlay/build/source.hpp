// CORSIKA's sources: found, checked, unpacked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// Where CORSIKA comes from, and what it must be.
struct SourceRequest {
  std::string corsika;                          ///< archive, unpacked tree, URL, or "standin"
  std::filesystem::path out = "build/overlay";  ///< everything that is made goes below it
  std::string sha256;                           ///< expected SHA-256 of the archive, hexadecimal, or empty
  std::optional<std::filesystem::path> known;   ///< user's own list of releases and checksums
};

/// A tree of sources that nobody writes to: builds are made in copies.
struct SourceTree {
  std::filesystem::path folder;  ///< absolute
  std::string version;           ///< "7.7410", or the stand-in's
  std::string sha256;            ///< of the archive, or of all files of a folder
  std::string id;                ///< short and good as a folder name: release and start of the checksum
  bool standin = false;
  std::vector<std::string> notes;  ///< choices to be printed, one line each
};

/// Gets and checks the sources; an archive is unpacked once into OUT/source. Throws Error: no such archive,
/// OUT in the tree, wrong checksum, not a CORSIKA tree, a release outside 7.4 to 7.8, no space. Nothing
/// half-unpacked is left behind.
SourceTree obtain_source(const SourceRequest& asked);

/// Throws Error where `folder`, which a command is to write and `option` names, is the tree `corsika` or lies
/// in it, by whatever path, or in a folder that a link of the tree leads to. An archive has no inside.
void refuse_output_in_tree(const std::string& corsika, const std::filesystem::path& folder,
                           const char* option);

/// Release of an unpacked tree: "7.7410". Throws Error where it is none, or outside 7.4 to 7.8.
std::string release_of(const std::filesystem::path& tree);

}  // namespace overlay
