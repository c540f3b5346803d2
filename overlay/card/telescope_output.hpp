// Where a card sends the IACT package's telescope data: into a file or into a command. Works on text
// and on the environment, and touches no file.
#pragma once

#include <optional>
#include <string>

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

}  // namespace overlay
