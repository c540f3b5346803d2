// Types and dimensions of Fortran variables, from declaration statements. Knows no file.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "corsika-patches/program_units.h"

namespace corsika_patches {

/// What a specification part says about names: their types and dimensions.
class Declarations {
 public:
  struct Entry {
    std::string type;  ///< canonical (statement_text.h); empty where no type statement names it
    std::vector<std::string> dimensions;  ///< empty for a scalar
    bool uncertain = false;               ///< declared under a condition, or twice and differently
    bool aliased = false;                 ///< in an EQUIVALENCE
    bool constant = false;                ///< in a PARAMETER
    bool typed_double() const { return type == "DOUBLEPRECISION" || type == "REAL*8"; }
  };

  /// Takes note of one canonical specification statement. Names of one that is not `certain`, since it stands
  /// under a preprocessor condition, become `uncertain`.
  void add(const std::string& text, bool certain = true);
  /// nullptr where nothing names it.
  const Entry* find(const std::string& name) const;
  /// REAL, DOUBLE PRECISION or INTEGER: as declared, or as IMPLICIT gives it; empty where that is not known.
  std::string type_of(const std::string& name) const;
  /// One of the three for a type as written in canonical form (REAL*8, REAL(4)...); empty for another one.
  static std::string plain(const std::string& type);

 private:
  void declare(const std::string& declarator, const std::string& type, bool certain);
  std::map<std::string, Entry> entries_;
  std::vector<std::string> implicit_;
};

/// The declarations of a unit; what the preprocessor may take out of it is uncertain.
Declarations declarations_of(const FixedFormSource& source, const ProgramUnit& unit);

/// The blocks of a header that a unit asks for by defining a macro, `#ifdef __NAME__ ... #endif`: by macro,
/// the declarations that stand in its block without a further condition.
using HeaderBlocks = std::map<std::string, Declarations>;
HeaderBlocks header_blocks(const FixedFormSource& header);

}  // namespace corsika_patches
