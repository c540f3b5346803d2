// Tells from the compiled source and the manifest of a patched build what the Cherenkov stage does in it.
// Reads only.
#include "overlay/build/stage_presence.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "overlay/build/stage_trust.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

json settings_in(const fs::path& file) {
  try {
    return json::parse(support::read_file(file));
  } catch (const json::exception& problem) {
    throw support::Error(fmt::format("{} is not readable: {}; build again", file.string(), problem.what()));
  }
}

}  // namespace

std::string StagePresence::text() const {
  std::string out = kind == Kind::kLeftOut     ? "left out"
                    : kind == Kind::kWholeLoop ? "whole loop"
                                               : "bunch by bunch";
  if (!trust.empty()) out += ", " + trust;
  if (steps != 0) out += fmt::format(" by {} steps", steps);
  return reason.empty() ? out : out + ": " + reason;
}

StagePresence stage_of_build(const fs::path& folder) {
  const auto settings = settings_in(folder / "settings.json");
  const auto stage = stage_trust(folder / "manifest.json");
  StagePresence presence;
  presence.reason = stage.reason;
  if (!stage.is_in()) return presence;
  const auto compiled = support::read_file(folder / "tree" / "src" / "corsikacompilefile.f");
  if (compiled.find("CALL CHRRUN") == std::string::npos) {
    const auto environment = settings.value("environment", json::object());
    presence.reason =
        environment.value("CPPFLAGS", std::string()).find("__CHERENKOVLIB__") == std::string::npos
            ? "the compilers fuse operations with these flags; --flags \"-O2 -ffp-contract=off\" has it"
            : "the compiled source does not call it; build again in another folder, with --out";
    return presence;
  }
  presence.kind =
      stage.tier == "whole" ? StagePresence::Kind::kWholeLoop : StagePresence::Kind::kBunchByBunch;
  presence.trust = stage.trust;
  presence.steps = stage.steps;
  return presence;
}

}  // namespace overlay
