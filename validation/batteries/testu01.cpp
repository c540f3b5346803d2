// ranmar-testu01: one test of a battery of TestU01 on one subject. Built where TestU01 is found; nothing of
// it is part of this project. Prints a line for each p-value: battery, test, name, p. Writes no file.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "subjects.hpp"
#include "support/command_line.hpp"

extern "C" {
#include <bbattery.h>
#include <swrite.h>
#include <unif01.h>
}

namespace {

validation::Words stream;
unsigned int next_word() { return stream(); }

struct Battery {
  std::string_view name;
  int tests;
  void (*repeat)(unif01_Gen*, int*);
};
constexpr Battery kBatteries[]{{"SmallCrush", 10, bbattery_RepeatSmallCrush},
                               {"Crush", 96, bbattery_RepeatCrush},
                               {"BigCrush", 106, bbattery_RepeatBigCrush}};

int run_test(const Battery& battery, int test, std::string_view subject, std::int32_t seed) {
  // A seed of its own for each test: a test that is run alone gives what it gives in the whole battery.
  stream = validation::open_subject(subject, seed + 4 * test);
  std::string name(subject);
  auto* generator = unif01_CreateExternGenBits(name.data(), next_word);
  swrite_Basic = FALSE;
  int repeats[200] = {};
  repeats[test] = 1;
  std::FILE* real = stdout;
  stdout = std::fopen("/dev/null", "w");  // the battery's own report
  battery.repeat(generator, repeats);
  std::fclose(stdout);
  stdout = real;
  for (int i = 0; i < bbattery_NTests; ++i)
    if (bbattery_pVal[i] >= 0.)
      std::printf("%s\t%d\t%s\t%.6e\n", battery.name.data(), test, bbattery_TestNames[i], bbattery_pVal[i]);
  unif01_DeleteExternGenBits(generator);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string name, subject;
  int test = 0, seed = 0;
  support::read_options(
      argc, argv, "One test of a battery of TestU01 on one subject",
      {{"battery", &name, "SmallCrush (tests 1 to 10), Crush (1 to 96), BigCrush (1 to 106)"},
       {"test", &test, "its number"},
       {"subject", &subject, "which one"},
       {"seed", &seed, "of the first test; others have seeds of their own"}});
  for (const auto& battery : kBatteries)
    if (battery.name == name && 1 <= test && test <= battery.tests)
      return run_test(battery, test, subject, seed);
  throw std::invalid_argument("the battery or test cannot be " + name + " " + std::to_string(test) +
                              "; see --help");
} catch (const std::exception& problem) {
  std::fprintf(stderr, "ranmar-testu01: error: %s\n", problem.what());
  return 1;
}
