#include "corsika_runtime/cherenkov/backend.hpp"

#include "corsika_runtime/environment.hpp"

namespace cherenkov::corsika {

using corsika_runtime::environment, corsika_runtime::refuse;

RequestedStage stage_requested_by(std::string_view backend, std::string_view threads,
                                  std::string_view unproven) {
  constexpr std::string_view kCheckPrefix = "check:";
  constexpr std::uint64_t kMaxInterval = 1000000000;
  RequestedStage stage;
  stage.is_off = backend == "off";
  stage.device = backend == "gpu" || backend == "check-gpu";
  stage.unproven = corsika_runtime::is_on(unproven);
  stage.helper_thread = threads == "1";
  if (!threads.empty() && threads != "0" && threads != "1") refuse("CHERENKOV_THREADS", threads, "0 or 1");
  if (backend == "check" || backend == "check-gpu") {
    stage.check_every = 1;
  } else if (backend.starts_with(kCheckPrefix)) {
    backend.remove_prefix(kCheckPrefix.size());
    stage.check_every = corsika_runtime::number_in<std::uint64_t>(backend).value_or(0);
    if (stage.check_every == 0 || stage.check_every > kMaxInterval)
      refuse("CHERENKOV_BACKEND", kCheckPrefix.data() + std::string(backend),
             "check or check:N, with N from 1 to 1000000000");
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
