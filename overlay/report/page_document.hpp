// report.json as the page reads it: values by JSON pointer. Keeps the JSON library out of the page's other
// units.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// A JSON document whose values are named by JSON pointers (RFC 6901), such as /speedup/measured.
///
/// A pointer may also choose an element of an array by one of its members: /runs[build=stock]/cpu_s is
/// /runs/0/cpu_s where the member "build" of the first run is "stock".
class PageDocument {
 public:
  /// Reads JSON text. Throws support::Error where it is not JSON.
  explicit PageDocument(std::string_view json);
  ~PageDocument();
  PageDocument(const PageDocument&) = delete;
  PageDocument& operator=(const PageDocument&) = delete;

  /// The plain JSON pointer of a value that the document has; empty where it has none.
  std::optional<std::string> resolve(std::string_view pointer) const;
  /// Whether there is something to show: not missing, null, false, or an empty text, array or object. Zero
  /// counts.
  bool holds(std::string_view pointer) const;
  /// A finite number; empty where there is none.
  std::optional<double> number(std::string_view pointer) const;
  /// A text as it is, any other value as report.json writes it; "null" where there is none.
  std::string as_written(std::string_view pointer) const;
  /// A text; empty where there is none.
  std::string text(std::string_view pointer) const;
  /// Pointers of an array's elements or an object's members, in their order.
  std::vector<std::string> children(std::string_view pointer) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// A member's name as part of a JSON pointer: ~ becomes ~0 and / becomes ~1.
std::string pointer_part(std::string_view name);

}  // namespace overlay
