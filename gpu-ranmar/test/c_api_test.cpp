// The C interface: what it gives, and the status of everything that can be wrong.
#include "src/c_api.hpp"

#include <climits>
#include <set>

#include "numbers.hpp"

// So often operator new of this thread succeeds before it throws std::bad_alloc; -1: always.
extern thread_local int allocations_left;  // failing_allocations.cpp

namespace {

std::vector<double> drawn(ranmar_generator* from, int sequence, std::size_t n) {
  std::vector<double> numbers(n);
  EXPECT_EQ(ranmar_fill(from, sequence, numbers.data(), n), RANMAR_OK);
  return numbers;
}

struct CApi : testing::Test {
  void SetUp() override { ASSERT_EQ(ranmar_create(&generator, RANMAR_48_BIT, 9, "auto"), RANMAR_OK); }
  void TearDown() override { ranmar_destroy(generator); }
  ranmar_generator* generator = nullptr;
};

TEST_F(CApi, GivesTheSequence) {
  ASSERT_EQ(ranmar_seed(generator, 3, 777, 12345), RANMAR_OK);
  auto state = ranmar::seeded_state<ranmar::Form48>(777);
  expected_numbers(state, 12345);
  EXPECT_EQ(drawn(generator, 3, 1000), expected_numbers(state, 1000));
  std::uint64_t position = 0;
  ASSERT_EQ(ranmar_position(generator, 3, &position), RANMAR_OK);
  EXPECT_EQ(position, 13345U);
}

TEST_F(CApi, ExportAndImportMoveASequence) {
  ASSERT_EQ(ranmar_seed(generator, 1, 5, 3000000000U), RANMAR_OK);
  const auto ahead = drawn(generator, 1, 500);
  ranmar_rmmaqd_state state;
  ASSERT_EQ(ranmar_export(generator, 1, 400, &state), RANMAR_OK);
  EXPECT_EQ(state.ijkl, 5);
  EXPECT_EQ(state.ntot, 100);
  EXPECT_EQ(state.ntot2, 3);
  EXPECT_EQ(state.i97, 97 - (3000000100LL % 97));
  state.ntot += 7;  // I97 need not be what the numbers drawn say
  ASSERT_EQ(ranmar_import(generator, 2, &state), RANMAR_OK);
  const auto again = drawn(generator, 2, 400);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), ahead.begin() + 100));
  ranmar_rmmaqd_state copy;
  ASSERT_EQ(ranmar_export(generator, 2, 400, &copy), RANMAR_OK);
  EXPECT_TRUE(std::equal(std::begin(state.u), std::end(state.u), std::begin(copy.u)));
  EXPECT_EQ(state.i97, copy.i97);
  EXPECT_EQ(state.ntot, copy.ntot);
}

TEST_F(CApi, SkipsBothWays) {
  ASSERT_EQ(ranmar_seed(generator, 1, 5, 0), RANMAR_OK);
  const auto first = drawn(generator, 1, 1);
  ASSERT_EQ(ranmar_skip(generator, 1, 1000000000000000000), RANMAR_OK);
  ASSERT_EQ(ranmar_skip(generator, 1, -1000000000000000001), RANMAR_OK);
  EXPECT_EQ(drawn(generator, 1, 1), first);
}

TEST_F(CApi, TellsWhatIsWrong) {
  double number = 0.;
  float single = 0.F;
  ranmar_rmmaqd_state state{};
  std::uint64_t position = 0;
  EXPECT_EQ(ranmar_fill(generator, 1, &number, 1), RANMAR_NOT_SEEDED);
  EXPECT_NE(std::string(ranmar_message()), "");
  EXPECT_EQ(ranmar_seed(generator, 10, 1, 0), RANMAR_BAD_SEQUENCE);
  ASSERT_EQ(ranmar_seed(generator, 1, 5, 10), RANMAR_OK);
  ASSERT_EQ(ranmar_seed(generator, 2, 5, UINT64_MAX), RANMAR_OK);
  const std::pair<ranmar_status, ranmar_status> cases[] = {
      {ranmar_fill(nullptr, 1, &number, 1), RANMAR_BAD_ARGUMENT},
      {ranmar_fill(generator, 1, nullptr, 1), RANMAR_BAD_ARGUMENT},
      {ranmar_fill(generator, 1, nullptr, 0), RANMAR_OK},
      {ranmar_fill_float(generator, 1, &single, 1), RANMAR_WRONG_FORM},
      {ranmar_import(generator, 1, &state), RANMAR_BAD_ARGUMENT},
      // Back beyond the seed.
      {ranmar_export(generator, 1, 10, &state), RANMAR_OK},
      {ranmar_export(generator, 1, 11, &state), RANMAR_BAD_ARGUMENT},
      {ranmar_export(generator, 1, UINT64_MAX, &state), RANMAR_BAD_ARGUMENT},
      {ranmar_skip(generator, 1, -11), RANMAR_BAD_ARGUMENT},
      {ranmar_skip(generator, 1, INT64_MIN), RANMAR_BAD_ARGUMENT},
      {ranmar_skip(generator, 1, -10), RANMAR_OK},
      // Beyond 2^64, and more billions than ntot2 can hold.
      {ranmar_fill(generator, 2, &number, 1), RANMAR_BAD_ARGUMENT},
      {ranmar_skip(generator, 2, 1), RANMAR_BAD_ARGUMENT},
      {ranmar_export(generator, 2, 0, &state), RANMAR_BAD_ARGUMENT},
      {ranmar_export(generator, 2, std::uint64_t{1} << 63, &state), RANMAR_BAD_ARGUMENT}};
  for (const auto& one : cases) EXPECT_EQ(one.first, one.second) << "case " << &one - cases;
  ASSERT_EQ(ranmar_position(generator, 1, &position), RANMAR_OK);
  EXPECT_EQ(position, 0U);
  EXPECT_EQ(ranmar_position(generator, 2, &position), RANMAR_OK);
  EXPECT_EQ(position, UINT64_MAX) << "a refused call changes nothing";
}

TEST(CApiStatus, ComesOfTheExceptionThatWasMeant) {
  using ranmar::c_api::guarded;
  EXPECT_EQ(guarded([] { throw ranmar::NotSeeded("no seed"); }), RANMAR_NOT_SEEDED);
  EXPECT_EQ(guarded([] { throw ranmar::BadSequence("no such"); }), RANMAR_BAD_SEQUENCE);
  EXPECT_EQ(guarded([] { throw std::logic_error("a mistake of ours"); }), RANMAR_FAILED);
  EXPECT_EQ(guarded([] { throw std::out_of_range("a mistake of ours"); }), RANMAR_FAILED);
  EXPECT_EQ(guarded([] { throw 1; }), RANMAR_FAILED);
  EXPECT_EQ(guarded([] { throw std::runtime_error(std::string(5000, 'x')); }), RANMAR_FAILED);
  EXPECT_EQ(std::string(ranmar_message()), std::string(511, 'x'));
}

TEST(CApiStatus, HasAString) {
  std::set<std::string> strings;
  for (int status = RANMAR_OK; status <= RANMAR_DEVICE_FAILED; ++status)
    strings.insert(ranmar_status_string(static_cast<ranmar_status>(status)));
  EXPECT_EQ(strings.size(), 8U);
  const char* unknown = ranmar_status_string(static_cast<ranmar_status>(15));
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(strings.count(unknown), 0U);
}

TEST(CApiVersion, OfHeadersAndLibraryAgree) {
  EXPECT_EQ(std::string(ranmar_version()), std::to_string(RANMAR_VERSION_MAJOR) + "." +
                                               std::to_string(RANMAR_VERSION_MINOR) + "." +
                                               std::to_string(RANMAR_VERSION_PATCH));
}

TEST(CApiCreate, RefusesWhatCannotBe) {
  const struct {
    int form, sequences;
    const char* backend;
  } cases[] = {{48, 0, "auto"},       {48, -1, "auto"}, {48, INT_MIN, "auto"}, {48, (1 << 20) + 1, "auto"},
               {48, INT_MAX, "auto"}, {32, 1, "auto"},  {48, 1, nullptr},      {48, 1, "warp"}};
  for (const auto& one : cases) {
    auto* generator = reinterpret_cast<ranmar_generator*>(8);
    EXPECT_EQ(ranmar_create(&generator, static_cast<ranmar_form>(one.form), one.sequences, one.backend),
              RANMAR_BAD_ARGUMENT)
        << one.form << " " << one.sequences;
    EXPECT_EQ(generator, nullptr);
  }
  EXPECT_NE(std::string(ranmar_message()).find("simd"), std::string::npos);
}

/// Every allocation of a call fails once: the call says so, and succeeds afterwards. `after_failure` looks at
/// what a failure left. Returns how often the call failed.
template <class Call, class Look>
int failures_of(const Call& call, const Look& after_failure) {
  for (int failures = 0;; ++failures) {
    allocations_left = failures;
    const ranmar_status status = call();
    allocations_left = -1;
    if (status == RANMAR_OK) return failures;
    EXPECT_EQ(status, RANMAR_OUT_OF_MEMORY) << "after " << failures << " allocations";
    after_failure();
  }
}

TEST(CApiMemory, OfAnyCallMayFailAndNothingIsHalfMade) {
  ranmar_generator* generator = nullptr;
  EXPECT_GE(failures_of([&] { return ranmar_create(&generator, RANMAR_48_BIT, 9, "auto"); },
                        [&] { ASSERT_EQ(generator, nullptr); }),
            3)
      << "object, sequences, accounts";
  ranmar_destroy(generator);
  ranmar_instances *plain = nullptr, *object = nullptr;
  for (auto** made : {&plain, &object})
    ASSERT_EQ(ranmar_instances_create(made, RANMAR_48_BIT, 1, 2, 5), RANMAR_OK);
  std::vector<double> expected(5 * 100), got(5 * 100);
  ASSERT_EQ(ranmar_instances_fill(plain, expected.data(), 100), RANMAR_OK);
  EXPECT_GE(failures_of([&] { return ranmar_instances_fill(object, got.data(), 100); }, [] {}), 1);
  EXPECT_EQ(got, expected) << "a refused fill draws nothing";
  for (auto* made : {plain, object}) ranmar_instances_destroy(made);
}

TEST(CApiForms, MakeWhatTheyAreFor) {
  ranmar_generator *extended = nullptr, *short_form = nullptr;
  ASSERT_EQ(ranmar_create(&extended, RANMAR_EXTENDED_48_BIT, 2, "auto"), RANMAR_OK);
  ASSERT_EQ(ranmar_seed(extended, 2, 777, 1000), RANMAR_OK);
  auto state = ranmar::seeded_state<ranmar::FormExtended48>(777);
  expected_numbers(state, 1000);
  EXPECT_EQ(drawn(extended, 2, 100), expected_numbers(state, 100));
  float number = 0.F;
  ranmar_rmmaqd_state classic{};
  EXPECT_EQ(ranmar_fill_float(extended, 2, &number, 1), RANMAR_WRONG_FORM);
  EXPECT_EQ(ranmar_export(extended, 2, 0, &classic), RANMAR_WRONG_FORM);
  EXPECT_EQ(ranmar_import(extended, 2, &classic), RANMAR_WRONG_FORM);
  ASSERT_EQ(ranmar_create(&short_form, RANMAR_24_BIT, 1, "simd"), RANMAR_OK);
  ASSERT_EQ(ranmar_seed(short_form, 1, 54217137, 20000), RANMAR_OK);
  ASSERT_EQ(ranmar_fill_float(short_form, 1, &number, 1), RANMAR_OK);
  EXPECT_EQ(number * 0x1p24F, 6533892.F);  // James (1990)
  double wide = 0.;
  EXPECT_EQ(ranmar_fill(short_form, 1, &wide, 1), RANMAR_WRONG_FORM);
  ranmar_destroy(extended);
  ranmar_destroy(short_form);
}

}  // namespace
