// Compares a canonical (statement_text.h) statement with a pattern. Knows no Fortran beyond names and
// numbers.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace corsika_patches {

/// Whether all of `text` is of the form `pattern`, in which
///
///     %s  is a sequence: JSEQ, or a whole number    %w  is letters, digits and underscores, at least one
///     %n  is a name                                 %d  is digits, perhaps none
///     %=  is the first element of `taken`           %v  is `value`, which must not be empty
///     %0  is 0 or 0.                                %1  is 1 or 1.
///     %,  is a comma or nothing
///
/// and everything else is itself. What %s, %w, %n and %d took goes to `taken`, in order.
bool matches(std::string_view text, std::string_view pattern, std::string_view value,
             std::vector<std::string>& taken);

/// The same where nothing that was taken matters.
bool matches(std::string_view text, std::string_view pattern);

}  // namespace corsika_patches
