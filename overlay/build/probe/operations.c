/* Small sums of floating-point numbers, compiled with a user's CFLAGS: main.c calls them and compiler_flags.cpp looks
   at their machine code, to see what the flags do to numbers. Arguments come by reference, as in Fortran. */
double c_fuse_(const double *a, const double *b, const double *c) { return *a * *b + *c; }
double c_reorder_(const double *a, const double *b, const double *c) { return *a + *b - *a + *c; }
double c_divide_(const double *a, const double *b, const double *c) { return *a / *c - *b / *c; }
double c_third_(const double *a) { return *a / 3.0; }
float c_root_single_(const float *a, const float *b) { return *a / __builtin_sqrtf(*b); }
double c_range_(const double *a, const double *b) { return *a * *b / *b; }
double c_zero_(const double *a) { return *a + 0.0; }
double c_half_(const double *a) { return *a * 0.5; }
double c_number_(const double *a) { return *a != *a ? 1.0 : 0.0; }
double c_constant_(const double *a) { return *a * 0.1; }
double c_sum_(const double *x, const int *n) {
  double sum = 0.0;
  for (int i = 0; i < *n; ++i) sum += x[i] * x[i];
  return sum;
}
