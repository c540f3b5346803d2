#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "corsika-patches/rules.h"
#include "support/files.hpp"

/// Small source trees for the tests, in words of our own: the generator's routines under CORSIKA's names.
namespace sample {

using Swaps = std::vector<std::pair<std::string, std::string>>;

/// Lines with ; between them.
std::string lines(std::string text);
/// A table of a rules file, as lines() takes it.
corsika_patches::Rule rule(const std::string& text);
/// Fixed-form lines of statements with ; between them. A # begins a directive, digits are a label.
std::string fixed(const std::string& statements);

/// What a FUNCTION of the RANMAR shape is made of, as fixed() takes it.
struct FunctionParts {
  std::string head = "DOUBLE PRECISION FUNCTION RANF(IDUM)";
  std::string declarations = "INTEGER IDUM;";
  std::string name = "RANF";
  std::string subscript = "JSEQ";
  std::string choose = "JSEQ = 1;";
  std::string result = "";  // default: name = UNI
  std::string tail = "";    // entries
};

std::string function(const FunctionParts& parts = {});
std::string vector_routine(const std::string& head = "GRNDM( RVEC,LENV )",
                           const std::string& choose = "JSEQ = 1;");
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
std::string all_swapped(std::string text, const std::string& from, const std::string& to);
using support::read_file;
void write(const std::filesystem::path& path, const std::string& text);

/// A patched text without our blocks, found by their marks (text.h): the stock text.
std::string without_blocks(const std::string& patched);

}  // namespace sample
