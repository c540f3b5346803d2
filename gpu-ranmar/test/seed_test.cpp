// Known answers: every backend must reproduce the plain text file beside this test.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "ranmar/fill.hpp"

namespace {

struct KnownAnswer {
  int form;
  std::int32_t seed;
  std::size_t first;
  std::vector<std::uint64_t> numbers;
};

std::vector<KnownAnswer> known_answers() {
  std::ifstream file(KNOWN_ANSWERS);
  std::vector<KnownAnswer> answers;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    KnownAnswer answer;
    words >> answer.form >> answer.seed >> answer.first;
    for (std::uint64_t number; words >> number;) answer.numbers.push_back(number);
    answers.push_back(answer);
  }
  return answers;
}

template <class Form>
void check(ranmar::Backend backend, const KnownAnswer& answer) {
  auto state = ranmar::seeded_state<Form>(answer.seed);
  std::vector<typename Form::Real> out(answer.first - 1 + answer.numbers.size());
  ranmar::fill(backend, state, out.data(), out.size());
  for (std::size_t i = 0; i < answer.numbers.size(); ++i) {
    EXPECT_EQ(std::ldexp(out[answer.first - 1 + i], Form::kBits), static_cast<double>(answer.numbers[i]))
        << Form::kBits << "-bit form, seed " << answer.seed << ", number " << answer.first + i;
  }
}

class KnownAnswers : public testing::TestWithParam<ranmar::Backend> {};

TEST_P(KnownAnswers, OfTheFile) {
  const auto answers = known_answers();
  ASSERT_EQ(answers.size(), 8U);
  for (const auto& answer : answers) {
    if (answer.form == 48) {
      check<ranmar::Form48>(GetParam(), answer);
    } else {
      check<ranmar::Form24>(GetParam(), answer);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, KnownAnswers,
                         testing::Values(ranmar::Backend::kReference, ranmar::Backend::kSimd),
                         [](const auto& info) { return std::string(ranmar::name(info.param)); });

TEST(KnownAnswers, PublishedByJames) {
  auto state = ranmar::seeded_state<ranmar::Form24>(1802 * 30082 + 9373);
  std::vector<float> out(20006);
  ranmar::fill_reference(state, out.data(), out.size());
  const double published[] = {6533892, 14220222, 7275067, 6172232, 8354498, 10633180};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(out[20000 + i] * 0x1p24, published[i]);
}

}  // namespace
