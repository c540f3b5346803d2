// The files that a run left, what its log says, and files' content: see the header.
#include "overlay/identity/output_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {
using Lines = std::vector<std::string>;

/// Words of which one is in each sentence with which CORSIKA refuses a value or gives up.
constexpr std::array<std::string_view, 27> kSigns{
    "UNALLOWED", "INCORRECT", "ERROR",    "ILLEGAL",      "WRONG",   "INVALID",   "UNKNOWN",
    "UNDEFINED", "NOT ",      "EXCEED",   "TOO ",         "OUT OF",  "FATAL",     "ALREADY",
    "LARGER",    "SMALLER",   "CONFLICT", "INCONSISTENT", "MISSING", "PLEASE DO", "CANNOT",
    "ABORTED",   "STOPPED",   "STOP",     "FAILED",       "MUST ",   "SHOULD "};

bool has(std::string_view line, std::string_view text) { return line.find(text) != std::string_view::npos; }

bool refuses(std::string_view line) {
  const std::string upper = upper_case(line);
  return std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) { return has(upper, sign); });
}

/// The lines as one text without runs of blanks.
std::string joined(Lines::const_iterator from, Lines::const_iterator to) {
  constexpr std::size_t kMost = 300;
  const auto text = support::join(words_of(fmt::format("{}", fmt::join(from, to, " ")))).substr(0, kMost);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// What CORSIKA says of the card's lines, which it repeats before: its own lines begin with a blank.
std::string bad_card_line(const Lines& lines) {
  for (auto line = lines.begin(); line != lines.end(); ++line)
    if (line->starts_with(" DATAC") && (has(*line, " UNKNOWN KEYWORD") || has(*line, " PARAMETER")))
      return joined(line, line + 1);
  return {};
}

/// The last lines that say something, without those that only name the guide.
Lines last_lines(const Lines& lines) {
  constexpr std::size_t kMost = 8;
  Lines last;
  for (auto line = lines.rbegin(); line != lines.rend() && last.size() < kMost; ++line)
    if (line->find_first_not_of(" \t\r") != std::string_view::npos &&
        !has(*line, "PLEASE READ THE USERS GUIDE"))
      last.push_back(*line);
  std::reverse(last.begin(), last.end());
  return last;
}

/// The end of a name, the program, and the bytes with which such a file begins.
using namespace std::string_view_literals;
constexpr std::array<std::string_view, 3> kCompressions[] = {
    {".gz", "gzip", "\x1f\x8b"sv},    {".bz2", "bzip2", "BZh"sv},      {".zst", "zstd", "\x28\xb5\x2f\xfd"sv},
    {".xz", "xz", "\xfd\x37zXZ\0"sv}, {".lzma", "lzma", "\x5d\0\0"sv}, {".lz4", "lz4", "\x04\x22\x4d\x18"sv},
    {".lzo", "lzop", "\x89LZO"sv}};

void check_written(bool written) {
  if (!written) throw std::system_error(errno, std::generic_category());
}

}  // namespace

std::map<std::string, fs::path> output_files(const fs::path& folder) {
  static const std::set<std::string> kNoOutputs{"card", "gmon.out", kPipeProgram, kPipeEnvironment, kPipeEnd};
  std::map<std::string, fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_symlink() || !it->is_regular_file()) continue;
    const std::string name = it->path().lexically_relative(folder).string();
    if (!kNoOutputs.contains(name)) files[name] = it->path();
  }
  if (error) throw support::Error("cannot list the run folder {}: {}", folder.string(), error.message());
  return files;
}

bool is_written(const std::string& name, const std::map<std::string, fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    return file.first == name || uncompressed_name(file.first) == name;
  });
}

std::string why_stopped(std::string_view log) {
  if (has(log, kEndOfRun)) return {};
  const Lines lines = support::split(std::string(log));
  if (std::string why = bad_card_line(lines); !why.empty()) return why;
  const Lines last = last_lines(lines);
  auto from = std::find_if(last.begin(), last.end(), refuses);
  if (from == last.end()) {  // then the line before the one that names the guide
    from = std::find_if(last.begin(), last.end(),
                        [](std::string_view line) { return has(line, "SEE KEYWORD"); });
    if (from == last.end()) return {};
    if (from != last.begin()) --from;
  }
  return joined(from, last.end());
}

std::vector<std::string> outputs_named(std::string_view log) {
  std::vector<std::string> names;
  for (const std::string& line : support::split(std::string(log))) {
    const std::string upper = upper_case(line);
    std::size_t at = upper.find("OUTPUT TO FILE");
    if (at == std::string::npos) at = upper.find("TELESCOPE OUTPUT FILE:");
    at = at == std::string::npos ? at : upper.find(':', at);
    if (at == std::string::npos) continue;
    std::string name = card_word(line.substr(at + 1), 1);
    if (name.starts_with('+')) name.erase(0, 1);
    name = name.substr(0, name.find(':'));
    if (name.empty() || name[0] == '|' || name.find('$') != std::string::npos) continue;
    const auto path = std::filesystem::path(name).lexically_normal();
    if (path.is_absolute() || *path.begin() == "..") continue;
    // Light that goes into the particle file, or onto telescopes: the line names the particle file, written
    // or not.
    if (has(upper, "CHERENKOV OUTPUT") && path.filename().string().starts_with("DAT") &&
        !path.has_extension())
      continue;
    if (std::find(names.begin(), names.end(), path.string()) == names.end()) names.push_back(path.string());
  }
  return names;
}

void FileContent::map(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const auto fail = [&](const std::string& why) {
    if (fd >= 0) close(fd);
    throw support::Error("cannot read {}: {}", path.string(), why);
  };
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");  // a pipe or a device has no end
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED) fail(std::strerror(errno));
    data_ = static_cast<const char*>(memory);
  }
  close(fd);
}

void FileContent::unmap() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  data_ = nullptr;
}

std::string uncompressed_name(const std::string& name) {
  for (const auto& [end, program, mark] : kCompressions)
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return {};
}

FileContent::FileContent(const fs::path& path, const std::string& name, const fs::path& scratch)
    : FileContent(path) {
  for (const auto& [end, unpacks, mark] : kCompressions)
    if (name.ends_with(end) && bytes().starts_with(mark)) unpacked_by_ = unpacks;
  const std::string& program = unpacked_by_;
  if (program.empty()) return;
  if (!support::find_program(program))
    throw support::Error("{} cannot be unpacked: {} is missing; install it", name, program);
  folder_.emplace(scratch, ".unpacked");
  const fs::path copy = folder_->path() / "content";
  const auto result = support::run({.argv = {"sh", "-c", "exec \"$1\" -d -c < \"$2\" > \"$3\"", "sh", program,
                                             path.string(), copy.string()}});
  if (result.status != 0)
    throw support::Error("{} cannot be unpacked: {} says '{}'", name, program, first_line(result.output));
  unmap();
  map(copy);
}

PackedFile::PackedFile(const std::filesystem::path& file, std::optional<std::uint64_t> bytes)
    : file_(std::fopen(file.c_str(), "wbxe"), std::fclose) {
  check_written(file_ != nullptr);
  constexpr int kLevel = 3;  // zstd's default
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  if (bytes) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *bytes);
}

void PackedFile::add(std::string_view bytes) {
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (in.pos < in.size) compress(in, ZSTD_e_continue);
}

std::uint64_t PackedFile::finish() {
  ZSTD_inBuffer none{nullptr, 0, 0};
  while (!compress(none, ZSTD_e_end)) {
  }
  check_written(std::fflush(file_.get()) == 0 && (fsync(fileno(file_.get())) == 0 || errno == EINVAL));
  return size_;
}

/// Returns whether all that was to be compressed is in the file.
bool PackedFile::compress(ZSTD_inBuffer& in, ZSTD_EndDirective how) {
  support::check_interrupt();
  ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
  const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, how);
  if (ZSTD_isError(left) != 0) throw support::Error("zstd cannot compress: {}", ZSTD_getErrorName(left));
  check_written(std::fwrite(buffer_.data(), 1, out.pos, file_.get()) == out.pos);
  size_ += out.pos;
  return left == 0;
}

}  // namespace overlay
