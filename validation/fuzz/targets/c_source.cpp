// The patcher's reading of C: tokens, functions, conditionals and digests. The input is a source file.
#include "corsika_patches/c_source.h"

#include <set>

#include "corsika_patches/text_file.h"
#include "fuzz.hpp"

namespace fuzz::c_source {
namespace {

using namespace corsika_patches;

constexpr std::size_t kMostNames = 8;  // whose digests are made

std::set<std::string> names_in(const CSource& source) {
  std::set<std::string> names;
  for (const auto& token : source.tokens())
    if (token.kind == CToken::Kind::word && names.size() < kMostNames) names.insert(token.text);
  return names;
}

void check_tokens(const CSource& source, int lines) {
  int before = 0;
  for (const auto& token : source.tokens()) {
    fuzz::require(token.line >= before && token.line < lines, "tokens stand in the order of their lines",
                  token.text);
    before = token.line;
    fuzz::require(token.branch >= 0 && token.branch < static_cast<int>(source.branches().size()),
                  "a token stands in a branch", token.text);
    fuzz::require(!token.text.empty(), "a token has a text");
  }
}

void check_functions(const CSource& source, const std::string& name) {
  for (const auto& function : source.functions(name)) {
    fuzz::require(function.begin <= function.open && function.open < function.close &&
                      function.close < function.end && function.end <= source.tokens().size(),
                  "a function's head, parameters and body stand one behind the other", name);
    fuzz::require(source.parameter_count(function) >= 0, "a function has 0 parameters or more", name);
  }
}

}  // namespace

FUZZ_TARGET(c_source) {
  const std::string text = input.rest();
  const CSource source(text);
  const TextFile lines(text);
  check_tokens(source, lines.line_count());
  const auto names = names_in(source);
  const CSource behind_comment("/* a comment */\n" + text);
  const CSource blank_at_end(text + "\n\n");
  for (const auto& name : names) {
    check_functions(source, name);
    const int line = source.first_line_with({name});
    fuzz::require(line >= -1 && line < lines.line_count(), "the first line with a name is one of the text",
                  name);
  }
  fuzz::require(text_of(behind_comment) == text_of(source), "a comment in front leaves the text");
  if (text.ends_with("\n") && !text.ends_with("\\\n"))
    fuzz::require(text_of(blank_at_end) == text_of(source), "empty lines leave the text");
}

}  // namespace fuzz::c_source
