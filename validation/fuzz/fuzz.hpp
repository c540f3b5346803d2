// What the fuzzing targets share: how a target is declared, how it says that a property is broken, and how it
// takes values from an input. Writes one scratch folder a process, under $TMPDIR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "support/error.hpp"

namespace fuzz {

/// Where a property does not hold, says which, and ends the program by abort(): libFuzzer keeps the input,
/// and a test fails.
void require(bool holds, std::string_view property, std::string_view detail = {});

/// Runs a reader. What it threw as support::Error comes back, and must be one line (CONTRIBUTING.md,
/// "Invariants"). Anything else that it throws ends the program.
template <class Reader>
std::optional<std::string> refusal(const Reader& reader) {
  try {
    reader();
    return std::nullopt;
  } catch (const support::Error& problem) {
    const std::string text = problem.what();
    require(!text.empty() && text.find('\n') == std::string::npos, "an error is one line", text);
    return text;
  }
}

/// An input as numbers and texts, taken from its front. Zeros and empty texts where it has ended.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  /// A number of `bytes` bytes, lowest first.
  std::uint64_t number(int bytes);
  /// Up to the next line end, which is taken from the input and not returned.
  std::string line();
  std::string take(std::size_t size);
  std::string rest() { return take(rest_.size()); }

 private:
  std::string_view rest_;
};

/// A folder of this process alone, removed at a good end.
const std::filesystem::path& scratch();
/// Writes a file in it.
std::filesystem::path scratch_file(const std::string& name, std::string_view bytes);

using Target = void (*)(Input);
struct Registered {
  Registered(const char* name, Target target);
};

}  // namespace fuzz

// Defines a target. To be followed by its body in braces, which reads the fuzz::Input `input`.
#define FUZZ_TARGET(name)                                            \
  static void fuzz_one(fuzz::Input input);                           \
  static const fuzz::Registered registered_target(#name, &fuzz_one); \
  static void fuzz_one(fuzz::Input input)
