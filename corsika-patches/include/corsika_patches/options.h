// What a selection of options leaves of a source.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"

namespace corsika_patches {

/// Value of an `#if` condition where the macros in `on` are 1 and all others are not defined. Knows names,
/// whole numbers, defined, !, &&, || and parentheses; an Error for anything else.
bool holds(std::string_view condition, const std::set<std::string>& on);

/// The macros of all conditionals around a routine and in it.
std::set<std::string> macros_around(const FixedFormSource& source, const ProgramUnit& unit);

/// Whether the lines of a conditional branch are left in.
bool is_active(const FixedFormSource& source, int branch, const std::set<std::string>& on);

}  // namespace corsika_patches
