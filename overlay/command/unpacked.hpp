// Packages that are archives inside a tree, unpacked beside what the tree holds, and taken out again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// Something that was put into a tree where nothing stood.
struct Unpacked {
  std::string name;    ///< relative to the tree, any bytes
  std::string digest;  ///< "folder", "link" and what it points to, or the SHA-256 of a file
};

/// Unpacks the IACT package of a tree (bernlohr/*.tar.gz) into it, beside what is there: nothing is replaced.
/// `list` gets what is new before the first of it is put in place, `work` is a folder for the time being on
/// the same file system. Without an archive nothing is done. Throws Error.
void unpack_package(const std::filesystem::path& tree, const std::filesystem::path& list,
                    const std::filesystem::path& work);

/// Names of files in the list that are there and are not what was unpacked. `manifest` is the patcher's: what
/// it says that the patcher wrote is not the user's change.
std::vector<std::string> changed_since(const std::filesystem::path& tree, const std::filesystem::path& list,
                                       const std::filesystem::path& manifest);

/// Removes what the list names and what still is as it was unpacked, then the list. Gives the names of what
/// was kept. Throws Error where something of it cannot be deleted; the list then stays.
std::vector<std::string> remove_unpacked(const std::filesystem::path& tree,
                                         const std::filesystem::path& list);

}  // namespace overlay
