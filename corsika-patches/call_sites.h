// Calls of the generator, and draws in their place. Changes no file: returns what to insert, as
// Blocks (text.h).
#pragma once
#include <string>
#include <vector>

#include "corsika-patches/program_units.h"
#include "corsika-patches/rules.h"
#include "corsika-patches/text.h"

namespace corsika_patches {

/// One CALL of the generator, and what became of it.
struct CallSite {
  std::string unit;
  int line = 0;  ///< counted from 1, in the stock file
  bool inlined = false;
  std::string reason;                 ///< why it is left as a call
  int length = 0;                     ///< numbers drawn, where the call has a literal; else 0
  int sequence = 0;                   ///< likewise
  std::vector<std::string> elements;  ///< what an inlined draw fills: array elements, or one scalar
};

struct CallSiteChanges {
  std::vector<CallSite> sites;
  std::vector<Block> blocks;
};

/// Finds every call of the generator in the units given and inlines those where that is certain to be right:
/// a whole statement without a label, literal length and sequence, an array whose rank and type are known and
/// whose elements can be named, in a unit that includes the header of [call_sites], after which the
/// declarations of an inlined draw go.
CallSiteChanges inline_call_sites(const FixedFormSource& source, const std::vector<ProgramUnit>& units,
                                  const HeaderBlocks& header, const RuleSet& rules, bool do_inline);

}  // namespace corsika_patches
