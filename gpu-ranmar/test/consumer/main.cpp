// The C++ interface of the installed library, exceptions included: they cross its border.
#include <ranmar/generator.hpp>
#include <ranmar/state.hpp>

int main() {
  ranmar::Generator<ranmar::FormExtended48> generator(ranmar::Backend::kSimd, 1);
  double number = 0.;
  try {
    generator.fill(1, &number, 1);
    return 1;
  } catch (const ranmar::NotSeeded&) {
  }
  generator.seed(1, 5, 100);
  auto state = ranmar::seeded_state<ranmar::FormExtended48>(5);
  ranmar::jump(state, 100);
  return generator.state(1) == state ? 0 : 1;
}
