// CORSIKA's input cards, read as CORSIKA reads them: what a card says, what it reads, and where it sends its
// outputs. Works on text and on the environment, and touches no file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// One line of a card that CORSIKA would interpret.
struct CardLine {
  std::string keyword;  ///< as it stands in the card, in upper case
  std::string rest;     ///< what follows the keyword, as it stands
};

/// An input card. CORSIKA takes a keyword at the start of a line, in any case, tabs as blanks, the first 512
/// characters of a line, and reads until a line that starts with EXIT or until the end of the text. Lines
/// that begin with `*`, `!`, a blank or a tab, and lines whose first word is C, are comments. But the IACT
/// package takes `*(IACT) ` and `* (IACT) ` for the keyword IACT. (CORSIKA 7 User's Guide, section 4.)
class Card {
 public:
  explicit Card(std::string_view text);

  /// Lines up to EXIT, comments left out.
  const std::vector<CardLine>& lines() const { return lines_; }

  /// What follows the keyword in the last line that has `keyword` (in upper case) as its keyword; CORSIKA
  /// keeps the last value of most keywords. nullptr where there is none.
  const std::string* last(std::string_view keyword) const;
  bool has(std::string_view keyword) const { return last(keyword) != nullptr; }

  /// The n-th word (from 1) of that line; empty where there is none.
  std::string word(std::string_view keyword, int n = 1) const;
  /// The keyword's first word as a whole number; `otherwise` where there is none.
  long number(std::string_view keyword, long otherwise) const;
  /// Showers that the card asks for (NSHOW): CORSIKA's default 10 without NSHOW; at least 1.
  long showers() const;
  /// Number of the run (RUNNR): 1 where it does not say.
  long run_number() const;
  /// Number of the table of the atmosphere (ATMOSPHERE); 0 where the card names none.
  int atmosphere() const;

 private:
  std::vector<CardLine> lines_;
};

/// Letters a to z as A to Z, whatever the locale.
std::string upper_case(std::string_view text);
/// The n-th word (from 1) of what follows a keyword; empty where there are fewer. A word ends at a blank or
/// at `!`, which begins a comment; quotes hold blanks together in the first word, as in CORSIKA.
std::string card_word(std::string_view rest, int n);
/// A word as CORSIKA reads a LOGICAL: T, TRUE, .TRUE., Y, YES, ON, 1 in any case. `otherwise` where it is
/// neither such a word nor one for false.
bool card_logical(std::string_view word, bool otherwise);
/// A word as a whole number; `otherwise` where it is not one.
long card_integer(std::string_view word, long otherwise);
/// A word as a number, as Fortran has it: `1.5D2` is 150. Nothing where it is none.
std::optional<double> card_real(std::string word);

/// A text with the placeholders @NAME@ (a letter, then letters, digits and underscores) replaced by their
/// values; any other @ stays. Throws support::Error where one is not known.
std::string filled_in(const std::string& form, const std::map<std::string, std::string>& values);
/// The same of one of the forms in a text, which begins behind its line `=== NAME`.
std::string filled_form(const std::string& forms, const std::string& name,
                        const std::map<std::string, std::string>& values);
/// Whether a text has a placeholder.
bool has_placeholder(const std::string& form, const std::string& name);

/// The card with each line before EXIT as `change` makes it, or without the line where it makes nothing. All
/// other bytes stay, the ends of lines too.
std::string changed_card(const std::string& card,
                         const std::function<std::optional<std::string>(const std::string&)>& change);

/// The card with its lines of `keyword` (in upper case) replaced by `line`, or `line` put in front where it
/// has none. All other bytes stay.
std::string card_with_line(const std::string& card, std::string_view keyword, const std::string& line);

/// The card with its lines of `keyword` (in upper case) taken out and `lines` put in front. All other bytes
/// stay.
std::string card_with_lines(const std::string& card, std::string_view keyword,
                            const std::vector<std::string>& lines);

/// The card for a run that has to get through its start-up and little more: one shower of 100 GeV a nucleon,
/// or of the card's lowest energy where that is less or the card has PARALLEL; without ERANGE the energy
/// stays. All other bytes stay.
std::string card_of_one_low_shower(const std::string& card);

/// CORSIKA's code of a particle, a name ("gamma", "iron", in any case) or a code. Throws support::Error where
/// no release has such a primary.
std::string particle_code(const std::string& text);

/// Whether a code is that of a nucleus, 100 A + Z, and none has so many protons: more than two in three
/// nucleons.
bool has_too_many_protons(long code);

/// The name of a code, or the code where it has none.
std::string particle_name(const std::string& code);

/// The card with another number of showers: its NSHOW lines replaced, or one put in front. All other bytes
/// stay.
std::string card_with_showers(const std::string& card, long showers);

// In refusal.cpp: what CORSIKA refuses in a card, as its own sources say it.

/// Why a program of CORSIKA with these options would refuse the card, and what to do, one sentence each;
/// empty where nothing is known to be wrong. `source`: text of src/corsika.F, whose conditions of the
/// preprocessor are followed. `on`: options that are selected; `off`: options that are not. Nothing is known
/// of others, and lines that hang on them count. A rule that the source does not have in the form known
/// refuses nothing. EPOS and NEXUS without their parameters, for which they would compute tables for hours,
/// are refused whatever the source says.
std::string card_refusal(const std::string& card, const std::string& source,
                         const std::vector<std::string>& on, const std::vector<std::string>& off);

/// The card without lines whose keyword such a program does not know.
std::string card_of_known_lines(const std::string& card, const std::string& source,
                                const std::vector<std::string>& on, const std::vector<std::string>& off);

}  // namespace overlay
