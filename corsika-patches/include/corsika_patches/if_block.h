// The IF block around a statement. Works on texts alone.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

/// Digest (SHA-256, hex) of what a routine does in a block and with some variables: each statement of the
/// block, and each other one, declarations apart, that names one of `names`, behind the IFs around it. Of the
/// build with the macros `on`.
std::string block_digest(const FixedFormSource& source, const ProgramUnit& unit, LineRange block,
                         const std::vector<std::string>& names, const std::set<std::string>& on);

}  // namespace corsika_patches
