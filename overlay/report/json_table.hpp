// Tables of a page from rows of JSON, for programs whose results are a JSON document.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "overlay/report/page.hpp"

namespace overlay {

/// A member of each row, and how it is shown. What is missing is an empty cell.
struct JsonColumn {
  enum class As { text, code, count, significant };
  std::string title, member;
  As as = As::text;
};

/// The rows are the elements of an array of objects.
Table table_of(const nlohmann::json& rows, const std::vector<JsonColumn>& columns);

/// The document's member, a finite number; 0 where it is not.
double number_at(const nlohmann::json& document, const std::string& member);

}  // namespace overlay
