// The generator: RMMAQD and its neighbours as a patched program calls them, and states through libranmar's C
// interface.
#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "end_run.hpp"
#include "fuzz.hpp"
#include "ranmar/ranmar.h"

// rmmaqd: RMMAQD, RMMARD and their neighbours
// counters, numbers, and which calls end the run. The input is a list of calls. 'RV' and 'SV' are left out:
// they read and write Fortran's unit 11, and the Fortran library ends the program at the unit's end.
#include <cxxabi.h>
extern "C" {
void rnmaqd_(std::int32_t* iseed, std::int32_t* iseq, const char* chopt, const std::int32_t* kseq,
             std::size_t length);
void rmmard_(double* rvec, const std::int32_t* lenv, const std::int32_t* iseq);
void rnmvec_(double* rvec, const std::int32_t* lenv, const std::int32_t* iseq);
void rnmskp_(const std::int32_t* lenv, const std::int32_t* iseq);
void rnmget_(const std::int32_t* iseq, std::int32_t* iseed);
}

namespace {
std::jmp_buf run_ended;
}

/// In place of the library's: the run that ends is this input's. The exception that brought us here is let
/// go.
void fortran_bindings::end_run(const char* /*part*/, const char* why) noexcept {
  fuzz::require(std::strchr(why, '\n') == nullptr && *why != '\0', "an error is one line", why);
  abi::__cxa_end_catch();
  std::longjmp(run_ended, 1);
}

namespace fuzz::rmmaqd {
namespace {

constexpr std::int32_t kSequences = 9;
constexpr std::int64_t kBillion = 1000000000;

/// What stock CORSIKA's counters do, and the numbers of the reference backend.
class Model {
 public:
  Model() {
    require(ranmar_create(&numbers_, RANMAR_48_BIT, kSequences, "reference") == RANMAR_OK,
            "a generator is made");
  }
  ~Model() { ranmar_destroy(numbers_); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  static bool known(std::int32_t sequence) { return sequence >= 1 && sequence <= kSequences; }

  void seed(std::int32_t sequence, const std::array<std::int32_t, 3>& start) {
    auto& own = sequences_[static_cast<std::size_t>(sequence)];
    own = {start[0], start[1], start[2]};
    const std::int64_t skip = start[2] < 0 ? 0 : start[2] * kBillion + std::max<std::int64_t>(start[1], 0);
    require(ranmar_seed(numbers_, sequence, start[0], static_cast<std::uint64_t>(skip)) == RANMAR_OK,
            "any seed is taken", ranmar_message());
  }
  std::vector<double> draw(std::int32_t sequence, std::int32_t count) {
    std::vector<double> out(static_cast<std::size_t>(std::max(count, 0)));
    require(ranmar_fill(numbers_, sequence, out.data(), out.size()) == RANMAR_OK,
            "a seeded sequence is drawn from");
    auto& own = sequences_[static_cast<std::size_t>(sequence)];
    own.calls += count;
    if (own.calls >= kBillion) {
      own.calls -= kBillion;
      ++own.billions;
    }
    return out;
  }
  std::array<std::int32_t, 3> counters(std::int32_t sequence) const {
    const auto& own = sequences_[static_cast<std::size_t>(sequence)];
    return {own.seed, static_cast<std::int32_t>(own.calls), static_cast<std::int32_t>(own.billions)};
  }

  std::int32_t last = 1;

 private:
  struct Sequence {
    std::int32_t seed = 0;
    std::int64_t calls = 0, billions = 0;
  };
  ranmar_generator* numbers_ = nullptr;
  std::array<Sequence, kSequences + 1> sequences_{};
};

/// True where the call ended the run. No object with a destructor may be made in `call`.
template <class Call>
bool ends_run(const Call& call) {
  if (setjmp(run_ended) != 0) return true;
  call();
  return false;
}

struct Arguments {
  std::array<std::int32_t, 3> iseed{};
  std::int32_t iseq = 0;
  std::string option;
};

/// RMMAQD in both. False where the run has ended.
bool call_rmmaqd(Model& model, Arguments arguments) {
  static const std::int32_t kseq = kSequences;
  auto given = arguments;
  const std::string option = arguments.option.substr(0, 12);
  const bool blank = option.find_first_not_of(' ') == std::string::npos;
  const bool start = blank || option.find('S') != std::string::npos;
  const bool read = !start && option.find('R') != std::string::npos;
  if (blank) {
    arguments.iseed = {54217137, 0, 0};
    model.last = 1;
  }
  if (start && Model::known(arguments.iseq)) model.last = arguments.iseq;
  if (read && arguments.iseq > 0) model.last = arguments.iseq;
  if (read && arguments.iseq <= 0) arguments.iseq = model.last;
  const bool ends = (start || read) && !Model::known(model.last);
  require(ends_run([&] {
            rnmaqd_(given.iseed.data(), &given.iseq, given.option.data(), &kseq, given.option.size());
          }) == ends,
          "RMMAQD ends the run for a sequence that is not there, and for nothing else", option);
  if (ends) return false;
  if (start) model.seed(model.last, arguments.iseed);
  if (read) arguments.iseed = model.counters(model.last);
  require(given.iseed == arguments.iseed && given.iseq == arguments.iseq,
          "RMMAQD's arguments are those of the model behind the call", option);
  return true;
}

/// RMMARD, or RNMVEC, which leaves the sequence used last.
bool call_draw(Model& model, std::int32_t sequence, std::int32_t count, bool vector) {
  static std::array<double, 4096> out;
  count = std::min(count, static_cast<std::int32_t>(out.size()));
  std::int32_t used = sequence;
  if (!vector) used = Model::known(sequence) ? (model.last = sequence) : model.last;
  const bool ends = !Model::known(used);
  require(ends_run([&] {
            vector ? rnmvec_(out.data(), &count, &sequence) : rmmard_(out.data(), &count, &sequence);
          }) == ends,
          "a draw ends the run for a sequence that is not there, and for nothing else");
  if (ends) return false;
  const auto expected = model.draw(used, count);
  require(std::equal(expected.begin(), expected.end(), out.begin()), "a draw gives the reference numbers");
  return true;
}

bool call_skip(Model& model, std::int32_t sequence, std::int32_t count) {
  count = std::min(count, 4096);
  const std::int32_t used = Model::known(sequence) ? (model.last = sequence) : model.last;
  const bool ends = !Model::known(used);
  require(ends_run([&] { rnmskp_(&count, &sequence); }) == ends, "a skip ends the run as a draw does");
  if (!ends) model.draw(used, count);
  return !ends;
}

std::string option_of(Input& input) {
  const auto choice = input.byte() % 6;
  if (choice == 0) return " ";
  if (choice == 1) return "S";
  if (choice == 2) return "R";
  if (choice == 3) return "V";
  std::string option = input.take(1 + input.byte() % 15);
  if (option.empty()) option = " ";
  std::replace(option.begin(), option.end(), 'V', 'X');
  return option;
}

std::int32_t sequence_of(Input& input) {
  const auto choice = input.byte();
  return choice < 200 ? choice % kSequences + 1
                      : (choice < 240 ? static_cast<std::int8_t>(input.byte()) : input.whole());
}

bool call(Model& model, Input& input) {
  const int what = input.byte() % 4;
  const auto sequence = sequence_of(input);
  const auto count = static_cast<std::int32_t>(static_cast<std::int16_t>(input.number(2))) % 4097;
  switch (what) {
    case 0: {
      Arguments arguments{{input.whole(), input.whole(), input.whole()}, sequence, option_of(input)};
      return call_rmmaqd(model, std::move(arguments));
    }
    case 1:
      return call_draw(model, sequence, count, false);
    case 2:
      return call_draw(model, sequence, count, true);
    default:
      return call_skip(model, sequence, count);
  }
}

}  // namespace

FUZZ_TARGET(rmmaqd) {
  Model model;
  for (std::int32_t sequence = kSequences; sequence >= 1; --sequence)
    call_rmmaqd(model, {{sequence, 0, 0}, sequence, "S"});
  for (int i = 0; i < 40 && !input.empty(); ++i)
    if (!call(model, input)) return;
  for (std::int32_t sequence = 1; sequence <= kSequences; ++sequence) {
    std::array<std::int32_t, 3> counters{};
    rnmget_(&sequence, counters.data());
    require(counters == model.counters(sequence), "the counters are those of the model");
  }
}

}  // namespace fuzz::rmmaqd

// ranmar_state: states through the C interface
// does. The input makes states of seeds and changes, and says what is done with them.
namespace fuzz::ranmar_state {
namespace {

/// The published loop, in doubles, on a state of RMMAQD.
double plain_draw(ranmar_rmmaqd_state& state) {
  constexpr double kStep = 7654321. / 16777216., kModulus = 16777213. / 16777216.;
  double& oldest = state.u[state.i97 - 1];
  double number = oldest - state.u[state.j97 - 1];
  if (number < 0.) number += 1.;
  oldest = number;
  if (--state.i97 == 0) state.i97 = 97;
  if (--state.j97 == 0) state.j97 = 97;
  state.c -= kStep;
  if (state.c < 0.) state.c += kModulus;
  number -= state.c;
  if (number < 0.) number += 1.;
  return number == 0. ? 0x1p-48 : number;
}

double strange_double(Input& input) {
  switch (input.byte() % 4) {
    case 0:
      return std::bit_cast<double>(input.number(8));
    case 1:
      return static_cast<double>(input.number(6)) * 0x1p-48;
    case 2:
      return static_cast<double>(input.number(3)) * 0x1p-24;
    default:
      return static_cast<double>(static_cast<std::int8_t>(input.byte()));
  }
}

void change(ranmar_rmmaqd_state& state, Input& input) {
  switch (input.byte() % 6) {
    case 0:
      state.u[input.byte() % 97] = strange_double(input);
      break;
    case 1:
      state.c = strange_double(input);
      break;
    case 2:
      state.i97 = static_cast<std::int8_t>(input.byte());
      break;
    case 3:
      state.j97 = static_cast<std::int8_t>(input.byte());
      break;
    case 4:
      state.ntot = input.whole();
      break;
    default:
      state.ntot2 = input.whole();
  }
}

struct Destroy {
  void operator()(ranmar_generator* generator) const { ranmar_destroy(generator); }
};
using Generator = std::unique_ptr<ranmar_generator, Destroy>;

Generator generator_of(const char* backend) {
  ranmar_generator* made = nullptr;
  require(ranmar_create(&made, RANMAR_48_BIT, 2, backend) == RANMAR_OK, "a generator is made",
          ranmar_message());
  return Generator(made);
}

bool same_words(const ranmar_rmmaqd_state& a, const ranmar_rmmaqd_state& b) {
  return std::memcmp(a.u, b.u, sizeof a.u) == 0 && a.c == b.c && a.i97 == b.i97 && a.j97 == b.j97;
}

std::uint64_t drawn(const ranmar_rmmaqd_state& state) {
  return static_cast<std::uint64_t>(state.ntot) + 1000000000ULL * static_cast<std::uint64_t>(state.ntot2);
}

/// Goes on from an accepted state in both ways.
void go_on(ranmar_generator* generator, ranmar_rmmaqd_state plain, std::size_t numbers) {
  const auto before = drawn(plain);
  std::vector<double> made(numbers);
  require(ranmar_fill(generator, 1, made.data(), numbers) == RANMAR_OK, "an imported state is drawn from",
          ranmar_message());
  for (std::size_t i = 0; i < numbers; ++i)
    require(made[i] == plain_draw(plain), "an imported state gives the numbers of the plain loop",
            std::to_string(i));
  ranmar_rmmaqd_state now{};
  const auto status = ranmar_export(generator, 1, 0, &now);
  if (status != RANMAR_OK) return;  // more billions than the counter holds
  require(same_words(now, plain), "the exported state is that of the plain loop");
  require(drawn(now) == before + numbers && now.ntot >= 0 && now.ntot < 1000000000,
          "the exported state has counted the numbers", std::to_string(drawn(now)));
}

}  // namespace

FUZZ_TARGET(ranmar_state) {
  const bool simd = input.byte() % 2 != 0;
  const auto generator = generator_of(simd ? "simd" : "reference");
  const auto seed = input.whole();
  const auto skip = input.number(1 + input.byte() % 7);
  const std::size_t numbers = input.number(2) % 1200;
  ranmar_rmmaqd_state state{};
  require(ranmar_export(generator.get(), 1, 0, &state) == RANMAR_NOT_SEEDED, "a state needs a seed");
  require(ranmar_seed(generator.get(), 1, seed, skip) == RANMAR_OK, "any seed is taken", ranmar_message());
  if (ranmar_export(generator.get(), 1, 0, &state) != RANMAR_OK) return;
  require(state.ijkl == seed && drawn(state) == skip, "a state has its seed and position");
  for (int i = 0; i < 6 && !input.empty(); ++i) change(state, input);

  std::array<double, 5> expected{};
  const auto other = generator_of("reference");
  require(ranmar_seed(other.get(), 1, seed, skip) == RANMAR_OK, "any seed is taken", ranmar_message());
  require(ranmar_fill(other.get(), 1, expected.data(), expected.size()) == RANMAR_OK,
          "a seeded sequence is drawn from");

  const auto status = ranmar_import(generator.get(), 1, &state);
  if (status == RANMAR_OK) return go_on(generator.get(), state, numbers);
  require(status == RANMAR_BAD_ARGUMENT && *ranmar_message() != '\0', "a state is refused with a reason");
  std::array<double, 5> made{};
  require(ranmar_fill(generator.get(), 1, made.data(), made.size()) == RANMAR_OK && made == expected,
          "a refused state leaves the generator as it was");
}

}  // namespace fuzz::ranmar_state
