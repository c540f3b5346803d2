// Reads the JSON of a manifest in one pass, without building a JSON document in memory: a million manifests
// are read where one production is verified. Text alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlay {

/// The text is not what is asked for.
struct NoManifest {};

/// A place in JSON text. Every call takes what it names, with the comma before it, and throws NoManifest
/// where the text has something else. Keys must come in the order in which they are asked for: the writer's.
class ManifestText {
 public:
  explicit ManifestText(std::string_view text) : text_(text) {}

  /// Takes the character `sign`, one of { } [ ].
  void take(char sign);
  /// Whether `sign` comes next; takes it where it does.
  bool take_if(char sign);
  /// Takes a member's key. The value is next.
  void key(std::string_view name);
  /// Takes a member's key, whatever it is.
  std::string any_key();
  void value(std::string& text);
  /// Integers must be whole and fit.
  void value(std::int64_t& number);
  void value(std::uint64_t& number);
  void value(double& number);

 private:
  /// The next character that is not blank, '\0' at the end; a comma is passed over.
  char next();
  template <class Number>
  void number(Number& value);
  void unescape(std::string& text);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace overlay
