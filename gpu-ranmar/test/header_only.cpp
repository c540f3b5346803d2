// Linked with nothing: what engine.hpp needs is in headers. The published numbers of James (1990).
#include "ranmar/engine.hpp"

int main() {
  ranmar::Engine<ranmar::Form24> engine(1802 * 30082 + 9373, 0, 20000);
  for (const float published : {6533892.F, 14220222.F, 7275067.F, 6172232.F, 8354498.F, 10633180.F})
    if (engine() * 16777216.F != published) return 1;
  return 0;
}
