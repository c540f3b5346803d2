// What a build tells its user while it works.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace overlay {

/// A line on standard error.
inline void message(const std::string& line) {
  fmt::print(stderr, "overlay: {}\n", line);
  std::fflush(stderr);
}

}  // namespace overlay
