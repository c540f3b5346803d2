// What stands for a routine while the macro is defined.
#pragma once
#include <string>
#include <vector>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/ranmar_shape.h"
#include "corsika_patches/rules.h"

namespace corsika_patches {

/// The lines that stand for a routine while the macro is defined: names and parameters as macros
/// (docs/how-it-works.md), then the include. Conditionals that cut through the head are repeated around
/// RNM_NAME.
std::vector<std::string> replacement_lines(const FixedFormSource& source, const ProgramUnit& unit,
                                           const RoutineRule& rule, const RanmarTraits& traits);

}  // namespace corsika_patches
