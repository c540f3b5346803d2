// The class of a node: see the header.
#include "overlay/production/node_class.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "overlay/card/card.hpp"
#include "overlay/identity/compressed_file.hpp"
#include "overlay/identity/content_digest.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/libm_bits.hpp"
#include "overlay/production/made_run.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* kFile = "node-class.json";

/// libm's bits under the tunables: they are read when a program starts, so another process computes them.
std::string libm_bits_under(const std::string& tunables, const fs::path& overlay) {
  if (tunables.empty()) return libm_bits();
  support::Command command;
  command.argv = {overlay.string(), "production", "libm-bits"};
  command.environment["GLIBC_TUNABLES"] = tunables;
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  constexpr std::size_t kDigits = 64;
  if (result.status != 0 || result.output.size() < kDigits)
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("{} cannot compute libm's bits on this node", overlay.string()));
  return result.output.substr(0, kDigits);
}

std::string program_bits(const ProductionPlan& plan, const fs::path& folder, const ClassProbe& probe) {
  const PlannedRun first = planned_run(plan, plan.first_run);
  const std::string card =
      card_of_one_low_shower(run_card(plan, support::read_file(folder / "card.template"), first));
  const MadeRun made = make_run({plan, folder, plan.program, first, card, probe.scratch, probe.check, false});
  support::Sha256 sum;
  for (const OutputFile& output : made.outputs) {
    const FileContent content(output.path, output.name, probe.scratch);
    if (blocks_of(kind_of(content.bytes(), output.name), content.bytes()).event_headers == 0) continue;
    const std::string digest = content_digest(output.name, content.bytes());
    sum.update(digest.data(), digest.size());
  }
  return sum.hexadecimal();
}

std::string text_of(const NodeClass& own) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const json text{{"format", 1}, {"libm", own.libm}, {"program", own.program}, {"measured_on", host}};
  return text.dump(2) + "\n";
}

}  // namespace

std::string tunables_of(const ProductionPlan& plan) {
  if (plan.class_policy != "pinned") return {};
  return plan.tunables.empty() ? kPinnedTunables : plan.tunables;
}

NodeClass measure_node_class(const ProductionPlan& plan, const fs::path& folder, const ClassProbe& probe) {
  NodeClass own;
  own.libm = libm_bits_under(tunables_of(plan), probe.overlay);
  own.program = program_bits(plan, folder, probe);
  return own;
}

std::optional<NodeClass> production_class(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kFile, error)) return std::nullopt;
  const json text = json::parse(support::read_file(folder / kFile), nullptr, false);
  NodeClass found;
  if (text.is_object()) {
    found.libm = text.value("libm", "");
    found.program = text.value("program", "");
  }
  if (found.libm.empty() || found.program.empty())
    throw support::Error(
        fmt::format("{} is damaged; delete it where no run is published yet, else copy it from a backup",
                    (folder / kFile).string()));
  return found;
}

NodeClass claim_class(const fs::path& folder, const NodeClass& own) {
  // link(2) fails where the name is taken, on network file systems too, so the first node's class stays.
  const fs::path mine = folder / fmt::format(".{}.{}", kFile, support::random_name());
  support::write_file(mine, text_of(own));
  const int problem = link(mine.c_str(), (folder / kFile).c_str()) == 0 ? 0 : errno;
  unlink(mine.c_str());
  if (problem != 0 && problem != EEXIST)
    throw support::Error(fmt::format("cannot write {} ({}); may you write there?", (folder / kFile).string(),
                                     std::strerror(problem)));
  return production_class(folder).value_or(own);
}

std::string class_difference(const NodeClass& node, const NodeClass& production) {
  if (node.libm != production.libm)
    return fmt::format("libm gives other bits here ({} instead of {})", node.libm.substr(0, 12),
                       production.libm.substr(0, 12));
  if (node.program != production.program)
    return fmt::format("one shower of the program has other bytes here ({} instead of {})",
                       node.program.substr(0, 12), production.program.substr(0, 12));
  return {};
}

}  // namespace overlay
