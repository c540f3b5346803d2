// gprof's flat profile. Runs gprof on a program and its gmon.out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overlay/attribution/profile_categories.hpp"

namespace overlay {

/// One routine in gprof's flat profile.
struct GprofRow {
  std::string name;
  double self_s = 0;
  std::optional<std::uint64_t> calls;  ///< absent where the routine was not compiled with -pg
};

/// gprof's flat profile, as it is: most time of its own first. It counts no time inside libraries, so its
/// shares are not shares of CPU time.
struct GprofProfile {
  std::vector<GprofRow> rows;

  double total_s() const;
  /// The category's part of total_s(); 0 where that is 0.
  double share(const ProfileCategory& category) const;
  /// Calls of those of the category's routines that draw: all but ProfileCategory::not_draws.
  std::uint64_t draw_calls(const ProfileCategory& category) const;
};

/// Reads what `gprof -b -p` prints.
GprofProfile parse_gprof(const std::string& text);

/// Runs gprof on a program and its gmon.out. Throws support::Error where gprof or the file is missing.
GprofProfile read_gprof(const std::filesystem::path& program, const std::filesystem::path& gmon);

}  // namespace overlay
