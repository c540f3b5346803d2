// The patcher's reading of fixed-form Fortran: lines, statements, conditionals, program units, routines of
// the generator and digests. The input is a source file.
#include <algorithm>

#include "corsika-patches/declarations.h"
#include "corsika-patches/recognise.h"
#include "corsika-patches/stage.h"
#include "corsika-patches/statement_text.h"
#include "fuzz.hpp"

namespace fuzz::fortran_source {
namespace {

using namespace corsika_patches;

/// Capitals, but for the letters of a constant's exponent or of one beyond the largest number, and no blanks.
bool is_canonical(const std::string& statement) {
  char quote = 0;
  for (const char c : statement) {
    const bool quotes = quote != 0 ? c == quote : c == '\'' || c == '"';
    const bool small = c >= 'a' && c <= 'z' && std::string_view("einf").find(c) == std::string_view::npos;
    if (quotes)
      quote = quote != 0 ? '\0' : c;
    else if (quote == 0 && (small || c == ' ' || c == '\t'))
      return false;
  }
  return true;
}

void check_lines(const FixedFormSource& source) {
  const auto& text = source.text();
  std::string joined;
  for (int i = 0; i < text.line_count(); ++i) joined += text.raw_line(i);
  fuzz::require(joined == text.bytes(), "the lines joined are the bytes");
  int before = -1;
  const int branches = static_cast<int>(source.branches().size());
  for (const auto& statement : source.statements()) {
    fuzz::require(
        statement.first > before && statement.last >= statement.first && statement.last < text.line_count(),
        "statements stand one behind the other", statement.text);
    before = statement.first;
    fuzz::require(statement.branch >= 0 && statement.branch < branches && source.within(statement.branch, 0),
                  "a statement stands in a branch", statement.text);
    fuzz::require(is_canonical(statement.text), "outside of quotes there are capitals, and no blanks",
                  statement.text);
  }
}

/// The same statements, where only what is no statement has changed.
void check_same(const FixedFormSource& a, const FixedFormSource& b, const char* property) {
  fuzz::require(a.statements().size() == b.statements().size(), property);
  for (std::size_t i = 0; i < a.statements().size(); ++i)
    fuzz::require(a.statements()[i].text == b.statements()[i].text &&
                      a.statements()[i].label == b.statements()[i].label,
                  property, a.statements()[i].text + "\n" + b.statements()[i].text);
}

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

void check_unit(const FixedFormSource& source, const ProgramUnit& unit) {
  fuzz::require(body_digest(source, unit).size() == 64, "a digest is a SHA-256");
  fuzz::refusal([&] { macros_around(source, unit); });
  for (const char* kind : {"function", "vector", "rmmard"})
    fuzz::refusal([&] { recognise_ranmar(source, unit, kind, "input.f"); });
  fuzz::refusal([&] { wrapped_arguments(source, unit, "input.f"); });
}

void check_units(const FixedFormSource& source) {
  const auto units = find_units(source);
  int before = -1;
  for (const auto& unit : units) {
    if (!unit.irregular.empty()) continue;
    fuzz::require(unit.begin_line > before && unit.end_line >= unit.begin_line,
                  "units stand one behind the other");
    before = unit.end_line;
    fuzz::require(
        !unit.heads.empty() && unit.first_statement >= 0 && unit.end_statement >= unit.first_statement,
        "a regular unit has a head and an end");
    check_unit(source, unit);
  }
}

}  // namespace

FUZZ_TARGET(fortran_source) {
  const std::string text = input.rest();
  const FixedFormSource source{TextFile(text)};
  check_lines(source);
  if (text.find('\r') == std::string::npos)
    check_same(source, FixedFormSource{TextFile(with_crlf(text))}, "CRLF line ends change no statement");
  check_same(source, FixedFormSource{TextFile("C a comment\n" + text)},
             "a comment in front changes no statement");
  for (const auto& branch : source.branches()) fuzz::refusal([&] { holds(branch.condition, {}); });
  Declarations declared;
  for (const auto& statement : source.statements()) {
    parse_head(statement.text);
    identifiers(statement.text);
    if (is_specification(statement.text)) declared.add(statement.text);
  }
  header_blocks(source);
  check_units(source);
}

}  // namespace fuzz::fortran_source
