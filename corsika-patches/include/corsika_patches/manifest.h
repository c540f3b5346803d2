// The manifest of what was done.
#pragma once
#include <string>

#include "corsika_patches/patch.h"

namespace corsika_patches {

/// What was done, as JSON: release, routines[], stages[], files[], sites_summary, sites[], left_alone[],
/// notes[].
std::string manifest_json(const PatchResult& result);

}  // namespace corsika_patches
