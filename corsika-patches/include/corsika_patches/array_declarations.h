// Types and dimensions of Fortran variables, from declaration statements. Knows no file.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/fixed_form.h"

namespace corsika_patches {

/// What a specification part says about names: their types and dimensions.
class ArrayDeclarations {
 public:
  struct Entry {
    std::string type;  ///< canonical (statement_text.h); empty where no type statement names it
    std::vector<std::string> dimensions;  ///< empty for a scalar
    bool uncertain = false;               ///< declared under a condition, or twice and differently
    bool aliased = false;                 ///< in an EQUIVALENCE
    bool constant = false;                ///< in a PARAMETER
    bool typed_double() const { return type == "DOUBLEPRECISION" || type == "REAL*8"; }
  };

  /// Takes note of one canonical specification statement.
  void add(const std::string& text);
  /// The same for a statement under a preprocessor condition: its names become `uncertain`.
  void add_uncertain(const std::string& text);
  /// nullptr where nothing names it.
  const Entry* find(const std::string& name) const;

 private:
  void declare(const std::string& declarator, const std::string& type);
  std::map<std::string, Entry> entries_;
};

/// The blocks of a header that a unit asks for by defining a macro, `#ifdef __NAME__ ... #endif`: by macro,
/// the declarations that stand in its block without a further condition.
std::map<std::string, ArrayDeclarations> header_blocks(const FixedFormSource& header);

}  // namespace corsika_patches
