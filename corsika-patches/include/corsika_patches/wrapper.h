// The subroutine of ours that takes the place of one of CORSIKA's. Makes text alone.
#pragma once
#include <string>
#include <vector>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/rules.h"

namespace corsika_patches {

/// A dummy argument of the routine, as it declares it.
struct WrappedArgument {
  std::string name;
  std::string type;  ///< as a type statement has it
  bool array = false;
};

/// The arguments of a subroutine, with the types that it declares them with. Throws Error where one is not
/// declared with certainty, or is no variable.
std::vector<WrappedArgument> wrapped_arguments(const FixedFormSource& source, const ProgramUnit& unit,
                                               const std::string& file);

/// The arguments that `step` gets (WrapRule::roles), in the order of the roles: by name where all of the
/// names are there, else by position. Throws Error where there are too few, or one is an array or not DOUBLE
/// PRECISION; `place` begins its message: the file and the line.
std::vector<std::string> arguments_by_role(const WrapRule& rule,
                                           const std::vector<WrappedArgument>& arguments,
                                           const std::string& place);

/// Whether these are the rule's standard arguments.
bool has_standard_arguments(const WrapRule& rule, const std::vector<WrappedArgument>& arguments);

/// The lines of our subroutine: the argument list of CORSIKA's, a call of `step`, and of CORSIKA's own where
/// `done` is 0 or below (WrapRule). No line is longer than 72 columns.
std::vector<std::string> wrapper_lines(const WrapRule& rule, const std::vector<WrappedArgument>& arguments,
                                       const std::vector<std::string>& by_role);

}  // namespace corsika_patches
