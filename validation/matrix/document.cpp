// matrix.json and its page: see the header.
#include "document.hpp"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "matrix.hpp"
#include "overlay/report/page.hpp"
#include "support/machine.hpp"

namespace matrix {

namespace {

using nlohmann::json;

json cell_json(const Column& column, const CellRecord& cell) {
  const bool ran = cell.patched_s > 0;
  return {{"column", column.name()},
          {"state", state_name(cell.state)},
          {"reason", cell.reason},
          {"note", cell.note},
          {"files", cell.files},
          {"bytes", cell.bytes},
          {"stock_s", ran ? json(cell.stock_s) : json()},
          {"patched_s", ran ? json(cell.patched_s) : json()},
          {"gain", ran ? json(cell.stock_s / cell.patched_s) : json()},
          {"seconds", cell.seconds},
          {"made", cell.made}};
}

json row_json(const Row& row, const std::vector<Column>& columns) {
  auto cells = json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) cells.push_back(cell_json(columns[i], row.cells[i]));
  return {{"release", row.combination.source.version},
          {"sha256", row.combination.source.sha256},
          {"profile", row.combination.profile},
          {"flags", row.combination.flags},
          {"models", row.combination.models},
          {"options", row.build.options},
          {"stage", row.build.stage},
          {"state", state_name(row.build.state)},
          {"reason", row.build.reason},
          {"build_s", row.build.seconds},
          {"cells", std::move(cells)}};
}

std::string time_now() {
  const std::time_t time = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", std::gmtime(&time));
  return text;
}

}  // namespace

Verdict verdict_of(const Matrix& matrix) {
  Verdict verdict;
  for (const auto& row : matrix.rows())
    for (const auto& cell : row.cells) switch (cell.state) {
        case State::kSame:
          ++verdict.same;
          break;
        case State::kDiffers:
          ++verdict.differ;
          break;
        case State::kFailed:
          ++verdict.failed;
          break;
        case State::kNotBuilt:
          ++verdict.not_built;
          break;
        case State::kNoDevice:
          ++verdict.no_device;
          break;
        case State::kNoLight:
          ++verdict.no_light;
          break;
        case State::kStockStops:
          ++verdict.stock_stops;
          break;
        case State::kBuilt:
        case State::kLeft:
          ++verdict.left;
          break;
      }
  return verdict;
}

std::string to_json(const Matrix& matrix) {
  const auto verdict = verdict_of(matrix);
  const auto machine = support::describe_machine();
  auto rows = json::array(), columns = json::array(), problems = json::array();
  for (const auto& column : matrix.columns()) columns.push_back(column.name());
  for (const auto& row : matrix.rows()) {
    rows.push_back(row_json(row, matrix.columns()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto& cell = row.cells[i];
      if (cell.state == State::kDiffers || cell.state == State::kFailed)
        problems.push_back(fmt::format("{}, {}: {}: {}", row.combination.title(), matrix.columns()[i].name(),
                                       state_name(cell.state), cell.reason));
    }
  }
  const auto& parameters = matrix.options().parameters;
  const json document{
      {"made", time_now()},
      {"command", matrix.options().command},
      {"machine",
       {{"cpu", machine.cpu}, {"cores", machine.cores}, {"system", machine.system}, {"gpu", machine.gpu}}},
      {"holds", verdict.holds()},
      {"finished", verdict.left == 0},
      {"counts",
       {{"same", verdict.same},
        {"differ", verdict.differ},
        {"failed", verdict.failed},
        {"not_built", verdict.not_built},
        {"no_device", verdict.no_device},
        {"no_light", verdict.no_light},
        {"stock_stops", verdict.stock_stops},
        {"left", verdict.left},
        {"compared", verdict.same + verdict.differ}}},
      {"showers", parameters.showers ? json(*parameters.showers) : json()},
      {"erange", matrix.options().erange},
      {"columns", columns},
      {"problems", problems},
      {"rows", rows}};
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string to_page(const std::string& text) {
  using As = overlay::JsonColumn::As;
  json document = json::parse(text);
  const json& machine = document.at("machine");
  const json& counts = document.at("counts");
  overlay::Page page;
  page.about = fmt::format("{} · {}, {} cores · {} · {}", document.at("made").get<std::string>(),
                           machine.at("cpu").get<std::string>(), machine.at("cores").dump(),
                           machine.at("system").get<std::string>(), machine.at("gpu").get<std::string>());
  page.good = document.at("holds");
  page.answer = !page.good                ? "Not the same bytes in every cell"
                : document.at("finished") ? "The same bytes in every cell that was built"
                                          : "Not finished; the same bytes in every cell so far";
  page.title = fmt::format("Stock and patched: {} of {} cells have the same bytes", counts.at("same").dump(),
                           counts.at("compared").dump());
  page.sections = {
      {"",
       {{.text = fmt::format("Failed: {}. Not built: {}. Stock does not run the card: {}. Without the "
                             "device: {}. Without light: {}. Not run yet: {}.",
                             counts.at("failed").dump(), counts.at("not_built").dump(),
                             counts.at("stock_stops").dump(), counts.at("no_device").dump(),
                             counts.at("no_light").dump(), counts.at("left").dump())},
        {.list = document.at("problems").get<std::vector<std::string>>()}}}};
  std::vector<overlay::JsonColumn> columns{
      {"Release", "release"}, {"Profile", "profile"}, {"Flags", "flags"}, {"Models", "models"}};
  for (const auto& column : document.at("columns")) columns.push_back({column, column});
  columns.push_back({"Cherenkov stage, or why it is not built", "stage"});
  for (json& row : document.at("rows")) {
    for (const auto& cell : row.at("cells")) {
      std::string said = cell.at("state");
      if (said == "same")
        said = cell.at("gain").is_null() ? "same bytes"
                                         : fmt::format("same bytes, {:.2f}", cell.at("gain").get<double>());
      for (const char* more : {"reason", "note"})
        if (!cell.at(more).get<std::string>().empty()) said += ": " + cell.at(more).get<std::string>();
      row[cell.at("column").get<std::string>()] = said;
    }
    if (!row.at("reason").get<std::string>().empty())
      row["stage"] = row.at("state").get<std::string>() + ": " + row.at("reason").get<std::string>();
  }
  page.sections.push_back(
      {"Releases and programs",
       {{.table = overlay::table_of(document.at("rows"), columns)},
        {.note = "A column is how the patched program makes numbers, and how its Cherenkov stage runs; "
                 "thread is the "
                 "stage on the CPU with a second thread. A number behind \"same bytes\" is the gain: CPU "
                 "time of stock "
                 "over that of the patched program, of one short run, so start-up counts."}}});
  page.sections.push_back(
      {"Options of the programs",
       {{.table = overlay::table_of(document.at("rows"), {{"Release", "release"},
                                                          {"Profile", "profile"},
                                                          {"Flags", "flags"},
                                                          {"Options", "options"},
                                                          {"Build, s", "build_s", As::significant},
                                                          {"Checksum of the tree", "sha256", As::code}})}}});
  page.footer =
      fmt::format("Made by {}; energies {} GeV; showers {}.", document.at("command").get<std::string>(),
                  document.at("erange").get<std::string>(), document.at("showers").dump());
  return overlay::page_html(page);
}

}  // namespace matrix
