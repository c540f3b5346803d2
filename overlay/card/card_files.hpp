// The files and commands that a card names: what it reads, and where it sends its outputs. Works on text and
// on the environment, and touches no file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overlay/card/card.hpp"

namespace overlay {

/// What the card's last TELFIL line names, the IACT package's own lines (`IACT TELFIL`, `*(IACT) TELFIL`)
/// included: a file, or `|` and a command. The `+` before it and the numbers behind colons are no part of it.
/// telescope.dat, the package's default, where no line names one.
std::string telescope_output(const Card& card);

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

/// Names in a card that may be those of files which CORSIKA, its IACT package or the card's command reads:
/// INFILE, ATMFILE, the IACT lines TELSAMPLE (behind `1d:` or `2d:`), EXTPRIM and ATMOFILE, and the
/// program that gets the telescope data. A leading `./` is removed; names with a folder are left out, because
/// they say themselves where the file is.
std::vector<std::string> input_files(const Card& card);

}  // namespace overlay
