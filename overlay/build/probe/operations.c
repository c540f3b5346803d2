/* Prints results of small operations on numbers.txt, each behind a word for what changes it: a user is
   told these words. They are read, so that nothing is computed by the compiler. */
#include <math.h>
#include <stdio.h>

int main(void) {
  double near, minus, large, one, seven, factor, huge, minus_zero, smallest, nan, values[64], sum = 0.0;
  if (scanf("%lf%lf%lf%lf%lf%lf%lf%lf%lf%lf", &near, &minus, &large, &one, &seven, &factor, &huge,
            &minus_zero, &smallest, &nan) != 10)
    return 1;
  printf("extra-x87-bits %a\n", huge * seven / seven);
  printf("fused-operations %a\n", near * near + minus);
  printf("reordered-sums %a\n", large + one - large - seven);
  printf("reciprocals-for-divisions %a\n", seven / factor - near / factor);
  printf("no-signed-zeros %a\n", minus_zero + 0.0);
  printf("no-denormals %a\n", smallest * 0.5);
  printf("no-NaN %d\n", nan != nan);
  printf("single-precision-constants %a\n", seven * 0.1);
  for (int i = 1; i < 40; ++i) {
    printf("reciprocals-for-divisions %a\n", i * one / 3.0);
    printf("approximate-roots %a\n", (float)seven / sqrtf((float)(i * one)));
  }
  for (int i = 0; i < 64; ++i) values[i] = one / (one + i) * (i % 7 == 3 ? 1e6 : 1.0);
  for (int i = 0; i < 64; ++i) sum += values[i];
  printf("reordered-sums %a\n", sum);
  return 0;
}
