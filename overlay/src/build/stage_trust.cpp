// Reads what the patcher's manifest says of the Cherenkov stage.
#include "overlay/build/stage_trust.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
using nlohmann::json;

StageTrust stage_trust(const std::filesystem::path& manifest) {
  StageTrust result;
  result.tier = "none";
  try {
    const json text = json::parse(support::read_file(manifest));
    for (const json& stage : text.value("stages", json::array())) {
      if (stage.value("name", std::string()) != "cherenkov") continue;
      result.tier = stage.value("tier", std::string("none"));
      result.trust = stage.value("trust", std::string());
      const auto steps = stage.find("steps");
      if (steps != stage.end() && steps->is_number_unsigned()) result.steps = steps->get<std::uint64_t>();
      result.reason = stage.value("reason", std::string());
      for (const json& routine : stage.value("routines", json::array()))
        result.routines[routine.at("name").get<std::string>()] = routine.at("digest").get<std::string>();
    }
  } catch (const json::exception& problem) {
    throw support::Error(
        fmt::format("{} is not readable: {}; build again", manifest.string(), problem.what()));
  }
  return result;
}

}  // namespace overlay
