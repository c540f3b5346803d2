#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <unordered_map>

#include "prove.hpp"
#include "ranmar/state.hpp"
#include "support/files.hpp"

namespace prove {
namespace {

using Seed = std::array<std::int32_t, 3>;

// The name of a Fortran routine in a compiled library.
std::string in_library(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name + "_";
}

// RMMAQD's option, in the order of PRVAQD in probe.F: ' ' default seed, 'S' seed, 'SV' read the whole state
// from unit 11, 'R' tell seed and counters, 'RV' write the whole state to unit 11, 'V' nothing.
enum Option { kDefault = 1, kSeed, kReadBack, kRead, kWriteOut, kVectorAlone };

// One side of the comparison: a loaded library of routines, stock or replaced, with its own COMMONs. Two
// sides live in one process without seeing each other's symbols.
class Side {
 public:
  Side(const std::filesystem::path& library, const Variant& variant)
      : handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)), second_names_(variant.many) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }

  // Calls a routine by its name in the library.
  template <class Result = void, class... Arguments>
  Result call(const std::string& name, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(symbol(name))(arguments...);
  }
  // A routine's name in the library: the second one of two under __QGSII__.
  [[nodiscard]] std::string name_of(const Routine& routine) const {
    const bool second = second_names_ && !routine.second_name.empty();
    return in_library(second ? routine.second_name : routine.name);
  }
  // KSEQ, how many sequences the tree keeps, and the sequence used last.
  [[nodiscard]] std::array<std::int32_t, 2> sequences() const {
    std::array<std::int32_t, 2> sequences{};
    call("prvget_", &sequences[0], &sequences[1]);
    return sequences;
  }
  // Result bits: a double's, or a float's in the low half.
  [[nodiscard]] std::uint64_t function(const Routine& routine) const {
    double dummy = 1.;  // whatever type the dummy argument has, it is not read
    const std::string name = name_of(routine);
    if (routine.real) return std::bit_cast<std::uint32_t>(call<float>(name, &dummy));
    return std::bit_cast<std::uint64_t>(call<double>(name, &dummy));
  }
  // The bytes of COMMON /CXRANSTO/ under CONEX, 100 reals and 3 counters; empty without.
  [[nodiscard]] std::string kept_state() const {
    const auto* common = static_cast<const char*>(symbol("cxransto_", false));
    return common == nullptr ? "" : std::string(common, 100 * sizeof(double) + 3 * sizeof(std::int32_t));
  }

 private:
  [[nodiscard]] void* symbol(const std::string& name, bool required = true) const {
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    void* address = dlsym(handle_, name.c_str());
    if (address == nullptr && required) throw std::runtime_error("the compiled routines hold no " + name);
    known_.emplace(name, address);
    return address;
  }

  void* handle_;
  bool second_names_;
  mutable std::unordered_map<std::string, void*> known_;
};

class DrawComparison {
 public:
  DrawComparison(const Variant& variant, Side stock, Side replaced, std::filesystem::path work)
      : variant_(variant), stock_(std::move(stock)), replaced_(std::move(replaced)), work_(std::move(work)) {}

  Tally run(std::uint64_t draws) {
    kseq_ = stock_.sequences()[0];
    check(replaced_.sequences()[0] == kseq_, "KSEQ", "differs");
    for (int s = 1; s <= kseq_; ++s) seed(s, {900 * s + 7, 100 * s, 0});
    for (draw_ = 0; draw_ < draws; ++draw_) {
      one_draw();
      if (draw_ % 4096 == 0) compare_counters();
      if (draw_ % 262144 == 1000) rare_events();
    }
    compare_counters();
    rare_events();
    return tally_;
  }

 private:
  void check(bool same, const std::string& routine, const std::string& what) const {
    if (!same)
      throw std::runtime_error(fmt::format("{}: {} differs from stock at draw {} of variant {}", routine,
                                           what, draw_, variant_.name));
  }

  void compare_last(const std::string& routine) const {
    check(stock_.sequences() == replaced_.sequences(), routine, "the sequence used last");
  }

  // Sets FINCNX (whether CONEX is active) and lseq (its sequence). Does nothing without __CONEX__.
  void conex(std::int32_t active, std::int32_t sequence) const {
    for (const Side* side : {&stock_, &replaced_}) side->call("prvset_", &active, &sequence);
  }

  std::int32_t below(std::int32_t limit) {
    return static_cast<std::int32_t>(random_() % static_cast<unsigned>(limit));
  }

  // By way of a file that both sides read.
  void restore(const std::string& text, std::int32_t sequence) const {
    for (const char* name : {"stock.dump", "replaced.dump"}) std::ofstream(work_ / name) << text;
    dump(stock_, "stock.dump", sequence, kReadBack);
    dump(replaced_, "replaced.dump", sequence, kReadBack);
  }

  // Whether both give back the same seed and sequence.
  bool same_rmmaqd(Seed seed, std::int32_t sequence, Option option) const {
    Seed other = seed;
    std::int32_t other_sequence = sequence;
    stock_.call("prvaqd_", seed.data(), &sequence, &option);
    replaced_.call("prvaqd_", other.data(), &other_sequence, &option);
    return seed == other && sequence == other_sequence;
  }

  void seed(std::int32_t sequence, const Seed& value) {
    same_rmmaqd(value, sequence, kSeed);
    ++tally_["RMMAQD 'S'"];
  }

  void compare_counters() {
    compare_last("RMMAQD");
    for (std::int32_t s = 0; s <= kseq_; ++s) {  // 0: the one used last
      check(same_rmmaqd({}, s, kRead), "RMMAQD 'R'", fmt::format("a counter of sequence {}", s));
      ++tally_["RMMAQD 'R'"];
    }
  }

  void compare_vector(const std::string& routine, std::int32_t n) {
    check(n <= 0 || std::memcmp(a_.data(), b_.data(), static_cast<std::size_t>(n) * sizeof(double)) == 0,
          routine, "a number");
    ++tally_[routine];
  }

  void compare_rmmard(std::int32_t n, std::int32_t sequence) {
    stock_.call("rmmard_", a_.data(), &n, &sequence);
    replaced_.call("rmmard_", b_.data(), &n, &sequence);
    compare_vector("RMMARD", n);
  }

  void compare_function(const Routine& routine, const std::string& what) const {
    check(stock_.function(routine) == replaced_.function(routine), routine.name, what);
  }

  // A DOUBLE PRECISION function that makes no numbers.
  template <class... Arguments>
  void compare_entry(const std::string& name, Arguments... arguments) {
    const std::string symbol = in_library(name);
    check(stock_.call<double>(symbol, arguments...) == replaced_.call<double>(symbol, arguments...), name,
          "the result");
    ++tally_[name];
  }

  void one_draw() {
    const Routine& routine = variant_.routines[random_() % variant_.routines.size()];
    if (variant_.conex && random_() % 64 == 0) {
      const bool active = random_() % 2 == 0;
      conex(active, below(kseq_) + 1);
    }
    if (routine.kind == "function") {
      compare_function(routine, "the result");
      ++tally_[routine.name];
    } else if (routine.kind == "vector") {
      const auto n = below(24) - 3;
      stock_.call(stock_.name_of(routine), a_.data(), &n);
      replaced_.call(replaced_.name_of(routine), b_.data(), &n);
      compare_vector(routine.name, n);
    } else if (routine.kind == "rmmaqd" && random_() % 512 == 0) {
      // With a negative count of billions stock skips nothing, so a count just below 10^9 costs no time
      // there.
      const std::int32_t billions = below(2) - 1;
      const auto ntot = billions < 0 && below(2) == 0 ? 999999990 + below(20) : below(3000) - 5;
      seed(below(kseq_ + 3) - 1, {below(900000001), ntot, billions});
    } else {
      const bool small = random_() % 4 != 0;
      const std::int32_t n = small ? below(4) + 1 : below(130) - 8;
      compare_rmmard(n, below(kseq_ + 4) - 1);
    }
    compare_last(routine.name);
  }

  std::string dump(const Side& side, const std::string& name, std::int32_t sequence, Option option) const {
    const std::string file = (work_ / name).string();
    if (option == kWriteOut) std::filesystem::remove(file);
    side.call("prvdmp_", file.c_str(), &sequence, &option, file.size());
    return support::read_file(file);
  }

  void compare_dumps(std::int32_t sequence) {
    check(dump(stock_, "stock.dump", sequence, kWriteOut) ==
              dump(replaced_, "replaced.dump", sequence, kWriteOut),
          "RMMAQD 'RV'", "the dump");
    ++tally_["RMMAQD 'RV'"];
  }

  // Gives a sequence the state `words` on both sides, by way of a dump.
  void install(std::int32_t sequence, const ranmar::State<ranmar::Form48>& state) {
    const ranmar::RmmaqdState classic = ranmar::to_rmmaqd(state, 97);
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    std::string words;
    for (std::size_t i = 0; i < 97; ++i)
      words += fmt::format("{:16X}{}", bits(classic.u[i]), i % 4 == 3 || i == 96 ? "\n" : "");
    std::string text = dump(stock_, "stock.dump", sequence, kWriteOut);
    const auto head = text.find('\n', text.find('\n') + 1);
    text.replace(head + 1 + words.size() * static_cast<std::size_t>(sequence - 1), words.size(), words);
    text.replace(0, head,
                 fmt::format("{:8X}{:8X}{:8X}\n{:8X}{:8X}{:16X}", 12345, 678, 0, classic.i97, classic.j97,
                             bits(classic.c)));
    restore(text, sequence);
    ++tally_["RMMAQD 'SV'"];
  }

  // Draws that come once in 10^14 numbers: an exact zero, and a number that rounds to 1 as REAL.
  void extreme_numbers() {
    for (const Routine& routine : variant_.routines) {
      if (routine.kind != "function") continue;
      int sequence = 5;
      const bool of_conex = routine.sequence == "lseq";
      conex(of_conex, of_conex ? sequence : 1);
      if (!of_conex) sequence = std::stoi(routine.sequence);
      for (const std::uint64_t wanted : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 48) - 1}) {
        auto words = ranmar::seeded_state<ranmar::Form48>(below(900000000));
        words.x[0] = words.x[64] + (static_cast<std::uint64_t>(ranmar::next_arithmetic(words.c)) << 40) +
                     (wanted << 16);
        install(sequence, words);
        for (int n = 0; n < 3; ++n)
          compare_function(routine, fmt::format("the result for the raw number {} * 2^-48", wanted));
        compare_last(routine.name);
      }
      ++tally_[routine.name + ", extreme numbers"];
    }
    compare_counters();
  }

  void rare_events() {
    const std::int32_t sequence = below(kseq_) + 1;
    compare_dumps(sequence);
    // Restore an old dump after more draws: U of all sequences comes back, the rest of one only.
    const std::string kept = dump(stock_, "stock.dump", sequence, kWriteOut);
    for (int n = 0; n < 200; ++n) one_draw();
    restore(kept, sequence);
    compare_dumps(0);
    for (const Option option : {kVectorAlone, kDefault}) {
      check(same_rmmaqd({1, 2, 3}, sequence, option), "RMMAQD", option == kDefault ? "' '" : "'V'");
      compare_last("RMMAQD");
    }
    for (const Routine& routine : variant_.routines) {
      for (const std::string& entry : routine.entries) compare_entry(entry);
    }
    state_functions();
    extreme_numbers();
    conex(false, 1);
  }

  void state_functions() {
    if (std::ranges::count_if(variant_.routines, [](const Routine& routine) {
          return routine.kind == "g900gt" || routine.kind == "g900st";
        }) < 2)
      return;
    compare_entry("G900GT");
    check(stock_.kept_state() == replaced_.kept_state(), "G900GT", "the state kept");
    compare_last("G900GT");
    for (int n = 0; n < 50; ++n) compare_rmmard(7, 0);
    double seed = 3.;
    compare_entry("G900ST", &seed);
    compare_last("G900ST");
    compare_counters();
    compare_dumps(0);
  }

  const Variant& variant_;
  Side stock_, replaced_;
  std::mt19937 random_{20111};
  std::filesystem::path work_;
  std::vector<double> a_ = std::vector<double>(256);
  std::vector<double> b_ = std::vector<double>(256);
  int kseq_ = 0;
  std::uint64_t draw_ = 0;
  Tally tally_;
};

}  // namespace

Tally compare_draws(const Variant& variant, const std::filesystem::path& stock,
                    const std::filesystem::path& replaced, std::uint64_t draws,
                    const std::filesystem::path& work) {
  return DrawComparison{variant, Side(stock, variant), Side(replaced, variant), work}.run(draws);
}

}  // namespace prove
