// matrix.json and its page: see the header.
#include "document.hpp"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "matrix.hpp"
#include "overlay/report/page_document.hpp"
#include "overlay/report/page_template.hpp"
#include "overlay/report/page_values.hpp"
#include "support/machine.hpp"

namespace matrix {

extern const char* const kMatrixPage;  // made from page.html

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

/// One cell of the page's table.
std::string cell_html(const overlay::PageDocument& from, const std::string& cell) {
  const auto state = from.text(cell + "/state");
  const char* style = state == "same" ? "yes" : state == "differs" || state == "failed" ? "no" : "none";
  const std::string words = state == "same" ? "same bytes" : state;
  const auto title = from.text(cell + "/reason") + from.text(cell + "/note");
  std::string html =
      fmt::format("<td class=\"{}\" title=\"{}\">{}", style, overlay::escape_html(title), words);
  if (state == "same" && from.holds(cell + "/gain"))
    html += "<br>" + overlay::show_fixed(from, cell + "/gain", 2);
  return html + "</td>";
}

std::string cells_part(const overlay::PageDocument& from, const std::string& row) {
  std::string html;
  for (const auto& cell : from.children(row + "/cells")) html += cell_html(from, cell);
  return html;
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
  const overlay::PageDocument document(text);
  return overlay::fill_template(kMatrixPage, document, {{"cells", cells_part}});
}

}  // namespace matrix
