/* Calls the functions of operations.c and operations.f on numbers for which a compiler that changes operations gives
   other bits, and prints a word for each change that it sees. Compiled without the user's flags. Calls go through
   volatile pointers, so that nothing is computed by the compiler. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double (*One)(const double *);
typedef double (*Two)(const double *, const double *);
typedef double (*Three)(const double *, const double *, const double *);
typedef double (*Sum)(const double *, const int *);

/* The functions of one language. */
struct Functions {
  One third, zero, half, number;
  Two range;
  Three fuse, reorder, divide;
  Sum sum;
};

#define BOTH(name, form) \
  double c_##name##_ form; \
  double f_##name##_ form;
BOTH(fuse, (const double *, const double *, const double *))
BOTH(reorder, (const double *, const double *, const double *))
BOTH(divide, (const double *, const double *, const double *))
BOTH(third, (const double *))
BOTH(range, (const double *, const double *))
BOTH(zero, (const double *))
BOTH(half, (const double *))
BOTH(number, (const double *))
BOTH(sum, (const double *, const int *))
double c_constant_(const double *);
float c_root_single_(const float *, const float *);
void f_root_single_(const float *, const float *, float *);
void f_sizes_(int *);

static void say(const char *word, double found, double wanted) {
  if (memcmp(&found, &wanted, sizeof found) != 0) printf("%s\n", word);
}

static void doubles(volatile struct Functions *of) {
  volatile double three = 3.0, tiny = DBL_MIN, huge = 1e308, ten = 10.0, none = 0.0;
  double a = 1.0 + 0x1p-30, c, values[64];
  volatile double product = a * a, total = 0.0;
  c = -product;
  say("fuse", of->fuse(&a, &a, &c), product + c);

  double large = 1e16, one = 1.0, minus = -1.0, seven = 7.0, eleven = 11.0, factor = 49.0;
  volatile double first = large + one, second = first - large;
  say("reorder", of->reorder(&large, &one, &minus), second + minus);

  volatile double left = seven / factor, right = eleven / factor;
  say("reciprocal", of->divide(&seven, &eleven, &factor), left - right);
  for (double x = 1.0; x < 40.0; x += 1.0) {
    const double value = x;
    say("reciprocal", of->third(&value), value / three);
  }

  const double big = huge, times = ten;
  volatile double over = big * times;
  say("excess", of->range(&big, &times), over / times);
  const double minus_zero = -none;
  say("zero", of->zero(&minus_zero), 0.0);
  const double smallest = tiny;
  volatile double below = 0x1p-1023;
  say("tiny", of->half(&smallest), below);
  const double nan = NAN;
  say("nan", of->number(&nan), 1.0);

  for (int i = 0; i < 64; ++i) {
    values[i] = 1.0 / (1.0 + i) * (i % 7 == 3 ? 1e6 : 1.0);
    volatile double square = values[i] * values[i];
    total = total + square;
  }
  const int n = 64;
  say("reorder", of->sum(values, &n), total);
}

static void roots(void) {
  for (int i = 1; i < 40; ++i) {
    volatile float x = (float)i, root = sqrtf(x);
    const float five = 5.0F, value = x;
    volatile float quotient = five / root;
    float found = 0;
    f_root_single_(&five, &value, &found);
    say("approximate", c_root_single_(&five, &value), quotient);
    say("approximate", found, quotient);
  }
}

int main(void) {
  int sizes[9] = {0};  /* room for integers of eight bytes */
  f_sizes_(sizes);
  if (sizes[0] != 32 || sizes[1] != 64 || sizes[2] != 32) {
    printf("sizes\ndone\n");  /* the other functions cannot be called */
    return 0;
  }
  volatile struct Functions c = {c_third_, c_zero_, c_half_, c_number_, c_range_, c_fuse_, c_reorder_, c_divide_, c_sum_};
  volatile struct Functions f = {f_third_, f_zero_, f_half_, f_number_, f_range_, f_fuse_, f_reorder_, f_divide_, f_sum_};
  doubles(&c);
  doubles(&f);
  roots();
  volatile double tenth = 0.1;
  const double seven = 7.0;
  say("constant", c_constant_(&seven), seven * tenth);
  printf("done\n");
  return 0;
}
