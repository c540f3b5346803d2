// Fortran and rules in few words, and the program corsika-patch on a tree, without and with a stage: what the
// tests of patching share.
#pragma once

#include <algorithm>
#include <array>
#include <sstream>

#include "corsika-patches/patch.h"
#include "corsika-patches/rules.h"
#include "folder_test.hpp"
#include "sample_tree.h"
#include "support/error.hpp"
#include "support/process.hpp"

namespace sample {

using Swaps = std::vector<std::pair<std::string, std::string>>;
/// Changes of a file: its name, `from`, `to`, and what is said then.
using Changes = std::vector<std::array<std::string, 4>>;

inline std::string swapped(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("sample has no '" + from + "'");
  return text.replace(at, from.size(), to);
}
inline std::string all_swapped(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Lines with ; between them.
inline std::string lines(std::string text) {
  std::replace(text.begin(), text.end(), ';', '\n');
  return text;
}
/// A table of a rules file, as lines() takes it.
inline corsika_patches::Rule rule(const std::string& text) {
  const support::TemporaryFolder folder("corsika-patches-test");
  const auto file = folder.write("rule.toml", lines(text));
  return corsika_patches::Rule(std::make_shared<const support::Toml>(support::Toml::read(file)));
}
/// Fixed-form lines of statements with ; between them. A # begins a directive, digits are a label.
inline std::string fixed(const std::string& statements) {
  std::string out;
  std::istringstream in(statements);
  for (std::string statement; std::getline(in, statement, ';');) {
    statement.erase(0, statement.find_first_not_of(' '));
    const auto label = statement.substr(0, statement.find_first_not_of("0123456789"));
    const bool code = statement[0] != '#' && !statement.starts_with("C ");
    out += (code ? label + std::string(6 - label.size(), ' ') : "") + statement.substr(label.size()) + "\n";
  }
  return out;
}

/// The stand-in's routine whose head has a text.
inline std::string routine(const std::string& head) {
  const std::string text = standin(), end = "\n      END\n";
  const auto begin = text.rfind('\n', text.find(head)) + 1;
  return text.substr(begin, text.find(end, begin) + end.size() - begin);
}

/// What a command of a shell prints, and its exit status.
inline support::CommandResult run(const std::string& command) {
  return support::run({.argv = {"bash", "-c", command}});
}

class PatchTest : public FolderTest {
 protected:
  void SetUp() override {
    write_tree(tree_);
    options_.tree = tree_;
    options_.rules = {corsika_patches::default_rules()};
    arguments_ = " --tree " + tree_.string() + " --rules " + options_.rules[0].string();
  }
  /// The text of a file with the patch in it; the tree's where it is not patched.
  std::string patched(const std::string& name = "src/corsika.F") const {
    const auto texts = corsika_patches::plan_patch(options_).texts;
    return texts.contains(name) ? texts.at(name) : read_file(options_.tree / name);
  }
  /// What is said of the stage in the tree as it is.
  corsika_patches::Json judged(const std::vector<std::string>& build = {}) const {
    auto options = options_;
    options.build = build;
    return corsika_patches::plan_patch(options).manifest["stages"].at(0);
  }
  support::CommandResult program(const std::string& what, const std::string& more = "",
                                 const std::string& before = "") const {
    return sample::run(before + " " CORSIKA_PATCH_PROGRAM " " + what + arguments_ + " " + more);
  }
  /// apply --out, which is refused in one line that has `says`, and leaves nothing.
  void expect_refused(const std::string& says, const std::string& more = "",
                      const std::string& before = "") const {
    const auto stock = read_file(tree_ / "src/corsika.F");
    const auto run = program("apply", "--out " + out_.string() + " " + more, before);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.output.find("corsika-patch: error: "), 0U) << run.output;
    EXPECT_PRED2(::holds, run.output, says);
    EXPECT_EQ(run.output.find('\n'), run.output.size() - 1) << run.output;
    EXPECT_FALSE(fs::exists(out_));
    EXPECT_EQ(read_file(tree_ / "src/corsika.F"), stock);
    expect_nothing_left();
  }
  /// What `look` gives after one change of a file, which is undone again. `to` goes to the end where there is
  /// no `from`.
  template <typename Look>
  auto changed(const std::string& file, const std::string& from, const std::string& to, Look&& look) const {
    const auto path = tree_ / file;
    const bool there = fs::exists(path);
    const auto stock = there ? read_file(path) : "";
    write(path, from.empty() ? stock + to : swapped(stock, from, to));
    const auto seen = look();
    there ? write(path, stock) : static_cast<void>(fs::remove(path));
    return seen;
  }
  /// Why the tree is refused after such a change; empty where it is not.
  std::string refusal(const std::string& file, const std::string& from, const std::string& to) const {
    return changed(file, from, to, [&] { return error_of([&] { corsika_patches::plan_patch(options_); }); });
  }
  void expect_nothing_left() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      EXPECT_EQ(entry.path().filename().string().find("corsika-patch"), std::string::npos) << entry.path();
  }

  const fs::path tree_ = folder.path() / "tree", out_ = folder.path() / "out";
  corsika_patches::PatchOptions options_;
  std::string arguments_;
};

inline const std::string kLightFortran = fixed(
    "#if __LIGHT__ || __LAMP__; C  our own words; SUBROUTINE LIGHT( X,N,\n     *                  Y,ON );"
    "IMPLICIT NONE; #include \"light.h\"; DOUBLE PRECISION X,Y; INTEGER N; LOGICAL ON(3);"
    "WRITE(*,*) 'LIGHT: HERE'; #if __COLOUR__; X = 3.D0; #endif; CALL FILL; END; #endif; SUBROUTINE FILL;"
    "#if __FINE__; A = A + 1; #else; A = A + 2; #endif; END; DOUBLE PRECISION FUNCTION DEPTH( H );"
    "DEPTH = H; END");
inline const std::string kLightHeader = fixed(
    "#ifdef __LAMPINC__; COMMON /LAMP/ POWER,WIDTH(3); DOUBLE PRECISION POWER,WIDTH; #undef __LAMPINC__;"
    "#endif");
constexpr const char* kLightC =
    "#include <stdio.h>\n#define WIDE 1.\nstatic int counted;\nint hit_(double *x);\n"
    "int hit_(double *x)\n{\n  counted++;\n  return *x < WIDE;\n}\n";

/// Tests on that tree.
class StageTest : public PatchTest {
 protected:
  void SetUp() override {
    PatchTest::SetUp();
    write(tree_ / "light.F", kLightFortran);
    write(tree_ / "light.h", kLightHeader);
    write(tree_ / "light.c", kLightC);
    options_.rules.push_back(folder.path() / "stage.toml");
    write_rules();
  }
  /// Rules for a stage; `more` stands at their end.
  void write_rules(const std::string& more = "") const {
    write(folder.path() / "stage.toml",
          lines("name = 'stage'; flag = '__STAGE__'; options = ['__FINE__']; needed = ['__LIGHT__'];"
                "not_covered = ['__DARK__']; by_bunch = ['__COLOUR__'];"
                "[[wrap]]; file = 'light.F'; routine = 'LIGHT';"
                "stock = 'STKLG'; step = 'STGSTP'; end = 'STGEND'; not_covered_routine = 'STGNOT';"
                "covered_macro = 'STAGE_COVERED'; by_bunch_macro = 'STAGE_BUNCH'; options_routine = "
                "'STGOPT'; include = 'stage.inc';"
                "roles = ['X', 'Y']; [[wrap_file]]; file = 'light.c'; functions = ['hit_'];"
                "arguments = { hit_ = '1' }; names_include = 'stage_names.h'; include = 'stage.h';"
                "words = ['counted']; [header]; file = 'light.h'; names = ['POWER', 'WIDTH'];" +
                more));
  }
};

}  // namespace sample
