// Every kind of replaced routine against the classic semantics: values, last sequence, counters, state.
#include "routines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iomanip>
#include <random>
#include <sstream>

namespace {

struct Routines : testing::Test {
  void SetUp() override {
    conex(false, 1);
    for (int s = 1; s <= classic::kKseq; ++s) seed(s, 1000 * s + 11, 100 * s, 0);
  }
  void seed(int sequence, int ijkl, int ntot, int ntot2) {
    rmmaqd({ijkl, ntot, ntot2}, sequence, kSeed);
    stock.seed(sequence, ijkl, ntot, ntot2);
    stock.last = sequence;
  }
  void expect_same_counters() {
    ASSERT_EQ(rnmdrw_.last_sequence, stock.last);
    for (int s = 1; s <= classic::kKseq; ++s) {
      int number = s;
      const auto got = rmmaqd({}, number, kRead);
      const auto& want = stock.sequence[s];
      ASSERT_EQ(got, (std::array<int, 3>{want.ijkl, want.ntot, want.ntot2})) << "sequence " << s;
    }
    int last = stock.last;  // 'R' made the last one read the sequence used last
    rmmaqd({}, last, kRead);
  }
  void expect_same(int n) const {
    for (int i = 0; i < n; ++i) ASSERT_EQ(got[i], want[i]);
  }
  // RMMARD, in both.
  void draw(int n, int sequence) {
    rmmard_(got.data(), &n, &sequence);
    stock.rmmard(want.data(), n, sequence);
    expect_same(n);
  }
  classic::Generator stock;
  std::vector<double> got = std::vector<double>(5000), want = got;
};

int draws_of_the_mixture() {
  const char* text = std::getenv("RANMAR_TEST_DRAWS");
  return text != nullptr ? std::atoi(text) : 2000000;
}

TEST_F(Routines, MixedDrawsAreTheClassicOnes) {
  std::mt19937 random(7);
  const int draws = draws_of_the_mixture();
  for (int draws_done = 0; draws_done < draws; ++draws_done) {
    const unsigned kind = random() % 64;
    const int n =
        static_cast<int>(kind < 30 || (kind >= 40 && kind < 50) ? random() % 4 + 1 : random() % 20) -
        (kind >= 50 && kind < 54 ? 2 : 0);
    if (kind < 40) {
      // Mostly 1 to 4 numbers, up to 350 at times; lengths of zero and below; sequences of 0 and out of
      // range.
      draw(kind < 30 ? n : static_cast<int>(random() % 356) - 5, static_cast<int>(random() % 12) - 1);
    } else if (kind < 50) {
      inline_(got.data(), &n);
      stock.rmmard(want.data(), n, 2);
      expect_same(n);
    } else if (kind < 54) {
      (kind < 52 ? grndm_ : rm48_)(got.data(), &n);
      if (kind < 52) stock.last = 1;
      stock.vector(want.data(), n, 1);
      expect_same(n);
    } else if (kind < 56) {
      ASSERT_EQ(ranf_(nullptr), stock.one(1));
      stock.last = 1;
    } else if (kind < 58) {
      ASSERT_EQ(hwrgen_(), stock.one(5));
    } else if (kind < 60) {
      ASSERT_EQ(rangen_(), stock.single(1, true));
      stock.last = 1;
    } else if (kind < 62) {
      ASSERT_EQ(ranven_(), stock.single(1, false));
    } else if (kind == 62) {
      const int s = static_cast<int>(random() % 9) + 1;
      const auto& buffer = rnmdrw_.buffer[static_cast<std::size_t>(s - 1)];
      const int ready = static_cast<int>(buffer.end - buffer.pos);
      // Often one more than is ready.
      const int skipped = random() % 2 == 0 && ready < 5000 ? ready + 1 : static_cast<int>(random() % 5000);
      rnmskp_(&skipped, &s);
      stock.rmmard(want.data(), skipped, s);
    } else if (draws_done % 997 == 0) {
      seed(static_cast<int>(random() % 9) + 1, static_cast<int>(random() % 900000000), random() % 1000, 0);
    }
    if (draws_done % 5000 == 0) expect_same_counters();
    if (HasFatalFailure()) FAIL() << "after draw " << draws_done;
  }
  expect_same_counters();
}

TEST_F(Routines, ConexTurnsToItsOwnSequence) {
  conex(true, 4);
  EXPECT_EQ(ranf_(nullptr), stock.one(4));
  EXPECT_EQ(rnmdrw_.last_sequence, 4);
  EXPECT_EQ(rangen_(), stock.single(4, true));
  double number = 0.;
  const int one = 1;
  grndm_(&number, &one);
  EXPECT_EQ(number, stock.one(4));
  EXPECT_EQ(draneg_(&number), stock.one(4));
  conex(false, 6);
  EXPECT_EQ(ranf_(nullptr), stock.one(1));
  EXPECT_EQ(draneg_(&number), stock.one(6));
  EXPECT_EQ(rnmdrw_.last_sequence, 6);
  EXPECT_TRUE(hwrset_() == 0. && hwrget_() == 0.);
}

TEST_F(Routines, OptionsOfRmmaqd) {
  int sequence = 3;
  EXPECT_EQ(rmmaqd({5, 6, 7}, sequence, kVectorAlone), (std::array<int, 3>{5, 6, 7}));
  EXPECT_EQ(rnmdrw_.last_sequence, 9);
  draw(1, 7);
  sequence = 0;
  EXPECT_EQ(rmmaqd({}, sequence, kRead), (std::array<int, 3>{7011, 701, 0}));
  EXPECT_EQ(sequence, 7);
  sequence = 0;
  EXPECT_EQ(rmmaqd({1, 2, 3}, sequence, kDefault), (std::array<int, 3>{54217137, 0, 0}));
  EXPECT_EQ(rnmdrw_.last_sequence, 1);
  stock.seed(1, 54217137, 0, 0);
  EXPECT_EQ(ranf_(nullptr), stock.one(1));
}

TEST_F(Routines, BillionsAreCarriedAsInStock) {
  // At 10^9 numbers stock carries; above 10^9 in the seed, one billion a call.
  for (const auto& [ntot, ntot2] :
       {std::pair{999999990, 0}, {999999998, 0}, {1000000000, 0}, {2100000000, 0}, {-20, 0}, {5, -1}}) {
    SCOPED_TRACE(ntot);
    for (const bool asks : {true, false}) {
      int sequence = 2, read = 2;
      rmmaqd({42, ntot, ntot2}, sequence, kSeed);
      auto& two = stock.sequence[2];  // the words are compared elsewhere; only the counters here
      two.ntot = ntot;
      two.ntot2 = ntot2;
      const auto counters = [&] { return std::array<int, 3>{42, two.ntot, two.ntot2}; };
      for (int n : {1, 1, 0, 3, -2, 5, -30, 10, 4, 1}) {
        if (n <= 0 && !asks) continue;
        rmmard_(got.data(), &n, &sequence);
        stock.add(two, n);
        if (asks) {
          EXPECT_EQ(rmmaqd({}, read, kRead), counters());
        }
      }
      EXPECT_EQ(rmmaqd({}, read, kRead), counters());
    }
  }
}

TEST_F(Routines, ZeroIsOneUnitOrDrawnAgainByRoutine) {
  // A state whose next raw number is exactly 0.
  auto words = ranmar::seeded_state<ranmar::Form48>(3);
  words.x[0] = words.x[64] + (static_cast<std::uint64_t>(ranmar::next_arithmetic(words.c)) << 40);
  const auto classic_words = ranmar::to_rmmaqd(words, 97);
  auto& s = stock.sequence[1];
  auto install = [&] {
    for (int i = 0; i < 97; ++i) cxransto_.diu0[i + 1] = s.u[i] = classic_words.u[i];
    cxransto_.diu0[0] = s.c = classic_words.c;
    cxransto_.diu0[98] = s.i97 = classic_words.i97;
    cxransto_.diu0[99] = s.j97 = classic_words.j97;
    cxransto_.iiseed[0] = s.ijkl = 3;
    cxransto_.iiseed[1] = s.ntot = 0;
    cxransto_.iiseed[2] = s.ntot2 = 0;
    const double value = 17.;
    EXPECT_EQ(g900st_(&value), 17.);
    stock.last = 1;
  };
  install();
  EXPECT_EQ(ranf_(nullptr), 0x1p-48);
  install();
  EXPECT_EQ(rangen_(), 0x1p-48F);
  install();
  stock.one(1, false);
  const float second = stock.single(1, false);
  EXPECT_NE(second, 0x1p-48F);
  EXPECT_EQ(ranven_(), second);
  expect_same_counters();
}

TEST_F(Routines, StateFunctionsBringBackASequence) {
  conex(true, 3);
  draw(777, 3);
  EXPECT_EQ(g900gt_(), 300. + 777.);
  const auto& s = stock.sequence[3];
  for (int i = 0; i < 97; ++i) ASSERT_EQ(cxransto_.diu0[i + 1], s.u[i]);
  EXPECT_EQ(cxransto_.diu0[0], s.c);
  EXPECT_EQ(cxransto_.diu0[98], s.i97);
  EXPECT_EQ(cxransto_.diu0[99], s.j97);
  const double first = ranf_(nullptr);
  for (int i = 0; i < 5000; ++i) ranf_(nullptr);
  const double seed = 1.;
  g900st_(&seed);
  EXPECT_EQ(ranf_(nullptr), first);
  stock.one(3);
  stock.last = 3;
  expect_same_counters();
}

TEST_F(Routines, SeedsAndPositionsHaveTheirBillions) {
  int sequence = 1;
  rmmaqd({42, 7, 2}, sequence, kSeed);
  EXPECT_EQ(g900gt_(), 2000000007.);
  auto state = ranmar::seeded_state<ranmar::Form48>(42);
  ranmar::jump(state, 2000000007);
  ranmar::fill_reference(state, want.data(), 1);
  EXPECT_EQ(ranf_(nullptr), want[0]);
}

// The classic dump of all sequences, as the formats of RMMAQD write it.
std::string classic_dump(const classic::Generator& stock) {
  std::ostringstream text;
  text << std::uppercase << std::hex;
  const auto hex = [&](std::uint64_t value, int width) { text << std::setw(width) << value; };
  const auto real = [&](double value) { hex(std::bit_cast<std::uint64_t>(value), 16); };
  const auto& last = stock.sequence[stock.last];
  for (int value : {last.ijkl, last.ntot, last.ntot2}) hex(static_cast<std::uint32_t>(value), 8);
  text << '\n';
  for (int value : {last.i97, last.j97}) hex(static_cast<std::uint32_t>(value), 8);
  real(last.c);
  text << '\n';
  for (int s = 1; s <= classic::kKseq; ++s) {
    for (int i = 0; i < 97; ++i) {
      real(stock.sequence[s].u[i]);
      if (i % 4 == 3 || i == 96) text << '\n';
    }
  }
  return text.str();
}

TEST_F(Routines, DumpIsStocksAndIsReadBack) {
  for (int s = 1; s <= classic::kKseq; ++s) draw(101 * s, s);
  std::string folder = testing::TempDir() + "ranmar-dump-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/file";
  const int length = static_cast<int>(file.size());
  int sequence = 5;
  open11_(file.c_str(), &length, file.size());
  rmmaqd({}, sequence, kWriteOut);
  clos11_();
  stock.last = 5;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), classic_dump(stock));

  const classic::Generator then = stock;
  // Other sequences keep their indices, only U comes back.
  for (int s = 1; s <= classic::kKseq; ++s) draw(97 * s, s);
  open11_(file.c_str(), &length, file.size());
  rmmaqd({}, sequence, kReadBack);
  clos11_();
  std::filesystem::remove_all(folder);
  for (int s = 1; s <= classic::kKseq; ++s) stock.sequence[s].u = then.sequence[s].u;
  auto& five = stock.sequence[5];
  const auto u = five.u;
  five = then.sequence[5];
  five.u = u;
  stock.last = 5;
  expect_same_counters();
  for (int s = 1; s <= classic::kKseq; ++s) draw(333, s);
}

}  // namespace
