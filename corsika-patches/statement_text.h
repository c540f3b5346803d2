// Helpers on the text of one statement.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Helpers on the canonical text of one Fortran statement.
///
/// Canonical: letters outside quotes in upper case, no blanks outside quotes, no trailing `!` comment,
/// relational operators in their dotted form, real constants by value with a final point (0.D0, 0.0 and 0.E0
/// are all "0.", but 0.1, a float, is not 0.1D0; integers stay as they are).
namespace corsika_patches {

/// Adds the code of one source line (columns 7 to 72) to a statement: without a `!` comment, and outside of
/// quotes without blanks and in upper case. `quote` carries an open quote across lines; 0: none is open.
void append_code(std::string& statement, std::string_view code, char& quote);

/// The canonical text of what append_code() has put together: operators dotted, constants by value.
std::string canonical(std::string_view blankless);

bool is_name(std::string_view text);
bool is_integer(std::string_view text);

/// Position of the parenthesis that closes the one at `open`; npos where there is none. Knows quotes.
std::size_t closing_parenthesis(std::string_view text, std::size_t open);

/// Parts between commas that stand outside parentheses and quotes.
std::vector<std::string> split_arguments(std::string_view list);

/// Position of an `=` outside parentheses and quotes; npos where there is none.
std::size_t top_level_equals(std::string_view text);

/// Takes the type off that a text begins with, and the length or kind behind it, `*8`, `*(*)` or `(8)`. Empty
/// where there is none.
std::string take_type(std::string_view& text);

/// NAME, or NAME(inner); nullopt for anything else.
struct Reference {
  std::string name;
  std::optional<std::string> inner;
};
std::optional<Reference> parse_reference(std::string_view text);

/// Names outside quotes, in order, with repetitions (keywords too; dotted operators such as .AND. not).
std::vector<std::string> identifiers(std::string_view canonical_text);

/// Whether the statement may stand in a specification part (declarations, DATA, FORMAT, SAVE...).
bool is_specification(std::string_view canonical_text);

}  // namespace corsika_patches
