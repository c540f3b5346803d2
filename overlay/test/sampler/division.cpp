// Spends its CPU time in divisions, each of which waits for the one before. The loop has two blocks with
// source files of their own, and argv[1] names the one that divides: first, second. The other moves numbers
// about.
#include <time.h>

#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
// clang-format off
extern "C" __attribute__((noinline)) double divide_in_first(long n) {
  double x = 1.0, y = 1.0000001;
  for (long i = 0; i < n; ++i) {
#line 1 "first_block.inc"
    asm volatile("divsd %1, %0" : "+x"(x) : "x"(y));
#line 1 "second_block.inc"
    asm volatile("mov $1, %%eax\n\tmov $2, %%ecx\n\tmov $3, %%edx\n\tmov $4, %%esi" ::: "rax", "rcx", "rdx", "rsi");
#line 19 "division.cpp"
  }
  return x;
}
extern "C" __attribute__((noinline)) double divide_in_second(long n) {
  double x = 1.0, y = 1.0000001;
  for (long i = 0; i < n; ++i) {
#line 1 "first_block.inc"
    asm volatile("mov $1, %%eax\n\tmov $2, %%ecx\n\tmov $3, %%edx\n\tmov $4, %%esi" ::: "rax", "rcx", "rdx", "rsi");
#line 1 "second_block.inc"
    asm volatile("divsd %1, %0" : "+x"(x) : "x"(y));
#line 30 "division.cpp"
  }
  return x;
}
// clang-format on
#else
extern "C" double divide_in_first(long) { return 0; }
extern "C" double divide_in_second(long) { return 0; }
#endif

int main(int argc, char** argv) {
  const bool first = argc > 1 && std::strcmp(argv[1], "first") == 0;
  double sum = 0;
  timespec now{};
  do {
    sum += first ? divide_in_first(100000) : divide_in_second(100000);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec < 1);
  std::printf("%g\n", sum);
  return 0;
}
