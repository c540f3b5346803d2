// Records as JSON: see the header.
#include "record.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "support/checksum.hpp"
#include "support/files.hpp"

namespace matrix {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr std::array<const char*, 9> kStateNames{
    "not run", "same", "differs", "failed", "not built", "not on device", "no light", "stock stops", "built"};

State state_of(const std::string& name) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i)
    if (name == kStateNames.at(i)) return static_cast<State>(i);
  return State::kLeft;
}

/// The object that a file holds; nothing where there is none, or half a one.
std::optional<json> object_in(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  auto read = json::parse(support::read_file(file), nullptr, false);
  if (!read.is_object()) return std::nullopt;
  return read;
}

void write_object(const fs::path& file, const json& object) {
  fs::create_directories(file.parent_path());
  support::write_file(file, object.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

const char* state_name(State state) { return kStateNames.at(static_cast<std::size_t>(state)); }

std::optional<BuildRecord> read_build(const fs::path& file) try {
  const auto read = object_in(file);
  if (!read) return std::nullopt;
  return BuildRecord{.key = read->at("key"),
                     .state = state_of(read->at("state")),
                     .reason = read->at("reason"),
                     .stock = read->at("stock"),
                     .patched = read->at("patched"),
                     .programs = read->at("programs"),
                     .options = read->at("options"),
                     .stage = read->at("stage"),
                     .seconds = read->at("seconds")};
} catch (const json::exception&) {
  return std::nullopt;
}

std::optional<CellRecord> read_cell(const fs::path& file) try {
  const auto read = object_in(file);
  if (!read) return std::nullopt;
  return CellRecord{.key = read->at("key"),
                    .state = state_of(read->at("state")),
                    .reason = read->at("reason"),
                    .note = read->at("note"),
                    .files = read->at("files"),
                    .bytes = read->at("bytes"),
                    .stock_s = read->at("stock_s"),
                    .patched_s = read->at("patched_s"),
                    .seconds = read->at("seconds"),
                    .made = read->at("made")};
} catch (const json::exception&) {
  return std::nullopt;
}

void write_build(const fs::path& file, const BuildRecord& record) {
  write_object(file, {{"key", record.key},
                      {"state", state_name(record.state)},
                      {"reason", record.reason},
                      {"stock", record.stock},
                      {"patched", record.patched},
                      {"programs", record.programs},
                      {"options", record.options},
                      {"stage", record.stage},
                      {"seconds", record.seconds}});
}

void write_cell(const fs::path& file, const CellRecord& record) {
  write_object(file, {{"key", record.key},
                      {"state", state_name(record.state)},
                      {"reason", record.reason},
                      {"note", record.note},
                      {"files", record.files},
                      {"bytes", record.bytes},
                      {"stock_s", record.stock_s},
                      {"patched_s", record.patched_s},
                      {"seconds", record.seconds},
                      {"made", record.made}});
}

std::string checksums_of(const std::string& stock, const std::string& patched) {
  std::error_code error;
  if (!fs::is_regular_file(stock, error) || !fs::is_regular_file(patched, error)) return {};
  return support::sha256_of_file(stock) + " " + support::sha256_of_file(patched);
}

}  // namespace matrix
