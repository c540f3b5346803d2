// The same sequence in C++, made at once and from the middle on: same bits.
#include <ranmar/fill.hpp>
#include <ranmar/jump.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> numbers(1000000), second_half(500000);
  auto state = ranmar::seeded_state<ranmar::Form48>(54217137);
  auto middle = state;
  ranmar::fill(ranmar::Backend::kSimd, state, numbers.data(), numbers.size());

  ranmar::jump(middle, 500000);  // where another thread would begin
  ranmar::fill(ranmar::Backend::kReference, middle, second_half.data(), second_half.size());
  for (std::size_t i = 0; i < second_half.size(); ++i) {
    if (second_half[i] != numbers[500000 + i]) return 1;
  }
  std::printf("first %.15f, by %s; both halves agree\n", numbers[0], ranmar::simd_target_in_use().c_str());
  return 0;
}
