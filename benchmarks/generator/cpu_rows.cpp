// The rows of one thread: the generator, its peers, and the draws.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

#include "measure.hpp"
#include "ranmar_testing/simd_target.hpp"

extern "C" {
// The stand-in's RMMARD and RMMAQD.
void stkmrd_(double* values, const std::int32_t* length, const std::int32_t* sequence);
void stkmqd_(std::int32_t* seed, std::int32_t* sequence, const char* option, std::size_t);
using DrawLoop = void(const std::int64_t* times, const std::int32_t* length, double* total);
DrawLoop loopst_, loopca_, loopi1_, loopi2_, loopi3_;
void rnmini_(const std::int32_t* kseq);
void rnmsed_(const std::int32_t* sequence, const std::int32_t* seed);
}

namespace bench {
namespace {

constexpr std::int64_t kCalls = 1 << 14;  // calls of one iteration of a 'draw' row

// Numbers a request: the sizes that all are measured with, and some about the draw path's buffers.
constexpr std::size_t kSizes[] = {100,   256,    1000,    kRatioRequest, 10000,
                                  65536, 100000, 1 << 20, 10000000,      100000000};

using RmmardFunction = decltype(&stkmrd_);

RmmardFunction rmmard_of(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  auto rmmaqd = reinterpret_cast<decltype(&stkmqd_)>(dlsym(handle, "rmmaqd_"));
  auto rmmard = reinterpret_cast<RmmardFunction>(dlsym(handle, "rmmard_"));
  if (rmmaqd == nullptr || rmmard == nullptr)
    throw std::runtime_error(library + " holds no RMMARD and RMMAQD");
  std::int32_t seed[3] = {kSeed, 0, 0}, sequence = 1;
  rmmaqd(seed, &sequence, "S", 1);
  return rmmard;
}

void add_generators(Measure& measure, double* buffer, std::size_t largest, RmmardFunction rmmard) {
  const auto fresh = ranmar::seeded_state<ranmar::Form48>(kSeed);
  const auto row = [](const std::string& name, std::size_t n) { return Row{name, "generate", n, n}; };
  for (const std::size_t n : kSizes) {
    if (n > largest) break;
    const auto call = [buffer, length = static_cast<std::int32_t>(n)](RmmardFunction function) {
      return [=] {
        const std::int32_t one = 1;
        function(buffer, &length, &one);
      };
    };
    measure.add(row("stock loop", n), call(stkmrd_));
    measure.add(row("reference", n),
                [buffer, n, state = fresh]() mutable { ranmar::fill_reference(state, buffer, n); });
    measure.add(row("simd", n),
                [buffer, n, state = fresh]() mutable { ranmar::fill_simd(state, buffer, n); });
    measure.add(row("fill", n), [buffer, n]() mutable {
      std::fill_n(buffer, n, 0.5);
      benchmark::DoNotOptimize(buffer);
      benchmark::ClobberMemory();
    });
    if (rmmard != nullptr) measure.add(row("RMMARD of the tree", n), call(rmmard));
  }
  for (const ranmar::SimdTarget& target : ranmar::simd_targets()) {
    measure.add(
        row("simd " + target.name, kRatioRequest),
        [buffer, state = fresh]() mutable { ranmar::fill_simd(state, buffer, kRatioRequest); }, target.bit);
  }
}

void add_draws(Measure& measure) {
  const auto add = [&measure](const char* name, std::int32_t n, DrawLoop* loop) {
    measure.add({name, "draw", static_cast<std::size_t>(n), static_cast<std::size_t>(n * kCalls)}, [n, loop] {
      double total = 0.;
      loop(&kCalls, &n, &total);
      benchmark::DoNotOptimize(total);
    });
  };
  for (const std::int32_t n : {1, 2, 3, 10, 100}) {
    add("stock loop", n, loopst_);
    add("ours, called", n, loopca_);
  }
  add("ours, inlined", 1, loopi1_);
  add("ours, inlined", 2, loopi2_);
  add("ours, inlined", 3, loopi3_);
}

}  // namespace

void add_rows_of_one_thread(Measure& measure, double* buffer, std::size_t largest,
                            const std::string& tree_library) {
  const std::int32_t kseq = 9;
  std::int32_t one = 1, seed[3] = {kSeed, 0, 0};
  stkmqd_(seed, &one, "S", 1);
  rnmini_(&kseq);
  rnmsed_(&one, seed);
  add_generators(measure, buffer, largest, tree_library.empty() ? nullptr : rmmard_of(tree_library));
  add_draws(measure);
}

}  // namespace bench
