// Tables of a page from rows of JSON.
#include "overlay/report/json_table.hpp"

namespace overlay {
namespace {

Cell cell_of(const nlohmann::json& row, const JsonColumn& column) {
  const auto found = row.find(column.member);
  if (found == row.end() || found->is_null()) return {};
  if (column.as == JsonColumn::As::significant) return {significant(found->get<double>())};
  if (column.as == JsonColumn::As::count) return {grouped(found->get<std::uint64_t>())};
  return {found->is_string() ? found->get<std::string>() : found->dump(), column.as == JsonColumn::As::code};
}

}  // namespace

Table table_of(const nlohmann::json& rows, const std::vector<JsonColumn>& columns) {
  Table table;
  for (const JsonColumn& column : columns)
    table.columns.push_back(
        {column.title, column.as == JsonColumn::As::count || column.as == JsonColumn::As::significant});
  for (const auto& row : rows) {
    table.rows.emplace_back();
    for (const JsonColumn& column : columns) table.rows.back().push_back(cell_of(row, column));
  }
  return table;
}

double number_at(const nlohmann::json& document, const std::string& member) {
  const auto found = document.find(member);
  return found != document.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace overlay
