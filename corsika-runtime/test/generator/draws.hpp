// Draws from a sequence through DrawPath, and the same by the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "corsika_runtime/generator/draw_path.hpp"

namespace ranmar::corsika {

inline constexpr int kSequence = 3;
inline constexpr std::int32_t kSeed = 13;

struct Draws : testing::Test {
  // Sequence 3 of 9, from a new seed on.
  void start() {
    common = {{}, 1, 0};
    path.emplace(common, pool.data(), settings);
    path->open(9);
    seed();
  }
  void seed() {
    path->seed(kSequence, {kSeed, 0, 0});
    want = seeded_state<Form48>(kSeed);
    drawn = 0;
  }

  // Draws of random lengths, some of them straight from the buffer as CORSIKA's own source does.
  void draw(int numbers) {
    std::vector<double> got(300), expected(300);
    std::uniform_int_distribution<int> lengths(1, 300);
    for (int done = 0; done < numbers;) {
      const int n = done % 3 == 0 ? lengths(random) : 1;
      Buffer& buffer = common.buffer[kSequence - 1];
      if (buffer.pos + n <= buffer.end) {
        // Large buffers are outside of the pool.
        const auto from = reinterpret_cast<std::intptr_t>(pool.data()) + 8 * buffer.pos;
        std::copy_n(reinterpret_cast<const double*>(from), n, got.data());
        buffer.pos += n;
      } else {
        path->draw(got.data(), n, kSequence);
      }
      fill_reference(want, expected.data(), static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) ASSERT_EQ(got[i], expected[i]) << "number " << drawn + i;
      done += n;
      drawn += n;
    }
  }
  void step_over(int numbers) {
    path->draw(nullptr, numbers, kSequence);
    drawn += numbers;
    jump(want, numbers);
  }

  void expect_state() {
    const ClassicSequence classic = path->export_sequence(kSequence);
    EXPECT_EQ(classic.counters[1], drawn);
    EXPECT_EQ(from_rmmaqd(classic.state).x, want.x);
    EXPECT_EQ(from_rmmaqd(classic.state).c, want.c);
  }

  Settings settings;
  DrawCommon common{};
  std::vector<double> pool = std::vector<double>(kPoolNumbers);
  std::optional<DrawPath> path;
  State<Form48> want;
  std::mt19937 random{7};
  int drawn = 0;
  double number = 0.;
};

}  // namespace ranmar::corsika
