// CORSIKA's input cards, read as CORSIKA reads them: what a card says, what it reads, and where it sends its
// outputs. The one place that knows which keywords name something. Works on text and on the environment, and
// touches no file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corsika-patches/fixed_form.h"

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

/// The card with `lines` in the place of its first line of `keyword` (in upper case), or put in front where
/// it has none, and without the others of that keyword. All other bytes stay.
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
/// empty where nothing is known to be wrong. `source`: src/corsika.F, whose conditions of the
/// preprocessor are followed. `on`: options that are selected; `off`: options that are not. Nothing is known
/// of others, and lines that hang on them count. A rule that the source does not have in the form known
/// refuses nothing. EPOS and NEXUS without their parameters, for which they would compute tables for hours,
/// are refused whatever the source says.
std::string card_refusal(const std::string& card, const corsika_patches::FixedFormSource& source,
                         const std::vector<std::string>& on, const std::vector<std::string>& off);

/// The card without lines whose keyword such a program does not know.
std::string card_of_known_lines(const std::string& card, const corsika_patches::FixedFormSource& source,
                                const std::vector<std::string>& on, const std::vector<std::string>& off);

/// How a keyword names something.
enum class Names {
  input,           ///< a file that is read, or the run ends
  optional_input,  ///< a file that may be read: another form of the keyword, or a routine of the user, needs
                   ///< none
  tables,          ///< a folder that tables are read from
  output,          ///< a file that is written
  prefix,          ///< how the names of outputs begin: a folder with a slash at its end, or more
  command,         ///< a program that gets the light on its standard input
};

/// A file or folder that a card names.
struct NamedFile {
  Names how;
  std::string keyword;  ///< as a card has it, in upper case: "DIRECT", "IACT ATMOFILE"
  std::string name;     ///< without quotes, not empty
};

/// All that the card names, in the card's order: the table of the atmosphere first (`ATMOSPHERE 99` with
/// `IACT ATMOFILE NAME`; atmprofNN.dat otherwise), the output of TELFIL or its command's program last.
/// Variables in the name of TELFIL's file are replaced (with_variables()); where that cannot be done it is
/// left out.
std::vector<NamedFile> named_files(const Card& card);

/// Name of the table of the card's atmosphere, as IACT ATMOFILE gives it or atmprofNN.dat; empty where the
/// card has no ATMOSPHERE of 1 or more.
std::string atmosphere_file(const Card& card);

/// Whether a name stays in the folder that it is relative to.
bool stays_in_folder(const std::string& name);

/// Folders in the run folder that the card's outputs need, relative to it: CORSIKA makes none.
std::vector<std::string> output_folders(const Card& card);

/// A sentence on an unquoted TELFIL whose command has more than one word, of which CORSIKA takes the first;
/// empty where there is none.
std::string unquoted_command(const Card& card);

/// What the card's last TELFIL line names, the IACT package's own lines (`IACT TELFIL`, `*(IACT) TELFIL`)
/// included: a file, or `|` and a command. The `+` before it and the numbers behind colons are no part of it.
/// telescope.dat, the package's default, where no line names one.
std::string telescope_output(const Card& card);

/// Whether a card's line is one of these.
bool names_telescope_output(std::string_view line);

/// A name with its variables (`$NAME`, `${NAME}`, `$(NAME)`) replaced as the IACT package does it in a run
/// with this card: RUNNR, NSHOW and PRMPAR of the card, what its `IACT setenv` lines set, and our
/// environment. Nothing where the program alone knows a value.
std::optional<std::string> with_variables(std::string name, const Card& card);

/// The command that gets the telescope data on its standard input, with what the card's TELOPT line adds, as
/// a shell takes it: `$(NAME)`, which is a variable for the IACT package, is `${NAME}`. Nothing where the
/// data go into a file.
std::optional<std::string> telescope_command(const Card& card);

/// The card with `program` and a blank put before each TELFIL line's command, so that the IACT package starts
/// `program` with the command as its arguments, and checks the command's characters as it always does. All
/// other lines stay.
std::string card_with_command_behind(const std::string& card, const std::string& program);

/// Why outputs of a run with this card, of a program with `options` (coconut's names), would be lost or would
/// meet those of other runs, and what to change, as one sentence: DIRECT or TELFIL lead out of the run
/// folder, or the light goes to a device. Empty where all that is written stays in the run folder, or goes
/// into a command.
std::string outputs_elsewhere(const std::string& card, const std::vector<std::string>& options);

/// The card without the folders of DIRECT and TELFIL where they lead out of the run folder:
/// `TELFIL /data/x.zst` becomes `TELFIL ./x.zst`.
std::string card_with_outputs_here(const std::string& card);

}  // namespace overlay
