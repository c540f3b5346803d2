// Packed files: whole, cut, changed, and on a full disk.
#include "overlay/production/packed_file.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "overlay/production/exit_codes.hpp"
#include "support/checksum.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

/// Bytes that zstd cannot shorten much.
std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 1;
  for (char& c : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    c = static_cast<char>(state >> 56);
  }
  return bytes;
}

TEST(PackedFile, ComesBackWhole) {
  const support::TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20,
                                 (std::size_t{1} << 20) + 1, (std::size_t{1} << 21) + 7}) {
    const std::string bytes = noise(size);
    const auto packed = folder.path() / (std::to_string(size) + ".zst");
    const std::uint64_t written = pack_file(bytes, packed);
    EXPECT_EQ(written, std::filesystem::file_size(packed));
    EXPECT_EQ(unpacked_sha256(packed), support::sha256_of_text(bytes));
    unpack_file(packed, folder.path() / std::to_string(size));
    EXPECT_EQ(folder.read(std::to_string(size)), bytes);
  }
}

TEST(PackedFile, AnyChangedOrMissingByteIsSeen) {
  const support::TemporaryFolder folder;
  const std::string bytes = noise(5000);
  pack_file(bytes, folder.path() / "whole");
  const std::string whole = folder.read("whole");
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto file = folder.write("changed", changed);
    std::string sum;
    const std::string error = error_of([&] { sum = unpacked_sha256(file); });
    EXPECT_TRUE(!error.empty() || sum != support::sha256_of_text(bytes)) << at;
    const auto cut = folder.write("cut", whole.substr(0, at));
    EXPECT_NE(error_of([&] { unpacked_sha256(cut); }), "") << at;
  }
}

TEST(PackedFile, AFileThatIsThereIsNotReplaced) {
  const support::TemporaryFolder folder;
  const auto file = folder.write("there", "mine");
  try {
    pack_file("other", file);
    FAIL() << "it was replaced";
  } catch (const WorkerError& error) {
    EXPECT_EQ(error.status(), WorkerExit::try_again);
  }
  EXPECT_EQ(folder.read("there"), "mine");
}

}  // namespace
}  // namespace overlay
