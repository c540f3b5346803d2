// What CORSIKA refuses in a card, as its own sources say it: keywords, primaries, zenith angles; and what
// nobody wants: nuclei that there are not, models without their parameters. Works on text.
#pragma once

#include <string>
#include <vector>

namespace overlay {

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
