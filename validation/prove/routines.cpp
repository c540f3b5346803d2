#include "routines.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace prove {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The words of "# define NAME VALUE" or "# include FILE" behind the keyword; empty for any other line.
std::pair<std::string, std::string> directive(const std::string& line, const std::string& keyword) {
  const char* blanks = " \t\r";
  auto at = line.find_first_not_of(blanks);
  if (at == std::string::npos || line[at] != '#') return {};
  at = line.find_first_not_of(blanks, at + 1);
  if (at == std::string::npos || line.compare(at, keyword.size(), keyword) != 0) return {};
  at = line.find_first_not_of(blanks, at + keyword.size());
  if (at == std::string::npos) return {};
  const auto end = line.find_first_of(blanks, at);
  const auto value = line.find_first_not_of(blanks, end);
  std::string rest =
      value == std::string::npos ? "" : line.substr(value, line.find_last_not_of(blanks) + 1 - value);
  return {line.substr(at, end - at), rest};
}

// Reads name and parameters off our own defines.
void read_parameters(Routine& routine, const std::vector<std::string>& ours) {
  const std::string include_begin = "\"ranmar_", include_end = ".inc\"", define_begin = "RNM_";
  for (const std::string& line : ours) {
    const auto file = directive(line, "include").first;
    if (file.starts_with(include_begin) && file.ends_with(include_end))
      routine.kind =
          file.substr(include_begin.size(), file.size() - include_begin.size() - include_end.size());
    const auto [name, value] = directive(line, "define");
    if (!name.starts_with(define_begin)) continue;
    const std::string key = name.substr(define_begin.size());
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
  if (routine.name.empty()) {
    routine.name = routine.kind;
    std::transform(routine.name.begin(), routine.name.end(), routine.name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
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
