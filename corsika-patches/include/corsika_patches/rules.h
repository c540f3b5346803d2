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

/// One routine: how it is found, how recognised, and what stands for it.
struct RoutineRule {
  std::string rule;                ///< its name in the manifest
  std::vector<std::string> names;  ///< names that its head may have
  std::string language;            ///< "fortran"; "c" is reserved for rules on C functions
  std::string kind;  ///< function, vector, rmmard (shape); rmmaqd, g900gt, g900st (compared whole)
  std::vector<std::string> files;   ///< relative to the tree
  bool required = false;            ///< a tree without it is refused
  std::string include;              ///< what replaces it
  std::vector<std::string> shapes;  ///< digests of bodies that are compared whole
  // Traits that the replacement can take; empty: any.
  std::vector<std::string> results;
  std::vector<std::string> sequences;
};

/// Call sites that are inlined.
struct CallSiteRule {
  std::string routine;  ///< the routine called: (array, length, sequence)
  std::vector<std::string> files;
  std::string header;        ///< the include after which the declarations go
  int longest = 4;           ///< longest draw
  int highest_sequence = 8;  ///< highest sequence number that every configuration has
  std::string common_include;
  std::string draw_include;
};

/// The generator's state, and how code that reads it is found.
struct StateRule {
  std::string header;               ///< the file whose guarded blocks declare the state
  std::vector<std::string> guards;  ///< macros that ask for the state's block
  std::vector<std::string> commons;
  std::vector<std::string> left_alone;      ///< folders that CORSIKA does not link
  std::vector<std::string> build_products;  ///< ends of names of files that a build writes
  int most_sequences = 64;                  ///< highest KSEQ that the library holds
  std::string reserved;                     ///< names that begin so belong to the includes
};

/// A line of ours, `#include "include"`, in a Fortran routine or at the end of a C file.
struct InsertionRule {
  std::string rule;     ///< its name in the manifest
  std::string file;     ///< relative to the tree
  std::string routine;  ///< Fortran: where, "*" in any; empty: at the end of the file
  /// Fortran: the canonical statement before which the line goes. With "(" at its end it is only the
  /// statement's beginning. The line goes before the first such statement of the routine; where `routine` is
  /// "*", before every one of the file.
  std::string before;
  std::string include;
  std::vector<std::string> words;  ///< C: names that the include uses, which the file must have
};

/// A routine whose work the inserted lines take over or rely on. Under `options` its body must have one of
/// `shapes`.
struct KnownRoutine {
  std::string name;
  std::string file;
  std::vector<std::string> shapes;  ///< see active_digest
  std::set<std::string> options;    ///< as in the rules; empty: those of the rule set
  /// Shape -> a macro that is defined before the inserted lines where the routine has that shape.
  std::map<std::string, std::string> macros;
  /// Such a macro for all unknown shapes, which are then accepted. Empty: with an unknown shape nothing is
  /// inserted.
  std::string otherwise;
};

/// The rules of one file: what one stage replaces and inserts.
struct RuleSet {
  std::string name;
  std::string flag;  ///< preprocessor flag that turns the replacement on
  StateRule state;
  /// Options under which insertions work; insertions are made all or none.
  std::set<std::string> options;
  std::vector<InsertionRule> insertions;
  std::vector<KnownRoutine> known;
  std::vector<RoutineRule> routines;
  std::optional<CallSiteRule> call_sites;
};

/// Reads rules from a TOML file; throws Error with file and line.
RuleSet load_rules(const std::filesystem::path& path);

/// The rules that come with the project: the generator's, and those of stages that stand on it.
std::filesystem::path default_rules();
std::vector<std::filesystem::path> all_default_rules();

}  // namespace corsika_patches
