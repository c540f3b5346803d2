// Runs nm, addr2line and objdump, and reads what they print; reads line markers that were turned
// into comments.
#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "overlay/attribution/attribution.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// The address of a direct jump: the last operand, `418 <name+0x18>`; 0 where it is none.
std::uint64_t direct_target(std::string operands) {
  operands.resize(std::min(operands.find('<'), operands.size()));
  operands.erase(0, operands.rfind(',') + 1);
  char* end = nullptr;
  const std::uint64_t target = std::strtoull(operands.c_str(), &end, 16);
  return *(end + std::strspn(end, " ")) == '\0' ? target : 0;
}

/// A function that a stub calls, by the stub's name in the listing: `log@plt`, or `*ABS*+0x31c20@plt` for one
/// of the object itself that the processor chooses (GNU indirect functions, such as libm's sin), with the
/// address of what chooses.
Predecessor behind_stub(const std::string& name) {
  Predecessor callee;
  if (std::sscanf(name.c_str(), "*ABS*+0x%" SCNx64, &callee.address) != 1)
    callee.library = name.substr(0, name.find('@'));
  return callee;
}

}  // namespace

ProgramFile::ProgramFile(const std::filesystem::path& file, std::string what)
    : path(file), kind(std::move(what)) {
  std::string line;
  for (const char* table : {"--defined-only", "-D"}) {
    const auto said = support::run_tool({"nm", "-S", table, path.string()});
    if (said.status != 0)
      throw support::Error("nm finds no program in {} (is binutils installed?)", path.string());
    std::istringstream symbols(said.output);
    while (std::getline(symbols, line)) {
      std::uint64_t begin = 0, size = 0;
      char kind = 0;
      int name = 0;
      if (std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64 " %c %n", &begin, &size, &kind, &name) == 3 &&
          name > 0 && std::strchr("tTwWi", kind) != nullptr)
        functions.emplace(begin, std::pair{begin + size, line.substr(name, line.find('@', name) - name)});
    }
  }
}

std::string ProgramFile::function_at(std::uint64_t address) const {
  auto after = functions.upper_bound(address);
  // Aliases share an address, so look back over a few.
  for (int back = 0; back < 8 && after != functions.begin(); ++back)
    if (address < (--after)->second.first) return after->second.second;
  return {};
}

std::optional<std::uint64_t> ProgramFile::address_of(const std::string& name) const {
  const auto found =
      std::ranges::find_if(functions, [&](const auto& each) { return each.second.second == name; });
  return found == functions.end() ? std::nullopt : std::optional(found->first);
}

void ProgramFile::read_lines(const std::vector<std::uint64_t>& addresses) {
  support::Command command{{"addr2line", "-e", path.string(), "-a", "-f", "-i"}};
  for (const std::uint64_t address : addresses) command.input += fmt::format("0x{:x}\n", address);
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  lines = result.status == 0 ? parse_addr2line(result.output) : SourceLines();
}

Place ProgramFile::at(std::uint64_t address) const {
  const auto found = lines.find(address);
  return {path.filename().string(), kind, function_at(address),
          found == lines.end() ? std::vector<Frame>() : found->second};
}

SourceLines parse_addr2line(const std::string& text) {
  SourceLines result;
  std::istringstream in(text);
  std::string line, place;
  std::uint64_t address = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("0x")) {
      address = std::strtoull(line.c_str(), nullptr, 16);
    } else if (std::getline(in, place) && !place.starts_with('?')) {
      if (const std::size_t colon = place.rfind(':'); colon != std::string::npos)
        result[address].push_back({line, place.substr(0, colon), std::atoi(place.c_str() + colon + 1)});
    }
  }
  return result;
}

std::optional<std::map<int, std::string>> line_markers(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::map<int, std::string> markers;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    int name = 0;
    if (std::sscanf(line.c_str(), "* %*[0-9] \"%n", &name);
        name > 0 && line.find('"', name) != std::string::npos)
      markers[number + 1] = line.substr(name, line.find('"', name) - name);
  }
  return markers;
}

Instructions::Instruction Instructions::named(const std::string& name, bool aarch64) {
  // ud2, hlt and the like do not go on either; they jump nowhere.
  static const std::vector<std::tuple<Instruction, std::regex, std::regex>> kinds{
      // x86-64, aarch64
      {{.calls = true}, std::regex("callq?"), std::regex("bl|blr.*")},
      {{.leaves = true},
       std::regex("l?jmp.*|l?ret.*|ud.*|hlt|int3|iretq|\\(bad\\)"),
       std::regex("b|br|bra[ab]|e?ret.*|brk|udf|hlt|\\..*")},
      {{.branches = true}, std::regex("j.*|loop.*"), std::regex("bc?\\..*|cbn?z|tbn?z")},
      {{.padding = true}, std::regex("nop.*"), std::regex("nop")}};
  for (const auto& [kind, x86, arm] : kinds)
    if (std::regex_match(name, aarch64 ? arm : x86)) return kind;
  return {};
}

Instructions::Instructions(const std::string& listing) {
  static const std::regex prefix("bnd|notrack|rep(n?z)?|lock|data16|addr32|[cdefgs]s|rex.*");
  std::unordered_map<std::string, std::pair<Instruction, bool>> names;  // the bool: it is a prefix
  bool known = false, aarch64 = false, first = true;
  std::istringstream in(listing);
  for (std::string line; std::getline(in, line);) {
    std::uint64_t address = 0;
    int at = 0;
    if (std::sscanf(line.c_str(), " %" SCNx64 ":\t%n", &address, &at); at == 0) {
      // A function's or stub's head "0000000000004030 <name>:", a run of zeros "...", other text.
      first = first || line.find_first_not_of(" \t") != std::string::npos;
      if (const auto format = line.find("file format "); format != std::string::npos) {
        aarch64 = line.ends_with("aarch64");
        known = aarch64 || line.ends_with("x86-64");
      }
      const auto open = line.find(" <");
      if (open != std::string::npos && line.ends_with("@plt>:"))
        stubs_[std::strtoull(line.c_str(), nullptr, 16)] = behind_stub(line.substr(open + 2));
      continue;
    }
    if (!known) continue;
    Instruction made;
    std::string name;
    std::istringstream words(line.substr(at));
    while (words >> name) {
      name = name.substr(0, name.find(','));  // branch hints
      const auto [entry, fresh] = names.try_emplace(name);
      if (fresh) entry->second = {named(name, aarch64), !aarch64 && std::regex_match(name, prefix)};
      made = entry->second.first;
      if (!entry->second.second) break;
    }
    if (made.calls || made.leaves || made.branches || name == "xchg") {
      std::string operands;
      std::getline(words >> std::ws, operands);
      if (name != "xchg") made.target = direct_target(operands);
      if (operands == "%ax,%ax") made.padding = true;
    }
    made.address = address;
    made.first = std::exchange(first, false);
    if (made.target != 0) jumps_.emplace_back(made.target, made.address);
    instructions_.push_back(made);
  }
  std::ranges::stable_sort(instructions_, {}, &Instruction::address);
  std::ranges::sort(jumps_);
}

/// Whether control goes from the instruction to the one after it. Padding behind a jump is never run.
bool Instructions::reaches_next(std::size_t at) const {
  for (;; --at) {
    const Instruction& it = instructions_[at];
    if (!it.padding) return !it.leaves;
    const auto jump = std::ranges::lower_bound(jumps_, std::pair{it.address, std::uint64_t{0}});
    if (it.first || at == 0 || (jump != jumps_.end() && jump->first == it.address)) return true;
  }
}

std::vector<Predecessor> Instructions::before(std::uint64_t address) const {
  std::vector<Predecessor> found;
  const auto at = std::ranges::lower_bound(instructions_, address, {}, &Instruction::address);
  if (at == instructions_.end() || at->address != address) return found;
  if (!at->first && at != instructions_.begin()) {
    const Instruction& previous = *(at - 1);
    const auto stub = stubs_.find(previous.target);
    if (previous.calls && previous.target != 0)
      found.push_back(stub != stubs_.end() ? stub->second : Predecessor{previous.target});
    else if (!previous.calls && reaches_next(static_cast<std::size_t>(at - instructions_.begin()) - 1))
      found.push_back({previous.address});
  }
  for (auto jump = std::ranges::lower_bound(jumps_, std::pair{address, std::uint64_t{0}});
       jump != jumps_.end() && jump->first == address; ++jump)
    if (found.empty() || found.front().address != jump->second) found.push_back({jump->second, {}, false});
  return found;
}

Instructions disassemble(const std::filesystem::path& object) {
  const auto output = support::run_tool({"objdump", "-d", "--no-show-raw-insn", object.string()});
  return Instructions(output.status == 0 ? output.output : "");
}

}  // namespace overlay
