// ranmar-gpu-check NUMBERS [SEED [SKIP [FORM [DEVICE]]]]: that many numbers of one sequence made by a device,
// delivered to host memory, and every one of them compared with the simd backend on all cores while the next
// are on their way. The streams' state is compared too, at every refill.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ranmar/cuda/stream.hpp"
#include "ranmar/fill.hpp"
#include "ranmar/jump.hpp"

namespace {

constexpr std::size_t kRefill = std::size_t{1} << 26;
constexpr std::size_t kBuffers = 3;
constexpr std::size_t kPart = std::size_t{1} << 20;     // jumped to by one thread
constexpr std::size_t kStretch = std::size_t{1} << 12;  // made at a time; stays in the cache

template <class Form>
std::uint64_t first_difference(ranmar::State<Form> state, const typename Form::Real* got, std::size_t n) {
  std::vector<typename Form::Real> expected(kStretch);
  for (std::size_t done = 0; done < n; done += kStretch) {
    const std::size_t now = std::min(kStretch, n - done);
    ranmar::fill_simd(state, expected.data(), now);
    if (std::memcmp(expected.data(), got + done, now * sizeof(*got)) == 0) continue;
    for (std::size_t i = 0;; ++i) {
      if (std::memcmp(&expected[i], &got[done + i], sizeof(*got)) != 0) return done + i;
    }
  }
  return UINT64_MAX;
}

template <class Form>
int check(std::uint64_t total, std::int32_t seed, std::uint64_t skip, int device) {
  using Real = typename Form::Real;
  auto start = ranmar::seeded_state<Form>(seed);
  ranmar::jump(start, static_cast<std::int64_t>(skip));
  std::vector<Real> memory(kBuffers * kRefill);
  const ranmar::cuda::Pinned pinned(memory.data(), memory.size() * sizeof(Real), device);
  ranmar::cuda::Stream<Form> stream(start, device);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const ranmar::JumpPolynomial over_part = ranmar::jump_polynomial(kPart);
  const auto clock = std::chrono::steady_clock::now();

  std::uint64_t asked = 0;
  std::size_t refills = 0;
  const auto ask = [&] {
    if (asked == total) return;
    const std::size_t n = std::min<std::uint64_t>(kRefill, total - asked);
    stream.refill(memory.data() + refills++ % kBuffers * kRefill, n);
    asked += n;
  };
  for (std::size_t i = 0; i + 1 < kBuffers; ++i) ask();
  ranmar::State<Form> state = start;  // of number `done`, by jumps of one part each
  std::size_t buffer = 0;
  for (std::uint64_t done = 0; done < total;) {
    const std::size_t n = std::min<std::uint64_t>(kRefill, total - done);
    stream.wait();
    ask();
    const Real* got = memory.data() + buffer++ % kBuffers * kRefill;
    std::vector<ranmar::State<Form>> states;
    for (std::size_t part = 0; part * kPart < n; ++part) {
      states.push_back(state);
      if ((part + 1) * kPart <= n) {
        ranmar::apply_jump(state, over_part, kPart);
      } else {
        ranmar::jump(state, static_cast<std::int64_t>(n % kPart));
      }
    }
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> bad{UINT64_MAX};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < cores; ++t) {
      threads.emplace_back([&] {
        for (std::size_t part = next++; part < states.size(); part = next++) {
          const std::uint64_t at =
              first_difference(states[part], got + part * kPart, std::min(kPart, n - part * kPart));
          if (at != UINT64_MAX) bad = std::min<std::uint64_t>(bad, part * kPart + at);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    if (bad != UINT64_MAX) {
      std::fprintf(stderr, "ranmar-gpu-check: error: number %llu (from 0) differs\n",
                   static_cast<unsigned long long>(done + bad));
      return 1;
    }
    done += n;
    if (stream.state() != state) {
      std::fprintf(stderr, "ranmar-gpu-check: error: the state after number %llu differs\n",
                   static_cast<unsigned long long>(done));
      return 1;
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  std::printf(
      "%llu numbers of seed %d after %llu: all equal; %.1f s, %.2f numbers a nanosecond, simd %s on %u "
      "cores\n",
      static_cast<unsigned long long>(total), seed, static_cast<unsigned long long>(skip), seconds,
      static_cast<double>(total) / seconds * 1e-9, ranmar::simd_target_in_use().c_str(), cores);
  return 0;
}

std::uint64_t number_of(const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);  // so that 1e11 is understood
  if (*text == '\0' || *end != '\0' || !(value >= 0. && value <= 9e18)) {
    throw std::invalid_argument(std::string("'") + text + "' is not a number from 0 to 9e18");
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 6) {
    std::fprintf(stderr,
                 "usage: ranmar-gpu-check NUMBERS [SEED [SKIP [FORM: 48, 24 or extended [DEVICE]]]]\n");
    return 2;
  }
  try {
    const std::uint64_t total = number_of(argv[1]);
    const auto seed = static_cast<std::int32_t>(argc > 2 ? number_of(argv[2]) : 54217137);
    const std::uint64_t skip = argc > 3 ? number_of(argv[3]) : 0;
    const std::string form = argc > 4 ? argv[4] : "48";
    const int device = static_cast<int>(argc > 5 ? number_of(argv[5]) : 0);
    if (form == "48") return check<ranmar::Form48>(total, seed, skip, device);
    if (form == "24") return check<ranmar::Form24>(total, seed, skip, device);
    if (form == "extended") return check<ranmar::FormExtended48>(total, seed, skip, device);
    throw std::invalid_argument("'" + form + "' is not a form: 48, 24 or extended");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ranmar-gpu-check: error: %s\n", e.what());
    return 1;
  }
}
