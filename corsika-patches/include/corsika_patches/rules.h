// What is replaced and inserted, and how it is recognised, as data.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/ranmar_shape.h"

namespace corsika_patches {

/// One routine: how it is found, how recognised, and what stands for it. A routine is recognised by its
/// statements (RANMAR routines: the shape, ranmar_shape.h) or by a digest of its body (RMMAQD, G900GT,
/// G900ST: body_digest.h).
struct RoutineRule {
  std::string rule;                ///< its name in the manifest
  std::vector<std::string> names;  ///< names that its head may have
  std::string kind;                ///< by shape: function, vector, rmmard; by digest: rmmaqd, g900gt, g900st
  std::vector<std::string> files;  ///< relative to the tree
  bool required = false;           ///< a tree without it is refused
  std::string include;             ///< what replaces it
  std::vector<std::string> digests;  ///< of the body; `shapes` in the file
  // Traits that the replacement can take; empty: any.
  std::vector<std::string> results;
  std::vector<std::string> sequences;
};

/// Call sites that are inlined.
struct CallSiteRule {
  std::string routine;  ///< the routine called: (array, length, sequence)
  std::vector<std::string> files;
  std::string header;          ///< the include after which the declarations go
  int longest = 4;             ///< longest draw
  int highest_sequence = 8;    ///< highest sequence number that every configuration has
  std::string common_include;  ///< declarations for the draws of a unit
  std::string draw_include;    ///< stands in the place of a call
  /// The sequence that makes light, and the routines that may draw from it in place. Draws elsewhere stay
  /// calls, before which the library lets recorded steps be done.
  int light_sequence = 0;
  std::vector<std::string> light_routines;
};

/// The generator's state, and how code that reads it is found.
struct StateRule {
  std::string header;                       ///< the file whose guarded blocks declare the state
  std::vector<std::string> guards;          ///< macros that ask for the state's block
  std::vector<std::string> commons;         ///< COMMON blocks of the state
  std::vector<std::string> left_alone;      ///< folders that CORSIKA does not link
  std::vector<std::string> build_products;  ///< file name suffixes of what a build writes
  int most_sequences = 64;                  ///< highest KSEQ that the library holds
  std::string reserved;                     ///< prefix of names reserved for the include files
};

/// A Fortran subroutine of CORSIKA that one of ours takes the place of. CORSIKA's gets another name. Ours
/// calls `step`, which sets `done`. Above 0: the step is done. 0: CORSIKA's routine does it. Below 0:
/// CORSIKA's does it, then `end` is called.
struct WrapRule {
  std::string file;                ///< relative to the tree
  std::string routine;             ///< its name, which ours takes
  std::string stock;               ///< the name that CORSIKA's gets, with as many characters as `routine`
  std::string step;                ///< the subroutine that ours calls first: (done, roles...), see above
  std::string end;                 ///< called after CORSIKA's where `done` is below 0
  std::string not_covered_call;    ///< called in place of `step` where `covered` is not defined, before
                                   ///< CORSIKA's; `not_covered` in the file
  std::string options_include;     ///< defines `covered` in builds that the stage covers
  std::string covered;             ///< macro: the stage covers this build
  std::string include;             ///< stands behind ours
  std::vector<std::string> roles;  ///< names of CORSIKA's arguments that `step` gets, all DOUBLE PRECISION
  /// Where CORSIKA's has these arguments, in this order and all DOUBLE PRECISION, this file stands in place
  /// of a generated subroutine; empty: never.
  std::string standard_include;
  std::vector<std::string> standard_arguments;
};

/// A Fortran subroutine of CORSIKA without arguments, before which another one is to be called. One that a
/// tree does not have, or that has arguments, is left as it is.
struct CallBeforeRule {
  std::string file;
  std::string routine, stock;  ///< as in WrapRule
  std::string call;            ///< the subroutine to call
  std::string macro;           ///< defined before the inserted lines of [[wrap]] where it is called
};

/// A Fortran function or subroutine of CORSIKA that a library's takes the place of, where its body has one of
/// `digests` (`shapes` in the file); else it is left as it is.
struct ReplaceRule {
  std::string file;
  std::string routine, stock;            ///< as in WrapRule
  std::string head;                      ///< "SUBROUTINE", or type and "FUNCTION", as canonical text
  int arguments = 0;                     ///< how many it must have
  std::string include;                   ///< stands behind it; may be empty
  std::vector<std::string> names;        ///< that `include` needs from StageRules::header
  std::vector<std::string> beside;       ///< other routines that the file must have
  std::vector<std::string> called_by;    ///< the routines that may name it or those; empty: any
  std::vector<std::string> not_covered;  ///< macros of builds in which it is left as it is
};

/// A macro for the inserted lines, in builds with `option`, by what a routine has.
struct MacroRule {
  std::string name, file, routine, option;
  std::string has;    ///< a statement must have this canonical text; empty: any
  std::string lacks;  ///< no statement may have this one; empty: any
};

/// An IF block of a Fortran routine that is replaced by other lines, where it has one of `digests` (`shapes`
/// in the file), in builds with the same options.
struct IfBlockRule {
  std::string file, routine;
  std::string statement;  ///< the first one that begins so stands in the block; canonical (statement_text.h)
  std::string macro;      ///< is then defined before the inserted lines of [[wrap]]
  std::vector<std::string> lines;
  std::vector<std::string> locals;   ///< variables that the routine must share with no other
  std::vector<std::string> digests;  ///< see block_digest
};

/// A C file of CORSIKA, some of whose functions get other names, so that ours can take their place.
struct WrapFileRule {
  std::string file;
  std::vector<std::string> functions;            ///< each must be defined in the file
  std::map<std::string, std::string> arguments;  ///< by function, how many it must have
  std::string names_include;                     ///< stands before the first line that has one of them
  std::string include;                           ///< stands at the end of the file
  std::vector<std::string> words;                ///< names that `include` uses, which the file must have
};

/// An option that the stage covers in some builds only.
struct LimitedOption {
  std::string option;                 ///< macro
  std::set<std::string> needed;       ///< it is covered together with all of these
  std::set<std::string> not_covered;  ///< and with none of these
};

/// What the Cherenkov stage replaces in CORSIKA, and where it may be used.
struct StageRules {
  std::set<std::string> always;       ///< macros of every build that are no options
  std::set<std::string> options;      ///< assumed where the caller names no options
  std::set<std::string> needed;       ///< without one of them the stage is not in the program
  std::set<std::string> not_covered;  ///< with one of them the stage is left out
  std::vector<LimitedOption> limited;
  std::set<std::string> by_bunch;  ///< with one of them it looks at bunches, and CORSIKA's loop stays
  /// Option of `by_bunch` -> the macro of a MacroRule with which it does all of the loop instead.
  std::map<std::string, std::string> whole_with;
  std::string header;  ///< file whose declarations hold `header_names`
  std::vector<std::string> header_names;
  std::vector<WrapRule> wraps;
  std::vector<CallBeforeRule> calls_before;
  std::vector<ReplaceRule> replaced;
  std::vector<IfBlockRule> if_blocks;
  std::vector<WrapFileRule> files;
  std::vector<MacroRule> macros;
};

/// The rules of one file: what is replaced and inserted, by the generator or by the Cherenkov stage.
struct RuleSet {
  std::string name;
  std::string macro;  ///< preprocessor macro that turns the replacement on; `flag` in the file
  StateRule state;
  std::optional<StageRules> stage;
  std::vector<RoutineRule> routines;
  std::optional<CallSiteRule> call_sites;
};

/// Reads rules from a TOML file; throws Error with file and line.
RuleSet load_rules(const std::filesystem::path& path);

/// The generator's rule file, which comes with the project.
std::filesystem::path default_rules();
/// That one, and the Cherenkov stage's, which needs it.
std::vector<std::filesystem::path> all_default_rules();

}  // namespace corsika_patches
