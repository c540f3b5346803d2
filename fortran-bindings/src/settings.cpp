#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "draw_path.hpp"

namespace ranmar::fortran {

Settings Settings::from_environment() {
  Settings settings;
  if (const char* backend = std::getenv("RANMAR_BACKEND"); backend != nullptr && *backend != '\0') {
    try {
      settings.backend = backend_of(backend);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(std::string("RANMAR_BACKEND: ") + e.what());
    }
  }
  if (const char* buffer = std::getenv("RANMAR_BUFFER"); buffer != nullptr && *buffer != '\0') {
    const std::string_view text(buffer);
    std::int64_t numbers = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), numbers);
    if (error != std::errc() || rest != text.data() + text.size() || numbers < 32 || numbers > kPoolNumbers) {
      throw std::invalid_argument("RANMAR_BUFFER is '" + std::string(text) +
                                  "': give the numbers of a buffer, 32 to 4194304");
    }
    settings.largest_window = numbers;
  }
  if (const char* summary = std::getenv("RANMAR_SUMMARY"); summary != nullptr) {
    const std::string_view text(summary);
    settings.summary = !text.empty() && text != "0";
  }
  return settings;
}

}  // namespace ranmar::fortran
