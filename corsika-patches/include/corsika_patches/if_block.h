// The IF block around a statement. Works on texts alone.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"

namespace corsika_patches {

/// Lines of a file, counted from 0.
struct LineRange {
  int first, last;
};

/// From the IF to the END IF of the innermost block around the first statement of `unit` that begins with
/// `begin` (canonical, see statement_text.h) and that the macros `on` leave in. Empty where there is no such
/// statement or block, or where the block's ends are not in one branch of the preprocessor's conditionals, or
/// have a label.
std::optional<LineRange> if_block_around(const FixedFormSource& source, const ProgramUnit& unit,
                                         std::string_view begin, const std::set<std::string>& on);

}  // namespace corsika_patches
