// The program units of a Fortran source: where each begins and ends, and its names. Works on text alone.
#pragma once
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

}  // namespace corsika_patches
