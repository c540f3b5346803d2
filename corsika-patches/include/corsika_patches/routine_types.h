// Types of names in one routine, as its declarations give them. Reads single statements.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace corsika_patches {

/// Types that a routine's specification part gives to names.
class RoutineTypes {
 public:
  /// Takes note of one canonical (statement_text.h) specification statement. All but type statements and
  /// IMPLICIT are ignored.
  void add(const std::string& text);
  /// REAL, DOUBLE PRECISION or INTEGER: as declared, or as IMPLICIT gives it; empty where that is not
  /// known.
  std::string type_of(const std::string& name) const;
  /// Whether a type statement names it.
  bool declares(const std::string& name) const { return types_.contains(name); }
  /// One of the three for a type as written in canonical form (REAL*8, REAL(4)...); empty for another one.
  static std::string plain(const std::string& type);

 private:
  std::map<std::string, std::string> types_;
  std::vector<std::string> implicit_;
};

}  // namespace corsika_patches
