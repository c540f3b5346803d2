// The program units of a Fortran source: where each begins and ends, its names, and the types and dimensions
// that its declarations give. Works on text alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "corsika-patches/fixed_form.h"

namespace corsika_patches {

/// A SUBROUTINE, FUNCTION, PROGRAM, BLOCK DATA or ENTRY statement.
struct UnitHead {
  std::string kind;  ///< SUBROUTINE, FUNCTION, PROGRAM, BLOCKDATA, ENTRY
  std::string type;  ///< of a FUNCTION: what its head says, canonical (statement_text.h); may be empty
  std::string name;
  std::vector<std::string> arguments;
  int statement = -1;  ///< index in the source's statements
};

/// One program unit: from its head, and the conditionals that cut through it, to its END.
struct ProgramUnit {
  std::vector<UnitHead> heads;    ///< more than one where conditionals cut through the head
  std::vector<UnitHead> entries;  ///< ENTRY statements
  int first_statement = -1;       ///< index of the first head (or of the first statement of a headless unit)
  int end_statement = -1;         ///< index of END
  int begin_line = -1;  ///< head, or the #if of a conditional that cuts through it; lines count from 0
  int end_line = -1;
  int frame = 0;            ///< conditional branch in which the unit stands as a whole
  bool split_head = false;  ///< a directive stands between the lines of a head
  std::string irregular;    ///< why it is no clean unit; empty where it is one

  bool has_name(const std::string& name) const;
  /// Whether a statement is one of the heads.
  bool is_head(int statement) const;
  const std::string& name() const;
};

/// Reads a head. Its name is empty if the statement is no head.
UnitHead parse_head(const std::string& canonical_text);

/// The program units of a file, in its order, each up to its END. One that cannot be read with certainty is
/// there, too, with the reason in `irregular`.
std::vector<ProgramUnit> find_units(const FixedFormSource& source);

/// The macros of all conditionals around a unit and in it.
std::set<std::string> macros_around(const FixedFormSource& source, const ProgramUnit& unit);

/// A source file of a tree.
struct SourceFile {
  SourceFile(std::string bytes, bool fortran);
  TextFile text;
  std::optional<FixedFormSource> source;  ///< of Fortran
  std::vector<ProgramUnit> units;
  /// The regular unit of that name that the preprocessor leaves in if the macros `on` are 1 and no others are
  /// defined; nullptr where there is none.
  const ProgramUnit* active_unit(const std::string& name, const std::set<std::string>& on) const;
};

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
