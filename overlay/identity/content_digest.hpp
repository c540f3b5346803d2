// Checksums of a run's outputs that do not depend on when they were written. Reads memory alone.
#pragma once

#include <string>
#include <string_view>

namespace overlay {

/// SHA-256 of what an output says, apart from what may differ between two runs of the same showers
/// (compare_bytes()): date words of run and event headers count as 0; of a log's time lines digits and blanks
/// do not count; and in the copy of the card that a telescope file holds, TELFIL lines do not count, so that
/// light which went through a pipe has the checksum of light which went into a file. Other files: of all
/// bytes.
std::string content_digest(const std::string& name, std::string_view bytes);

}  // namespace overlay
