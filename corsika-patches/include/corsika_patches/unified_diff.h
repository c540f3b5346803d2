// A diff that patch(1) takes.
#pragma once
#include <string>

namespace corsika_patches {

/// Unified diff (three lines of context) of two texts of which the second holds every line of the first, in
/// order, and lines of our blocks between them. `patch -p1` turns one into the other.
std::string unified_diff(const std::string& before, const std::string& after, const std::string& file);

}  // namespace corsika_patches
