#include "corsika_runtime/cherenkov/backend.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace cherenkov::corsika {
namespace {

[[noreturn]] void refuse(const char* name, std::string_view value, const char* give) {
  throw std::invalid_argument(std::string(name) + " cannot be '" + std::string(value) + "'; give " + give);
}

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

}  // namespace

RequestedStage stage_requested_by(std::string_view backend, std::string_view threads,
                                  std::string_view unproven) {
  constexpr std::string_view kCheckPrefix = "check:";
  constexpr std::uint64_t kMaxInterval = 1000000000;
  RequestedStage stage;
  stage.is_off = backend == "off";
  stage.device = backend == "gpu" || backend == "check-gpu";
  stage.unproven = !unproven.empty() && unproven != "0";
  stage.helper_thread = threads == "1";
  if (!threads.empty() && threads != "0" && threads != "1") refuse("CHERENKOV_THREADS", threads, "0 or 1");
  if (backend == "check" || backend == "check-gpu") {
    stage.check_every = 1;
  } else if (backend.starts_with(kCheckPrefix)) {
    const char* end = backend.data() + backend.size();
    const auto [rest, error] = std::from_chars(backend.data() + kCheckPrefix.size(), end, stage.check_every);
    if (error != std::errc() || rest != end || stage.check_every == 0 || stage.check_every > kMaxInterval)
      refuse("CHERENKOV_BACKEND", backend, "check or check:N, with N from 1 to 1000000000");
  } else if (!stage.is_off && !stage.device && !backend.empty() && backend != "cpu" && backend != "auto") {
    refuse("CHERENKOV_BACKEND", backend, "off, cpu, gpu, auto, check, check-gpu or check:N");
  }
  return stage;
}

const RequestedStage& requested_stage() {
  static const RequestedStage requested = stage_requested_by(
      environment("CHERENKOV_BACKEND"), environment("CHERENKOV_THREADS"), environment("CHERENKOV_UNPROVEN"));
  return requested;
}

}  // namespace cherenkov::corsika
