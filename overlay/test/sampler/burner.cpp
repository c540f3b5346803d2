// Burns CPU time in two known places, 3 to 1, and leaves in the way that argv[1] names: return, exit, _exit,
// thread (a second one burns with all signals blocked), child (a child burns too). argv[2]: seconds.
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

volatile double sink = 1.0;

static double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

extern "C" __attribute__((noinline)) void hot_loop(long n) {
  for (long i = 0; i < n; ++i) sink = sink * 1.0000001;
}
extern "C" __attribute__((noinline)) void warm_loop(long n) {
  for (long i = 0; i < n; ++i) sink = sink * 1.0000001;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  std::thread helper;
  if (std::strcmp(how, "thread") == 0)
    helper = std::thread([] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      const double start = cpu_seconds();
      while (cpu_seconds() - start < 0.4) hot_loop(1000);
    });
  if (std::strcmp(how, "child") == 0 && std::system((argv[0] + std::string(" return 0.3")).c_str()) != 0)
    return 9;
  const double start = cpu_seconds(), seconds = argc > 2 ? std::atof(argv[2]) : 0.8;
  unsigned random = 1;
  while (cpu_seconds() - start < seconds) {
    // Of changing length, or the turns could keep step with the sampler's ticks.
    random = random * 1664525U + 1013904223U;
    const long n = 1000 + static_cast<long>(random >> 22);
    hot_loop(3 * n);
    warm_loop(n);
  }
  if (helper.joinable()) helper.join();
  std::puts("burnt");
  std::fflush(stdout);
  if (std::strcmp(how, "exit") == 0) std::exit(0);
  if (std::strcmp(how, "_exit") == 0) _exit(0);
  return 0;
}
