// random-cards, which validation/acceptance/random-cards starts: reads the command line, builds each option
// set once, and runs its cards.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "card_runs.hpp"
#include "overlay/build/build.hpp"
#include "overlay/build/profile.hpp"
#include "overlay/prove/prove.hpp"
#include "random_card.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/folder_lock.hpp"
#include "support/process.hpp"

namespace {
namespace fs = std::filesystem;
using random_cards::Verdict;

constexpr const char* kUsage =
    "usage: validation/acceptance/random-cards --corsika TREE [OPTIONS]\n"
    "Makes random cards, runs stock and patched CORSIKA with each, and compares all that they wrote.\n"
    "If it was stopped, the same command goes on.\n"
    "  --corsika TREE       an archive, an unpacked tree, or standin\n"
    "  --seed N             of the cards (default 1)\n"
    "  --cards N            of each option set (default 60)\n"
    "  --sets A,B           of production, no-slant, curved, ceffic, cerwlen, ceffic-cerwlen, noclong "
    "(default: "
    "all)\n"
    "  --options \"A B\"      instead: one set, of these options by coconut's names\n"
    "  --only N             card N alone, even if it was run before\n"
    "  --print N            prints card N of each set, and runs nothing\n"
    "  --atmosphere-dir DIR folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)\n"
    "  --gpu WHEN           auto, on, off: whether patched programs can use CUDA (default: auto)\n"
    "  --jobs N             cards that run at a time (default 1)\n"
    "  --limit SECONDS      of a run of stock (default 120)\n"
    "  --out DIR            (default: build/overlay/random-cards)\n"
    "A difference leaves its card, settings and both run folders in OUT/SET/differences/SEED-NUMBER.\n"
    "Exit status: 0, the same bytes wherever stock ran, and it ran 85% of the cards; 3, other bytes; 1, "
    "else.\n";

const std::string kProduction = "QGSJET01 URQMD VOLUMEDET SLANT CERENKOV IACT ATMEXT";
const std::vector<std::pair<std::string, std::string>> kSets{
    {"production", kProduction},           {"no-slant", "QGSJET01 URQMD VOLUMEDET CERENKOV IACT ATMEXT"},
    {"curved", kProduction + " CURVED"},   {"ceffic", kProduction + " CEFFIC"},
    {"cerwlen", kProduction + " CERWLEN"}, {"ceffic-cerwlen", kProduction + " CEFFIC CERWLEN"},
    {"noclong", kProduction + " NOCLONG"},
};

struct Options {
  overlay::BuildRequest build;
  std::vector<std::pair<std::string, std::string>> sets = kSets;  ///< name, options
  std::uint64_t seed = 1;
  long cards = 60, only = -1, print = -1;
  int jobs = 1;
  double limit_s = 120;
};

long number_of(const std::string& option, const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw support::Error(fmt::format("{} cannot be {}; give a whole number", option, text));
  return value;
}

std::vector<std::pair<std::string, std::string>> sets_named(std::string names) {
  std::replace(names.begin(), names.end(), ',', ' ');
  std::vector<std::pair<std::string, std::string>> result;
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    const auto found =
        std::find_if(kSets.begin(), kSets.end(), [&](const auto& set) { return set.first == word; });
    if (found == kSets.end()) throw support::Error("there is no option set " + word + "; see --help");
    result.push_back(*found);
  }
  return result;
}

/// Puts one option in. Returns false where there is no such option.
bool take(Options& options, const std::string& name, const std::string& value) {
  if (name == "--corsika")
    options.build.corsika = fs::exists(value) ? fs::absolute(value).lexically_normal().string() : value;
  else if (name == "--seed")
    options.seed = static_cast<std::uint64_t>(number_of(name, value));
  else if (name == "--cards")
    options.cards = number_of(name, value);
  else if (name == "--sets")
    options.sets = sets_named(value);
  else if (name == "--options")
    options.sets = {{"given-" + support::sha256_of_text(value).substr(0, 6), value}};
  else if (name == "--only")
    options.only = number_of(name, value);
  else if (name == "--print")
    options.print = number_of(name, value);
  else if (name == "--atmosphere-dir")
    options.build.atmosphere_dir = fs::absolute(value);
  else if (name == "--gpu")
    options.build.gpu = value;
  else if (name == "--jobs")
    options.jobs = std::max(1, static_cast<int>(number_of(name, value)));
  else if (name == "--limit")
    options.limit_s = static_cast<double>(number_of(name, value));
  else if (name == "--out")
    options.build.out = fs::absolute(value).lexically_normal();
  else
    return false;
  return true;
}

Options read_options(const std::vector<std::string>& words) {
  Options options;
  options.build.out = fs::absolute("build/overlay/random-cards");
  if (const char* folder = std::getenv("CORSIKA_ATMOSPHERES")) options.build.atmosphere_dir = folder;
  for (std::size_t i = 0; i < words.size(); i += 2)
    if (i + 1 == words.size() || !take(options, words[i], words[i + 1]))
      throw support::Error(words[i] + " is not known or needs a value; see --help");
  if (options.build.corsika.empty()) throw support::Error("give a tree with --corsika TREE; see --help");
  // The stand-in has options of its own: the profile's.
  if (options.build.corsika == "standin") options.sets = {{"standin", ""}};
  return options;
}

/// The production profile with these options, beside copies of its cards. Returns the file.
fs::path profile_with(const std::string& name, const std::string& options, const fs::path& folder) {
  const auto original = overlay::load_profile("veritas-gamma");
  fs::create_directories(folder / "cards");
  for (const auto& card : fs::directory_iterator(original.file.parent_path() / "cards"))
    support::write_file(folder / "cards" / card.path().filename(), support::read_file(card.path()));
  std::string text = support::read_file(original.file);
  if (!options.empty()) {
    std::string list;
    std::istringstream words(options);
    for (std::string word; words >> word;) list += (list.empty() ? "\"" : ", \"") + word + "\"";
    const auto at = text.find("options = [");
    text.replace(at, text.find('\n', at) - at, "options = [" + list + "]");
  }
  const fs::path file = folder / (name + ".toml");
  support::write_file(file, text);
  return file;
}

random_cards::Target target_of(const overlay::BuildSet& set) {
  random_cards::Target target{set.profile.options, set.standin, {}};
  if (set.standin) target.atmospheres = {0, 1};
  for (const auto& [name, path] : set.data_files) {
    int number = 0;
    if (std::sscanf(name.c_str(), "atmprof%d.dat", &number) == 1 && !set.standin)
      target.atmospheres.push_back(number);
  }
  return target;
}

/// What came of the cards of one set: a file with a line for each, and counts.
class Records {
 public:
  /// Takes what the file holds where it was made with the same programs.
  Records(fs::path file, const std::string& key) : file_(std::move(file)), head_("# programs " + key) {
    std::ifstream in(file_);
    std::string line;
    if (!std::getline(in, line) || line != head_) {
      in.close();
      support::write_file(file_, head_ + "\n");
      return;
    }
    while (std::getline(in, line)) take(line);
  }
  bool has(std::uint64_t seed, long number) const {
    return lines_.contains(fmt::format("{}-{}", seed, number));
  }
  void add(std::uint64_t seed, long number, const std::string& text) {
    const std::string line = fmt::format("{}-{}\t{}", seed, number, text);
    std::ofstream out(file_, std::ios::app);
    if (!(out << line << '\n' << std::flush)) throw support::Error("cannot write " + file_.string());
    take(line);
  }
  /// Cards of this seed with that verdict.
  long count(std::uint64_t seed, Verdict verdict) const {
    return std::count_if(lines_.begin(), lines_.end(), [&](const auto& line) {
      return line.first.starts_with(fmt::format("{}-", seed)) &&
             line.second.starts_with(random_cards::verdict_name(verdict));
    });
  }

 private:
  void take(const std::string& line) {
    const auto tab = line.find('\t');
    if (tab != std::string::npos) lines_[line.substr(0, tab)] = line.substr(tab + 1);
  }
  fs::path file_;
  std::string head_;
  std::map<std::string, std::string> lines_;
};

/// Runs the cards of one set that were not run yet.
void run_cards(const Options& options, const std::string& name, const overlay::BuildSet& set,
               Records& records) {
  const fs::path folder = options.build.out / name;
  const auto target = target_of(set);
  std::mutex guard;
  std::exception_ptr failure;
  long next = options.only < 0 ? 0 : options.only;
  const long end = options.only < 0 ? options.cards : options.only + 1;
  const auto poll = [&] {
    support::check_interrupt();
    const std::lock_guard lock(guard);
    if (failure) throw support::Error("stopped");
  };
  const auto work = [&] {
    try {
      for (;;) {
        long number = 0;
        {
          const std::lock_guard lock(guard);
          while (next < end && options.only < 0 && records.has(options.seed, next)) ++next;
          if (next >= end || failure) return;
          number = next++;
        }
        const auto card = random_cards::random_card(target, options.seed, number);
        const auto kept = folder / "differences" / fmt::format("{}-{}", options.seed, number);
        const auto result = random_cards::run_card(set, card, folder, kept, options.limit_s, poll);
        const auto said =
            fmt::format("{}\t{:.2f} s, {:.2f} s\t{}{}{}", verdict_name(result.verdict), result.stock_s,
                        result.patched_s, card.name, result.reason.empty() ? "" : ": ", result.reason);
        const std::lock_guard lock(guard);
        records.add(options.seed, number, said);
        fmt::print("{} {}-{}: {}\n", name, options.seed, number, said);
        std::fflush(stdout);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < options.jobs; ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

/// Goes through the sets. Returns the exit status.
int run_sets(const Options& options) {
  fs::create_directories(options.build.out);
  const support::FolderLock lock(options.build.out, [&](const std::string& who) {
    fmt::print(stderr, "random-cards: waiting for {}, which works in {}\n", who, options.build.out.string());
  });
  constexpr std::array kVerdicts{Verdict::same, Verdict::other, Verdict::refused, Verdict::too_long,
                                 Verdict::unclear};
  std::string table =
      "| option set | same bytes | other bytes | stock refuses | too long | not comparable |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  std::map<Verdict, long> all;
  for (const auto& [name, words] : options.sets) {
    auto request = options.build;
    request.profile = profile_with(name, words, options.build.out / "profiles").string();
    const auto set = overlay::build_proven(request, {"stock", "patched"});
    if (options.print >= 0) {
      const auto card = random_cards::random_card(target_of(set), options.seed, options.print);
      for (const auto& [variable, value] : card.environment) fmt::print("* {}={}\n", variable, value);
      fmt::print("{}", card.card);
      continue;
    }
    fmt::print(stderr, "random-cards: {}: {}\n", name, set.cherenkov_stage.text());
    fs::create_directories(options.build.out / name);
    std::string key;
    for (const auto& [build, program] : set.programs) key += support::sha256_of_file(program.executable);
    Records records(options.build.out / name / "verdicts.tsv", support::sha256_of_text(key));
    run_cards(options, name, set, records);
    table += "| " + name;
    for (const Verdict verdict : kVerdicts) {
      const long count = records.count(options.seed, verdict);
      all[verdict] += count;
      table += fmt::format(" | {}", count);
    }
    table += " |\n";
  }
  if (options.print >= 0) return 0;
  support::write_file(options.build.out / "table.md", table);
  fmt::print("{}", table);
  if (all[Verdict::other] > 0) return 3;
  const long ran = all[Verdict::same];
  const long others = all[Verdict::refused] + all[Verdict::too_long] + all[Verdict::unclear];
  if (all[Verdict::unclear] == 0 && ran > 0 && 85 * (ran + others) <= 100 * ran) return 0;
  fmt::print(stderr, "random-cards: error: only {} of {} cards were compared\n", ran, ran + others);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    support::open_standard_descriptors();
    support::install_interrupt_handlers();
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (const auto& word : words)
      if (word == "--help" || word == "-h") {
        fmt::print("{}", kUsage);
        return 0;
      }
    return run_sets(read_options(words));
  } catch (const support::Interrupted& stopped) {
    fmt::print(stderr, "random-cards: error: {}\n", stopped.what());
    return 130;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "random-cards: error: {}\n", problem.what());
    return 1;
  }
}
