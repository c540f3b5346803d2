// What a Generator throws about its sequences.
#pragma once

#include <stdexcept>

#include "ranmar/export.h"

namespace ranmar {

/// A sequence number outside 1..n.
class RANMAR_API BadSequence : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

/// A sequence that has neither a seed nor a state yet.
class RANMAR_API NotSeeded : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace ranmar
