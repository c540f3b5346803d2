// Reads a disassembly: instructions, jumps, calls, and the ways between them.
#include "overlay/attribution/instructions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "support/process.hpp"

namespace overlay {
namespace {

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Takes the first word off.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_prefix(std::string_view word) {
  static constexpr std::array<std::string_view, 14> kPrefixes{"bnd",  "notrack", "rep", "repz",  "repnz",
                                                              "lock", "data16",  "cs",  "ds",    "es",
                                                              "fs",   "gs",      "ss",  "addr32"};
  return is_one_of(word, kPrefixes) || word.starts_with("rex");
}

/// The address of a direct jump: the last operand, `418 <name+0x18>`.
std::optional<std::uint64_t> direct_target(std::string_view operands) {
  operands = operands.substr(0, operands.find('<'));
  const std::size_t comma = operands.rfind(',');
  if (comma != std::string_view::npos) operands.remove_prefix(comma + 1);
  return hexadecimal(trimmed(operands));
}

constexpr std::string_view kStub = "@plt";
constexpr std::string_view kChosen = "*ABS*+0x";  // before the address of what chooses the function

}  // namespace

Instructions::Instruction Instructions::read(std::uint64_t address, std::string_view text,
                                             bool aarch64) const {
  std::string_view name = take_word(text);
  bool jump = false, call = false, conditional = false, away = false, padding = false;
  if (aarch64) {
    static constexpr std::array<std::string_view, 4> kTests{"cbz", "cbnz", "tbz", "tbnz"};
    static constexpr std::array<std::string_view, 5> kEnds{"ret", "eret", "brk", "udf", "hlt"};
    call = name == "bl" || name.starts_with("blr");
    conditional = name.starts_with("b.") || name.starts_with("bc.") || is_one_of(name, kTests);
    jump = conditional || name == "b";
    away = name == "b" || name == "br" || name == "braa" || name == "brab" || is_one_of(name, kEnds) ||
           name.starts_with("reta") || name.starts_with(".");
    padding = name == "nop";
  } else {
    while (is_prefix(name) && !trimmed(text).empty()) name = take_word(text);
    name = name.substr(0, name.find(','));  // branch hints
    static constexpr std::array<std::string_view, 8> kEnds{"ret", "retq", "lret",  "ud2",
                                                           "hlt", "int3", "iretq", "(bad)"};
    call = name == "call" || name == "callq";
    away = name.starts_with("jmp") || name.starts_with("ljmp") || is_one_of(name, kEnds) ||
           name.starts_with("ud");
    conditional = (name.starts_with("j") && !away) || name.starts_with("loop");
    jump = conditional || name.starts_with("jmp");
    padding = name.starts_with("nop") || (name == "xchg" && trimmed(text) == "%ax,%ax");
  }
  Instruction made;
  made.address = address;
  if (call || jump) made.target = direct_target(text).value_or(0);
  made.flow = call          ? (made.target != 0 ? Flow::call : Flow::indirect_call)
              : away        ? Flow::away
              : conditional ? Flow::branch
              : padding     ? Flow::padding
                            : Flow::next;
  return made;
}

Instructions::Instructions(std::string_view listing) {
  bool known = false, aarch64 = false, first = true;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\n'), listing.size());
    const std::string_view line = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      if (trimmed(line) == "...") first = true;  // a run of zeros
      continue;
    }
    if (colon + 1 >= line.size() || line[colon + 1] != '\t') {  // "0000000000004030 <name>:" and text
      first = true;
      const std::size_t format = line.find("file format ");
      if (format != std::string_view::npos) {
        aarch64 = line.ends_with("aarch64");
        known = aarch64 || line.ends_with("x86-64");
      }
      const std::size_t open = line.find(" <");
      if (open == std::string_view::npos || !line.ends_with(">:")) continue;
      const std::string_view name = line.substr(open + 2, line.size() - open - 4);
      const auto address = hexadecimal(line.substr(0, open));
      if (!address || !name.ends_with(kStub)) continue;
      const std::string_view called = name.substr(0, name.find('@'));
      if (!called.starts_with(kChosen))
        stubs_.emplace(*address, called);
      else if (const auto chooser = hexadecimal(called.substr(kChosen.size())))
        own_stubs_.emplace(*address, *chooser);
      continue;
    }
    const auto address = hexadecimal(trimmed(line.substr(0, colon)));
    if (!known || !address) continue;
    Instruction made = read(*address, line.substr(colon + 1), aarch64);
    made.first = first;
    first = false;
    if (made.target != 0) edges_.push_back({made.target, made.address});
    instructions_.push_back(made);
  }
  std::stable_sort(instructions_.begin(), instructions_.end(),
                   [](const Instruction& a, const Instruction& b) { return a.address < b.address; });
  std::sort(edges_.begin(), edges_.end(),
            [](const Edge& a, const Edge& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
}

bool Instructions::is_target(std::uint64_t address) const {
  const auto found = std::lower_bound(edges_.begin(), edges_.end(), address,
                                      [](const Edge& edge, std::uint64_t to) { return edge.to < to; });
  return found != edges_.end() && found->to == address;
}

/// Whether the instruction ends at the one after it. Padding behind a jump is never run.
bool Instructions::reaches_next(std::size_t at) const {
  for (;; --at) {
    const Instruction& instruction = instructions_[at];
    if (instruction.flow != Flow::padding) return instruction.flow != Flow::away;
    if (instruction.first || at == 0 || is_target(instruction.address)) return true;
  }
}

std::vector<Predecessor> Instructions::before(std::uint64_t address) const {
  std::vector<Predecessor> found;
  const auto at = std::lower_bound(instructions_.begin(), instructions_.end(), address,
                                   [](const Instruction& i, std::uint64_t a) { return i.address < a; });
  if (at == instructions_.end() || at->address != address) return found;
  if (!at->first && at != instructions_.begin()) {
    const Instruction& previous = *(at - 1);
    if (previous.flow == Flow::call) {
      const auto stub = stubs_.find(previous.target);
      const auto own_stub = own_stubs_.find(previous.target);
      if (stub != stubs_.end())
        found.push_back({Predecessor::Kind::library, 0, stub->second, true});
      else if (own_stub != own_stubs_.end())
        found.push_back({Predecessor::Kind::function, own_stub->second, {}, true});
      else
        found.push_back({Predecessor::Kind::function, previous.target, {}, true});
    } else if (previous.flow != Flow::indirect_call &&
               reaches_next(static_cast<std::size_t>(at - instructions_.begin()) - 1)) {
      found.push_back({Predecessor::Kind::instruction, previous.address, {}, true});
    }
  }
  for (auto edge = std::lower_bound(edges_.begin(), edges_.end(), address,
                                    [](const Edge&e, std::uint64_t to) { return e.to < to; });
       edge != edges_.end() && edge->to == address; ++edge)
    if (found.empty() || found.front().kind != Predecessor::Kind::instruction ||
        found.front().address != edge->from)
      found.push_back({Predecessor::Kind::instruction, edge->from, {}, false});
  return found;
}

Instructions disassemble(const std::filesystem::path& object) {
  const auto output = support::run_tool({"objdump", "-d", "--no-show-raw-insn", object.string()});
  return Instructions(output.status == 0 ? std::string_view(output.output) : std::string_view());
}

}  // namespace overlay
