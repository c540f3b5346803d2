#include "routines.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace prove {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Reads name and parameters off our own defines.
void read_parameters(Routine& routine, const std::vector<std::string>& ours) {
  static const std::regex define(R"(\s*#\s*define\s+RNM_(\w+)\s+(.*?)\s*)");
  static const std::regex include(R"(\s*#\s*include\s+\"ranmar_(\w+)\.inc\".*)");
  std::smatch match;
  for (const std::string& line : ours) {
    if (std::regex_match(line, match, include)) {
      routine.kind = match[1];
    } else if (std::regex_match(line, match, define)) {
      const std::string key = match[1];
      const std::string value = match[2];
      if (key == "NAME") {
        // Two names: the first stands under __QGSII__, the second under its #else.
        if (!routine.name.empty()) routine.second_name = routine.name;
        routine.name = value;
      } else if (key == "TYPE") {
        routine.real = value == "REAL";
      } else if (key == "SEQUENCE") {
        routine.sequence = value;
        routine.needs_conex = value == "lseq";
      } else if (key == "ENTRY1" || key == "ENTRY2") {
        routine.entries.push_back(value);
      }
    }
  }
  if (routine.name.empty()) {
    routine.name = routine.kind;
    std::transform(routine.name.begin(), routine.name.end(), routine.name.begin(), ::toupper);
  }
}

}  // namespace

std::vector<Routine> routines_of(const std::filesystem::path& patched_source) {
  std::ifstream file(patched_source, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + patched_source.string());
  std::vector<Routine> routines;
  Routine current;
  std::vector<std::string> ours;
  bool inside = false;
  bool in_ours = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (contains(line, "ranmar-overlay begin")) {
      current = Routine{};
      current.line = number;
      ours.clear();
      inside = in_ours = true;
    }
    if (!inside) continue;
    current.text += line + "\n";
    if (contains(line, "ranmar-overlay else")) in_ours = false;
    if (in_ours) ours.push_back(line);
    if (contains(line, "ranmar-overlay end")) {
      inside = false;
      read_parameters(current, ours);
      const bool routine = current.kind != "draw" && current.kind != "common";
      if (routine) routines.push_back(current);
    }
  }
  if (routines.empty()) throw std::runtime_error(patched_source.string() + " holds no replaced routine");
  return routines;
}

}  // namespace prove
