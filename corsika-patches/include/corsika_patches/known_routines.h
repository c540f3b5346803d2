// Whether the stage is known to do what the routines of a tree do. Works on texts alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/c_source.h"
#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/proofs.h"
#include "corsika_patches/rules.h"

namespace corsika_patches {

/// A file of the tree without our blocks.
struct StockFile {
  const TextFile* text = nullptr;
  const FixedFormSource* source = nullptr;          ///< of Fortran files
  const std::vector<ProgramUnit>* units = nullptr;  ///< of Fortran files
  const CSource* c = nullptr;                       ///< of C files
};

/// The routine of that name that the preprocessor leaves in if the macros `on` are 1 and no others are
/// defined; nullptr where there is none.
const ProgramUnit* active_unit(const StockFile& file, const std::string& name,
                               const std::set<std::string>& on);

/// One routine in one build of the tree.
struct SeenRoutine {
  std::string name, file;
  std::string digest;  ///< empty where the routine stands in another file
  int line = 0;        ///< counted from 1
  bool known = false;
};

/// The routines that the stage relies on, in one tree. A routine may be in none of the files that the rules
/// name: if those files use its name it counts as not known, and else it does not matter. All functions
/// throw Error where a routine, or a condition that it stands under, cannot be read.
class KnownRoutines {
 public:
  KnownRoutines(const StageRules& rules, const std::map<std::string, StockFile>& files);

  /// The routines that a build with these macros has.
  std::vector<SeenRoutine> seen(const std::set<std::string>& build) const;
  /// Macros that the rules attach to the digest of a routine found in this tree.
  const std::set<std::string>& macros() const { return macros_; }
  /// The proof that holds for a build: it names the same digest for each routine, and has the same setting of
  /// every option that these depend on. nullptr where there is none.
  const Proof* proof_for(const std::set<std::string>& build, const std::vector<Proof>& proofs) const;
  /// Preprocessor lines that define the macro StageRules::held_off in all builds but those whose routines are
  /// known or proven.
  std::vector<std::string> held_off_lines(const std::vector<Proof>& proofs) const;

 private:
  struct Routine {
    std::string name, file;
    std::vector<const KnownRoutine*> rules{};
    std::set<std::string>
        options{};  ///< that it or its rules depend on, among those that the stage allows both on and off
    bool there = false;      ///< in some build
    bool elsewhere = false;  ///< used here, and in no file that the rules name
    std::set<std::set<std::string>>
        known{};  ///< those of `options` that are on, for each build that is known
  };
  std::optional<SeenRoutine> look_at(const Routine& routine, const std::set<std::string>& build) const;
  void survey(Routine& routine);
  /// Adds the routines that use a variable of NotSetRule::names and are not in NotSetRule::routines. They
  /// count as not known.
  void add_users_of_unset_variables();
  void look_elsewhere(Routine& routine) const;
  bool is_known(const Routine& routine, const SeenRoutine& seen, const std::set<std::string>& build);
  bool holds_for(const Proof& proof) const;
  std::set<std::string> build_of(const Proof& proof) const;

  const StageRules& rules_;
  const std::map<std::string, StockFile>& files_;
  std::vector<Routine> routines_;
  std::set<std::string> options_;  ///< of all routines
  std::set<std::string> macros_;
};

}  // namespace corsika_patches
