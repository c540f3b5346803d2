// Declarations of a header by the macro that asks for them.
#pragma once
#include <map>
#include <set>
#include <string>

#include "corsika_patches/array_declarations.h"
#include "corsika_patches/fixed_form.h"

namespace corsika_patches {

/// The blocks of a header that a unit asks for by defining a macro: `#ifdef __NAME__ ... #endif`.
class HeaderBlocks {
 public:
  HeaderBlocks() = default;
  explicit HeaderBlocks(const FixedFormSource& header);

  /// Guard -> declarations that stand in its block without a further condition.
  const std::map<std::string, ArrayDeclarations>& blocks() const { return blocks_; }

 private:
  std::map<std::string, ArrayDeclarations> blocks_;
};

}  // namespace corsika_patches
