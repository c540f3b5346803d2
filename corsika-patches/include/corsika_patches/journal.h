// The journal of a transaction: which files it changes, so that a later call can undo or redo an interrupted
// transaction. Works on text alone.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace corsika_patches {

struct Journal {
  /// undo: put the old contents back. redo: put the new contents in place.
  enum class Direction { undo, redo };
  struct File {
    std::string name;    ///< any bytes but NUL; relative to the tree where the file is in it
    std::string before;  ///< SHA-256 of the old contents; empty where there was no file
    std::string after;   ///< SHA-256 of the new contents
  };

  Direction direction = Direction::undo;
  std::string token;  ///< 16 hexadecimal digits, which no other transaction has
  std::vector<File> files;

  /// Names beside `name` of the new contents before they are in place, and of the old ones afterwards.
  std::string name_of_new(const std::string& name) const { return name + ".corsika-patch-" + token + "-new"; }
  std::string name_of_old(const std::string& name) const { return name + ".corsika-patch-" + token + "-old"; }

  /// A first line that says what it is, the fields ended by NUL, and the SHA-256 of all that.
  std::string text() const;
  /// nullopt where the text is not a whole journal.
  static std::optional<Journal> read(const std::string& text);
  /// Whether the text may be the beginning of a journal that was not written to its end.
  static bool begins_like_one(const std::string& text);
  static std::string new_token();
};

}  // namespace corsika_patches
