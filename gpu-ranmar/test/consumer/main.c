/* Draws the published numbers through the C interface (James 1990, numbers 20001 to 20006 of the 24-bit form). */
#include <ranmar/ranmar.h>
#include <stdio.h>

int main(void) {
  static const float published[6] = {6533892, 14220222, 7275067, 6172232, 8354498, 10633180};
  ranmar_generator* generator = NULL;
  float numbers[6];
  if (ranmar_create(&generator, RANMAR_24_BIT, 1, "auto") != RANMAR_OK ||
      ranmar_seed(generator, 1, 1802 * 30082 + 9373, 20000) != RANMAR_OK ||
      ranmar_fill_float(generator, 1, numbers, 6) != RANMAR_OK) {
    fprintf(stderr, "%s\n", ranmar_message());
    return 1;
  }
  for (int i = 0; i < 6; ++i) {
    if (numbers[i] * 16777216.F != published[i]) return 1;
  }
  ranmar_destroy(generator);
  return 0;
}
