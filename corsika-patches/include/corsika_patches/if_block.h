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

/// The innermost IF block around the first statement of `unit` that begins with `begin` (canonical, see
/// statement_text.h) and is active with the macros `on`. Empty if there is none, if IF and END IF stand in
/// different preprocessor branches, or if one has a label.
std::optional<LineRange> if_block_around(const FixedFormSource& source, const ProgramUnit& unit,
                                         std::string_view begin, const std::set<std::string>& on);

}  // namespace corsika_patches
