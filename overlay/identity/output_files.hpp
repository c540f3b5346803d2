// What a run left in its folder: its files, what its log says of them and of the run's end, and their bytes,
// as they are or uncompressed. Writes temporary copies beside the run folder alone, and what it is told to
// compress.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "support/temporary_folder.hpp"

namespace overlay {

/// Files of ours in a run folder where TELFIL names a command: runs of ours put a program that keeps the
/// telescope data in the command's place (run/runner.hpp). The data are an output, the others are
/// none.
constexpr const char* kPipedTelescopeData = "light-pipe.bytes";
constexpr const char* kPipeProgram = "light-pipe";
constexpr const char* kPipeEnvironment = "light-pipe.environment";
constexpr const char* kPipeEnd = "light-pipe.end";  ///< there once all bytes are in their file

/// All that a program wrote in its run folder: name, relative to the folder, and path of each regular file.
/// What stands there before a run is none: links, the card, and what is ours; gprof's gmon.out is none
/// either. Throws support::Error where the folder cannot be read.
std::map<std::string, std::filesystem::path> output_files(const std::filesystem::path& folder);

/// Whether a file that a log names is among the files, as it is named or compressed (NAME.gz).
bool is_written(const std::string& name, const std::map<std::string, std::filesystem::path>& files);

/// The text that ends the log of every run that came to its end.
constexpr const char* kEndOfRun = "END OF RUN";

/// Why CORSIKA stopped before its end, in its own words: what it says of a line of the card, else the
/// sentence before `PLEASE READ THE USERS GUIDE` or before the log's end. Lines are joined by a blank, runs
/// of blanks are one, and there are at most 300 characters. Empty where the log says nothing of the kind, and
/// where the run came to its end.
std::string why_stopped(std::string_view log);

/// Names of the files that the log says are written, as it gives them: `... OUTPUT TO FILE: NAME` and the
/// IACT package's `Telescope output file: 'NAME'`. Left out are commands, names with `$`, files outside of
/// the run folder, and the particle file where it is named for Cherenkov light alone.
std::vector<std::string> outputs_named(std::string_view log);

/// A file's name without the ending of a compression; empty where it has none.
std::string uncompressed_name(const std::string& name);

/// A file's content, read-only, mapped into memory: its bytes, or what was compressed where the name says so.
/// Nobody may shorten the file meanwhile. The IACT package sends what it writes through a program, by the
/// ending of the file's name (.gz, .bz2, .zst, .xz, .lzma, .lz4, .lzo). Older releases of the package know
/// fewer endings.
class FileContent {
 public:
  /// The bytes as they are. Throws support::Error where the file cannot be read or is no regular file.
  explicit FileContent(const std::filesystem::path& path) { map(path); }
  /// `name` and the first bytes decide whether `path` is compressed. `scratch` is a folder for the copy.
  /// Throws support::Error where the file cannot be read, is not whole, or the program that unpacks it is
  /// missing.
  FileContent(const std::filesystem::path& path, const std::string& name,
              const std::filesystem::path& scratch);
  ~FileContent() { unmap(); }
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  /// The program that unpacked it; empty where it was not compressed.
  const std::string& unpacked_by() const { return unpacked_by_; }

 private:
  void map(const std::filesystem::path& path);
  void unmap();

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::string unpacked_by_;
  std::optional<support::TemporaryFolder> folder_;  ///< holds the copy
};

/// A new zstd file (level 3, with zstd's own checksum). add() and finish() throw std::system_error with errno
/// where it cannot be written, support::Interrupted where this program is to stop, and support::Error where
/// it cannot be compressed. It is whole once finish() returns.
class PackedFile {
 public:
  /// `bytes`: how many there will be, where that is known. Throws std::system_error.
  explicit PackedFile(const std::filesystem::path& file, std::optional<std::uint64_t> bytes = {});
  void add(std::string_view bytes);
  /// Ends the file, waits until it is on the disk, and returns its size.
  std::uint64_t finish();

 private:
  bool compress(ZSTD_inBuffer& in, ZSTD_EndDirective how);

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
  std::uint64_t size_ = 0;
};

}  // namespace overlay
