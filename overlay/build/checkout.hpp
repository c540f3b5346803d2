// Where this checkout and its build are. The only unit that has their paths compiled in: a compiler cache
// then serves the others in any checkout.
#pragma once

#include <filesystem>

namespace overlay {

/// Folder of our sources, as they were when this program was built.
std::filesystem::path source_root();

/// Folder of this checkout's own build: $OVERLAY_BUILD_ROOT where set.
std::filesystem::path build_root();

}  // namespace overlay
