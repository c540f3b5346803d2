// Which lines put the Cherenkov stage in the place of routines of CORSIKA, as Blocks (text.h).
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "corsika-patches/patch.h"

namespace corsika_patches {

/// Adds the lines of the stage to `blocks`, by file, for a build with these options (macros, as __SLANT__;
/// empty: those that the rules name). All of them or none: where a file, a routine, a name or an argument is
/// missing, there are none.
///
/// Returns an element of the manifest's stages[]: what it covers of the build
/// (docs/cherenkov.md#covered-known-proven): `covered`, whole, bunches (CORSIKA's loop goes on), or none;
/// `reason`, one line: why it is not the whole loop, and what to do; `sites` before stock lines; `digests`,
/// by routine, of what `shapes` ask for.
Json plan_insertions(const RuleSet& rules, const std::map<std::string, SourceFile>& files,
                     const std::set<std::string>& build, std::map<std::string, std::vector<Block>>& blocks);

/// A dummy argument of a routine, as it declares it.
struct WrappedArgument {
  std::string name;
  std::string type;  ///< as a type statement has it
  bool array = false;
};

/// The arguments of a subroutine, with the types that it declares them with. Throws Error where one is not
/// declared with certainty, or is no variable.
std::vector<WrappedArgument> wrapped_arguments(const FixedFormSource& source, const ProgramUnit& unit,
                                               const std::string& file);

/// The arguments that `step` of [[wrap]] gets, in the order of its `roles`: by name where all of the
/// names are there, else by position. Throws Error where there are too few, or one is an array or not DOUBLE
/// PRECISION; `place` begins its message: the file and the line.
std::vector<std::string> arguments_by_role(const Rule& wrap, const std::vector<WrappedArgument>& arguments,
                                           const std::string& place);

/// Whether they are the `standard_arguments`.
bool is_standard(const Rule& wrap, const std::vector<WrappedArgument>& arguments);

/// The lines of our subroutine: the argument list of CORSIKA's, a call of `step`, which sets DONE, and of
/// CORSIKA's own where that is 0 or below, and of `end` behind it where it is below. Where CORSIKA's
/// is_standard(), for builds without the stage alone: else the library has it. No line is longer than 72
/// columns.
std::vector<std::string> wrapper_lines(const Rule& wrap, const std::vector<WrappedArgument>& arguments,
                                       const std::vector<std::string>& by_role);

/// The subroutine `options` of [[wrap]]: hands the variables of each [[light_option]] to its `call`. header:
/// that of CORSIKA.
std::vector<std::string> light_option_lines(const Rule& wrap, const std::string& header,
                                            const std::vector<Rule>& options);

}  // namespace corsika_patches
