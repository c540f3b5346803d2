// What the environment asks of the generator.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "corsika_runtime/generator/draw_path.hpp"

namespace ranmar::corsika {

Settings Settings::from_environment() {
  const auto value_of = [](const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
  };
  const auto refuse = [](const char* name, std::string_view value, const std::string& give) {
    throw std::invalid_argument(std::string(name) + " cannot be '" + std::string(value) + "'; give " + give);
  };
  Settings settings;
  if (const auto name = value_of("RANMAR_BACKEND"); name == "cuda" || name == "opencl") {
    settings.use_device = true;
    settings.use_opencl = name == "opencl";
  } else if (name == "auto" || name == "reference" || name == "simd") {
    settings.backend = backend_of(name);
  } else if (!name.empty()) {
    refuse("RANMAR_BACKEND", name, "auto, reference, simd, cuda or opencl");
  }
  if (const auto text = value_of("RANMAR_BUFFER"); !text.empty()) {
    std::int64_t numbers = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), numbers);
    if (error != std::errc() || rest != text.data() + text.size() || numbers < 32 || numbers > kMostNumbers)
      refuse("RANMAR_BUFFER", text, "the numbers of a buffer, 32 to " + std::to_string(kMostNumbers));
    settings.largest_window = numbers;
    settings.device_window = std::max<std::int64_t>(numbers / 32 * 32, 32);
  }
  if (const auto device = value_of("RANMAR_DEVICE"); !device.empty()) settings.device = device;
  const auto summary = value_of("RANMAR_SUMMARY");
  settings.summary = !summary.empty() && summary != "0";
  return settings;
}

}  // namespace ranmar::corsika
