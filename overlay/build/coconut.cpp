// Drives coconut: reads its menus from its text, answers them by option name, and checks what was selected.
// Writes in the tree that it configures, and the log.
#include "overlay/build/coconut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

const std::string ask_marker = "\001overlay: waiting\n";
const std::string configure_marker = "\001overlay: configure ended with ";

/// Runs coconut as it is, with three things seen to: output is not held back, every wait for an answer is
/// marked, and of the commands that it starts `make` is left out and the end of configure is reported.
const char* const prelude = R"perl(
BEGIN {
  $| = 1;
  *CORE::GLOBAL::system = sub {
    my $command = join(' ', @_);
    return 0 if $command =~ /^\s*make\b/;
    my $status = CORE::system(@_);
    print "\001overlay: configure ended with $status\n" if $command =~ /^\s*\.\/configure\b/;
    return $status;
  };
  *CORE::GLOBAL::readline = sub (;*) {
    my $handle = shift;
    if (defined $handle && (ref($handle) eq '' ? $handle : *{$handle}{NAME}) =~ /^(\*?main::)?STDIN$/) {
      print "\001overlay: waiting\n";
      return CORE::readline(*STDIN);
    }
    return CORE::readline($handle);
  };
}
@ARGV = ('--no-cache');
my $done = do './coconut';
die $@ if $@;
die "cannot run coconut: $!" if !defined $done && $!{ENOENT};
)perl";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n*"), last = text.find_last_not_of(" \t\r\n*");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string line_with(const std::string& text, const std::string& what) {
  const auto at = text.find(what);
  if (at == std::string::npos) return "";
  const auto begin = text.rfind('\n', at), end = text.find('\n', at);
  return trimmed(text.substr(begin == std::string::npos ? 0 : begin + 1,
                             end - (begin == std::string::npos ? 0 : begin + 1)));
}

/// The text in quotes after `key =>`, between two positions.
std::string quoted(const std::string& text, const std::string& key, std::size_t from, std::size_t to) {
  for (auto at = text.find(key, from); at != std::string::npos && at < to; at = text.find(key, at + 1)) {
    auto p = text.find_first_not_of(" \t\n", at + key.size());
    if (p == std::string::npos || text.compare(p, 2, "=>") != 0) continue;
    p = text.find_first_not_of(" \t\n", p + 2);
    if (p == std::string::npos || text[p] != '"') continue;
    const auto end = text.find('"', p + 1);
    if (end == std::string::npos || end > to) return "";
    return text.substr(p + 1, end - p - 1);
  }
  return "";
}

std::vector<std::string> distinct_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  return words;
}

/// What a line "CONFLICT WITH: NAME NAME" means. It names what was selected before, once for each side that
/// says so, and not the option that was refused: that is found among those that were asked for.
std::string conflict_text(const std::string& line, const CoconutMenus& menus,
                          const std::vector<std::string>& asked) {
  const auto excludes = [&](const std::string& a, const std::string& b) {
    const auto* entry = menus.find(a);
    if (entry == nullptr) return false;
    const auto names = distinct_words(entry->conflicts);
    return std::find(names.begin(), names.end(), b) != names.end();
  };
  std::vector<std::string> pairs;
  const auto selected = distinct_words(line.substr(std::min(line.size(), line.find(':') + 1)));
  for (const auto& before : selected)
    for (const auto& name : asked)
      if (name != before && (excludes(name, before) || excludes(before, name)))
        pairs.push_back(fmt::format("{} and {} exclude each other", name, before));
  if (pairs.empty())
    return fmt::format("one of them and {} exclude each other", support::join(selected, ", "));
  return support::join(pairs, ", ");
}

class Dialogue {
 public:
  Dialogue(const CoconutMenus& menus, const std::vector<std::string>& wanted)
      : menus_(menus), names_(wanted) {
    for (const auto& name : wanted) {
      const auto* entry = menus.find(name);
      wanted_[entry->menu].push_back(entry);
    }
  }

  std::string answer(const std::string& text) {
    if (++questions_ > 100) throw support::Error("coconut asks without end; its log tells what");
    const auto conflict = line_with(text, "CONFLICT WITH");
    if (!conflict.empty())
      throw support::Error("coconut refuses the options of this profile: {}; leave one of them out",
                           conflict_text(conflict, menus_, names_));
    for (const char* refusal : {"cannot be selected", "ERROR: wrong choice", "invalid input"})
      if (const auto line = line_with(text, refusal); !line.empty())
        throw support::Error("coconut refuses an option of this profile: {}", line);
    if (text.find("full PATH") != std::string::npos)
      throw support::Error("coconut misses a package: {}; is the tree whole?", line_with(text, "full PATH"));
    const auto tail = text.size() > 200 ? text.substr(text.size() - 200) : text;
    if (tail.find("yes or no") != std::string::npos) return "yes\n";
    if (tail.find("press Enter") != std::string::npos ||
        tail.find("press 'Enter' to continue") != std::string::npos) {
      if (const auto line = line_with(text, "Error :"); !line.empty())
        throw support::Error("coconut: {}; is the tree whole?", line);
      return "\n";
    }
    std::size_t last = std::string::npos;
    for (const auto& [menu, question] : menus_.questions) {
      const auto at = text.rfind(question);
      if (at != std::string::npos && (last == std::string::npos || at > last)) {
        last = at;
        menu_ = menu;
      }
    }
    if (menu_.empty())
      throw support::Error("coconut asks something unknown: {}", trimmed(tail.substr(tail.rfind('\n') + 1)));
    const bool many = menu_ == "options";
    if (++asked_[menu_] > (many ? 3 : 2))
      throw support::Error("coconut asks again and again: {}", trimmed(menus_.questions.at(menu_)));
    if (many) {
      if (asked_[menu_] == 1 && !wanted_["options"].empty()) {
        std::vector<std::string> keys;
        for (const auto& entry : menus_.entries)
          if (std::find(wanted_["options"].begin(), wanted_["options"].end(), &entry) !=
              wanted_["options"].end())
            keys.push_back(entry.key);
        return support::join(keys) + "\n";
      }
      const auto* finish = menus_.find("FINISH");
      return (finish != nullptr ? finish->key : "z") + "\n";
    }
    if (menu_ == "finish") {
      const auto* compile = menus_.find("COMPILE");
      return (compile != nullptr ? compile->key : "f") + "\n";
    }
    const auto& entries = wanted_[menu_];
    if (entries.size() > 1)
      throw support::Error("the profile asks for both {} and {}, and coconut takes one; correct its options",
                           entries[0]->name, entries[1]->name);
    if (!entries.empty()) return entries[0]->key + "\n";
    // Some releases would build for 32 bits where nothing else is said.
    if (const auto* wide = menus_.find("NOM32"); menu_ == "bits" && wide != nullptr) return wide->key + "\n";
    if (menu_ == "hemodel" || menu_ == "lemodel")
      throw support::Error("the profile names no {} energy interaction model; add one to its options",
                           menu_ == "hemodel" ? "high" : "low");
    return "\n";
  }

 private:
  const CoconutMenus& menus_;
  const std::vector<std::string> names_;
  std::map<std::string, std::vector<const MenuEntry*>> wanted_;
  std::map<std::string, int> asked_;
  std::string menu_;
  int questions_ = 0;
};

/// Throws Error where config.h does not show what was asked for.
void check_selected(const Configuration& c, const CoconutMenus& menus,
                    const std::vector<std::string>& selected, const std::string& log) {
  const auto header = support::read_file(c.tree / "include" / "config.h");
  const std::set<std::string> have(selected.begin(), selected.end());
  std::vector<std::string> missing;
  for (const auto& name : c.options)
    if (!have.contains(name) && header.find("__CACHE_" + name + "__") != std::string::npos)
      missing.push_back(name);
  if (!missing.empty())
    throw support::Error(
        fmt::format("coconut did not select {}, which the profile asks for", support::join(missing, ", ")) +
        log);
  for (const auto& name : selected) {
    const auto* entry = menus.find(name);
    if (entry == nullptr) continue;
    // One choice of a menu was asked for: no other may be there.
    for (const auto& wish : c.options) {
      const auto* wanted = menus.find(wish);
      if (wanted->menu == entry->menu && entry->menu != "options" && wanted->name != name &&
          have.contains(name) && header.find("__CACHE_" + wish + "__") != std::string::npos &&
          !have.contains(wish))
        throw support::Error(fmt::format("coconut selected {} where the profile asks for {}", name, wish) +
                             log);
    }
  }
}

}  // namespace

const MenuEntry* CoconutMenus::find(const std::string& name) const {
  const auto it =
      std::find_if(entries.begin(), entries.end(), [&](const MenuEntry& e) { return e.name == name; });
  if (it != entries.end()) return &*it;
  // Releases differ in the underscores of a name (QGSJETIII, QGSJET_III).
  const auto letters = [](std::string text) {
    std::erase(text, '_');
    return text;
  };
  const auto like = [&](const MenuEntry& e) { return letters(e.name) == letters(name); };
  const auto only = std::find_if(entries.begin(), entries.end(), like);
  const bool found = only != entries.end() && std::count_if(entries.begin(), entries.end(), like) == 1;
  return found ? &*only : nullptr;
}

CoconutMenus read_menus(const fs::path& tree) {
  std::string text;
  std::string raw = support::read_file(tree / "coconut");
  for (std::size_t at = 0; at < raw.size();) {
    const auto end = std::min(raw.find('\n', at), raw.size());
    const auto first = raw.find_first_not_of(" \t", at);
    if (first == std::string::npos || first >= end || raw[first] != '#')
      text += raw.substr(at, end - at) + "\n";
    at = end + 1;
  }
  auto word_at = [&](std::size_t at, const std::string& word) {  // `word` then blanks then =>
    const auto p = text.find_first_not_of(" \t\n", at + word.size());
    return p != std::string::npos && text.compare(p, 2, "=>") == 0;
  };
  CoconutMenus menus;
  std::vector<std::size_t> starts;
  for (auto at = text.find("{name"); at != std::string::npos; at = text.find("{name", at + 1))
    if (word_at(at + 1, "name")) starts.push_back(at);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto to = i + 1 < starts.size() ? starts[i + 1] : std::min(text.size(), starts[i] + 4000);
    MenuEntry entry{quoted(text, "name", starts[i], to), quoted(text, "menu", starts[i], to),
                    quoted(text, "entry", starts[i], to), quoted(text, "conflict", starts[i], to)};
    if (!entry.name.empty() && !entry.menu.empty()) menus.entries.push_back(entry);
  }
  for (auto at = text.find("question"); at != std::string::npos; at = text.find("question", at + 1)) {
    if (!word_at(at, "question")) continue;
    const auto brace = text.rfind('{', at);
    if (brace == std::string::npos) continue;
    auto end = text.rfind("=>", brace);
    if (end == std::string::npos) continue;
    end = text.find_last_not_of(" \t\n", end - 1);
    const auto begin = text.find_last_of(" \t\n(,", end);
    const std::string menu = text.substr(begin + 1, end - begin);
    const auto to = std::min(text.size(), at + 400);
    const auto question = quoted(text, "question", at, to);
    if (question.empty()) continue;
    menus.questions[menu] = question;
    menus.defaults[menu] = quoted(text, "default_option", at, to);
  }
  if (menus.entries.size() < 10 || !menus.questions.contains("options"))
    throw support::Error("cannot read the menus of {}: its coconut is not in a form that is known",
                         (tree / "coconut").string());
  return menus;
}

std::vector<std::string> selected_options(const fs::path& tree) {
  const auto text = support::read_file(tree / "include" / "config.h");
  std::vector<std::string> selected;
  const std::string key = "#define __CACHE_";
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const auto begin = at + key.size();
    const auto end = text.find("__", begin);
    const bool in_one_line = end < text.find('\n', begin);
    if ((at == 0 || text[at - 1] == '\n') && in_one_line && end > begin)
      selected.push_back(text.substr(begin, end - begin));
  }
  return selected;
}

std::vector<std::string> configure_with_coconut(const Configuration& c) {
  const auto menus = read_menus(c.tree);
  for (const auto& name : c.options)
    if (menus.find(name) == nullptr)
      throw support::Error("this release's coconut has no option {}; take another profile or release", name);
  support::delete_file(c.tree / "include" / "config.h");
  support::delete_file(c.log);

  Dialogue dialogue(menus, c.options);
  support::Command command{{"perl", "-e", prelude}};
  command.cwd = c.tree;
  command.environment = c.environment;
  command.environment["PERL_UNICODE"] = "";
  command.timeout = std::chrono::seconds(c.timeout_s);
  std::string said;
  support::CommandResult result;
  try {
    result = support::converse(command, ask_marker, [&](const std::string& text) {
      said += text;
      auto reply = dialogue.answer(text);
      said += "[answer] " + reply;
      return reply;
    });
  } catch (const support::Error& problem) {
    support::write_file(c.log, said);
    throw support::Error("{} (log: {})", problem.what(), c.log.string());
  }
  support::write_file(c.log, result.output);
  const std::string log = fmt::format(" (log: {})", c.log.string());
  if (result.timed_out)
    throw support::Error(fmt::format("coconut did not end within {} s", c.timeout_s) + log);
  const auto at = result.output.rfind(configure_marker);
  if (at == std::string::npos) throw support::Error("coconut ended without configuring" + log);
  if (result.output.substr(at + configure_marker.size(), 2) != "0\n") {
    auto reason = line_with(result.output, "Missing required packages");
    if (reason.empty()) reason = line_with(result.output, "configure: error");
    throw support::Error(
        fmt::format("CORSIKA's configure failed: {}", reason.empty() ? "see its last lines" : reason) + log);
  }

  auto selected = selected_options(c.tree);
  check_selected(c, menus, selected, log);
  return selected;
}

}  // namespace overlay
