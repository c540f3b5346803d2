// What the environment asks of the generator.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "corsika_runtime/generator/draw_path.hpp"

namespace ranmar::corsika {

Settings Settings::from_environment() {
  Settings settings;
  if (const char* backend = std::getenv("RANMAR_BACKEND"); backend != nullptr && *backend != '\0') {
    const std::string_view name(backend);
    if (name == "cuda" || name == "opencl") {
      settings.use_device = true;
      settings.use_opencl = name == "opencl";
    } else if (name == "auto" || name == "reference" || name == "simd") {
      settings.backend = backend_of(name);
    } else {
      throw std::invalid_argument("RANMAR_BACKEND cannot be '" + std::string(name) +
                                  "'; give auto, reference, simd, cuda or opencl");
    }
  }
  if (const char* buffer = std::getenv("RANMAR_BUFFER"); buffer != nullptr && *buffer != '\0') {
    const std::string_view text(buffer);
    std::int64_t numbers = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), numbers);
    if (error != std::errc() || rest != text.data() + text.size() || numbers < 32 || numbers > kMostNumbers) {
      throw std::invalid_argument("RANMAR_BUFFER cannot be '" + std::string(text) +
                                  "'; give the numbers of a buffer, 32 to " + std::to_string(kMostNumbers));
    }
    settings.largest_window = numbers;
    settings.device_window = std::max<std::int64_t>(numbers / 32 * 32, 32);
  }
  if (const char* device = std::getenv("RANMAR_DEVICE"); device != nullptr && *device != '\0') {
    settings.device = device;
  }
  if (const char* summary = std::getenv("RANMAR_SUMMARY"); summary != nullptr) {
    const std::string_view text(summary);
    settings.summary = !text.empty() && text != "0";
  }
  return settings;
}

}  // namespace ranmar::corsika
