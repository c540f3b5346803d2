// The generator: states through libranmar's C interface. A state is refused, or the generator goes on as the published
// loop does. The input makes states of seeds and changes, and says what is done with them.
#include "ranmar/ranmar.h"

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "fuzz.hpp"

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
