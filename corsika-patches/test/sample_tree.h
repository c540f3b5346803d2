#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// Small source trees for the tests, in words of our own: the generator's routines under CORSIKA's names.
namespace sample {

using Swaps = std::vector<std::pair<std::string, std::string>>;

/// What a FUNCTION of the RANMAR shape is made of.
struct FunctionParts {
  std::string head = "      DOUBLE PRECISION FUNCTION RANF(IDUM)\n";
  std::string declarations = "      INTEGER IDUM\n";
  std::string name = "RANF";
  std::string subscript = "JSEQ";
  std::string choose = "      JSEQ = 1\n";
  std::string before = "";  // a label, say
  bool zero = true;
  std::string result = "";  // default: name = UNI
  std::string after = "";   // rejection
  std::string tail = "";    // entries
};

std::string function(const FunctionParts& parts = {});
std::string vector_routine(const std::string& head = "GRNDM( RVEC,LENV )",
                           const std::string& choose = "      JSEQ = 1\n");
std::string rmmard();
std::string rmmaqd();
std::string header();
/// RMMARD, RMMAQD, a vector, some functions, a head cut by conditionals, and a routine with call sites.
std::string main_source();

/// A whole tree with src/corsika.F, src/corsika.h, a rules file that knows its RMMAQD, and some bystanders.
void write_tree(const std::filesystem::path& tree);
/// Rules for trees that write_tree makes.
std::filesystem::path rules(const std::filesystem::path& folder);

std::string swapped(std::string text, const std::string& from, const std::string& to);
std::string read(const std::filesystem::path& path);
void write(const std::filesystem::path& path, const std::string& text);

/// A patched text without our blocks, found by their marks (text.h): the stock text.
std::string without_blocks(const std::string& patched);

/// Exit status, standard output and standard error of a command.
struct Run {
  int status;
  std::string out, err;
};
Run run(const std::string& command);

}  // namespace sample
