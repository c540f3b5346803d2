// report.json as the page reads it. The only unit of the page that knows the JSON library.
#include "overlay/report/page_document.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace overlay {

using Json = nlohmann::json;

struct PageDocument::Content {
  Json json;

  /// The value that the pointer names, and its plain pointer; nullptr where there is none.
  const Json* find(std::string_view pointer, std::string* plain = nullptr) const;
};

namespace {

/// A part of a JSON pointer as a member's name.
std::string name_of_part(std::string_view part) {
  std::string name;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1'))
      name += part[++i] == '0' ? '~' : '/';
    else
      name += part[i];
  }
  return name;
}

/// Index of the first element whose member `key` is the text `value`; the array's size where there is none.
std::size_t index_where(const Json& array, const std::string& key, const std::string& value) {
  std::size_t index = 0;
  for (const Json& element : array) {
    if (element.is_object() && element.contains(key) && element[key].is_string() &&
        element[key].get_ref<const std::string&>() == value)
      break;
    ++index;
  }
  return index;
}

const Json* element_at(const Json& array, std::size_t index) {
  return array.is_array() && index < array.size() ? &array[index] : nullptr;
}

/// A step from a value to the one that `part` names.
const Json* step(const Json& from, const std::string& part) {
  if (from.is_object()) {
    const auto member = from.find(name_of_part(part));
    return member == from.end() ? nullptr : &*member;
  }
  if (part.empty() || part.size() > 9 || part.find_first_not_of("0123456789") != std::string::npos)
    return nullptr;
  return element_at(from, std::stoul(part));
}

}  // namespace

const Json* PageDocument::Content::find(std::string_view pointer, std::string* plain) const {
  const Json* at = &json;
  while (!pointer.empty() && at != nullptr) {
    if (pointer[0] == '/') {
      const std::size_t end = std::min(pointer.find_first_of("/[", 1), pointer.size());
      const std::string part(pointer.substr(1, end - 1));
      at = step(*at, part);
      if (plain != nullptr) *plain += "/" + part;
      pointer.remove_prefix(end);
    } else {
      const std::size_t equals = pointer.find('='), end = pointer.find(']');
      if (pointer[0] != '[' || end == std::string_view::npos || equals > end) return nullptr;
      const std::size_t index = index_where(*at, std::string(pointer.substr(1, equals - 1)),
                                            std::string(pointer.substr(equals + 1, end - equals - 1)));
      at = element_at(*at, index);
      if (plain != nullptr) *plain += "/" + std::to_string(index);
      pointer.remove_prefix(end + 1);
    }
  }
  return at;
}

PageDocument::PageDocument(std::string_view json) : content_(std::make_unique<Content>()) {
  content_->json = Json::parse(json, nullptr, false);
  if (content_->json.is_discarded())
    throw support::Error("report.json cannot be read; make the report again with overlay compare");
}

PageDocument::~PageDocument() = default;

std::optional<std::string> PageDocument::resolve(std::string_view pointer) const {
  std::string plain;
  if (content_->find(pointer, &plain) == nullptr) return std::nullopt;
  return plain;
}

bool PageDocument::holds(std::string_view pointer) const {
  const Json* value = content_->find(pointer);
  if (value == nullptr || value->is_null()) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  return value->is_number() || !value->empty();
}

std::optional<double> PageDocument::number(std::string_view pointer) const {
  const Json* value = content_->find(pointer);
  if (value == nullptr || !value->is_number() || !std::isfinite(value->get<double>())) return std::nullopt;
  return value->get<double>();
}

std::string PageDocument::as_written(std::string_view pointer) const {
  const Json* value = content_->find(pointer);
  if (value == nullptr) return "null";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

std::string PageDocument::text(std::string_view pointer) const {
  const Json* value = content_->find(pointer);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::vector<std::string> PageDocument::children(std::string_view pointer) const {
  std::vector<std::string> pointers;
  std::string plain;
  const Json* value = content_->find(pointer, &plain);
  if (value == nullptr) return pointers;
  if (value->is_array())
    for (std::size_t i = 0; i < value->size(); ++i) pointers.push_back(plain + "/" + std::to_string(i));
  if (value->is_object())
    for (const auto& member : value->items()) pointers.push_back(plain + "/" + pointer_part(member.key()));
  return pointers;
}

std::string pointer_part(std::string_view name) {
  std::string part;
  for (const char c : name) {
    if (c == '~')
      part += "~0";
    else if (c == '/')
      part += "~1";
    else
      part += c;
  }
  return part;
}

}  // namespace overlay
