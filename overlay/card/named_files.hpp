// What a card names: files and folders that a run reads or writes, and the command that gets the light. The
// one place that knows which keywords name something. Works on text and on the environment, and touches no
// file.
#pragma once

#include "overlay/card/card.hpp"

namespace overlay {

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
