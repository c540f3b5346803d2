// Digests of the bodies of routines, by which some are recognised (rules.h).
#pragma once
#include <string>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"

namespace corsika_patches {

/// SHA-256 of what a routine computes, for routines that are recognised by it (RMMAQD, G900GT, G900ST).
///
/// The digest does not change with blanks, case, comments, names of arguments and local variables, the way a
/// loop is closed, unused declarations, or the order of statements that do not depend on each other. It
/// changes with anything else: a constant, an operator, a type, a statement more or less.
///
/// Throws Error where the body's blocks and its conditionals do not nest.
std::string body_digest(const FixedFormSource& source, const ProgramUnit& unit, const std::string& file);

/// The text that is digested; for the tests, and to see why two digests differ.
std::string digest_text(const FixedFormSource& source, const ProgramUnit& unit, const std::string& file);

}  // namespace corsika_patches
