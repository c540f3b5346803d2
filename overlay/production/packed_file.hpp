// Output files as a production keeps them: compressed by zstd. Writes the file that it is told to, and
// nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace overlay {

/// Writes `bytes` as a zstd file (level 3, with zstd's own checksum) to a new file and waits until it is on
/// the disk. Returns its size. Throws WorkerError: disk_full where there is no room, try_again where it
/// cannot be written.
std::uint64_t pack_file(std::string_view bytes, const std::filesystem::path& packed);

/// SHA-256 of what a packed file holds. Throws support::Error where it cannot be read or is not whole.
std::string unpacked_sha256(const std::filesystem::path& packed);

/// Unpacks a file to a new one. Throws support::Error as unpacked_sha256() does, and where it cannot be
/// written.
void unpack_file(const std::filesystem::path& packed, const std::filesystem::path& to);

/// Waits until a folder's names are on the disk. Does nothing where the file system cannot say.
void sync_folder(const std::filesystem::path& folder);

}  // namespace overlay
