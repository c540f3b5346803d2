// A CPU sampler for one process, to be put before it with LD_PRELOAD.
//
// A POSIX timer on the CPU clock of the main thread sends SIGPROF to that thread; the handler keeps the
// interrupted program counter in memory that was mapped beforehand. CPU time of all other threads is not
// sampled but read from the clocks (process less main thread), which is exact and does not depend on their
// signal masks. A clock of consumed CPU time is blind to waiting, and works in containers that deny
// perf_event_open.
//
// Read from the environment: CPU_SAMPLER_OUT, the file to write; without it the library does nothing.
//
// Never put it before a program built with -pg: that uses SIGPROF itself.
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace {

constexpr uint64_t kMost = uint64_t{1} << 24;  // samples that are kept: of 4 hours and more

uintptr_t* counters = nullptr;  // sampled program counters
std::atomic<uint64_t> samples{0};
std::atomic<bool> finished{false};
timer_t timer;
clockid_t main_clock;
pid_t owner = 0;
char out_path[4096];

/// Async-signal-safe: mapped memory only; errno is not touched.
void on_sample(int, siginfo_t*, void* context) {
  const uint64_t at = samples.fetch_add(1, std::memory_order_relaxed);
  if (at < kMost)
    counters[at] =
        static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

/// Writes where a program or library lies, how far that is from the addresses in its file, and its name,
/// which the program itself has not. `file`: the descriptor.
int write_object(dl_phdr_info* object, size_t, void* file) {
  unsigned long long begin = ~0ULL, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const unsigned long long from = object->dlpi_addr + part.p_vaddr;
    if (from < begin) begin = from;
    if (from + part.p_memsz > end) end = from + part.p_memsz;
  }
  const unsigned long long moved = object->dlpi_addr;
  return dprintf(*static_cast<int*>(file), "%llx %llx %llx %s\n", begin, end, moved, object->dlpi_name) > 0
             ? 0
             : 1;
}

/// Writes what was counted, once, whole or not at all.
void finish() {
  if (owner == 0 || getpid() != owner || finished.exchange(true)) return;
  timer_delete(timer);
  const uint64_t main_cpu = clock_ns(main_clock);
  const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  char temporary[sizeof out_path + 8];
  snprintf(temporary, sizeof temporary, "%s.part", out_path);
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  const uint64_t taken = samples.load(), kept = taken < kMost ? taken : kMost;
  bool ok = dprintf(fd, "cpu-sampler 4\nsamples %llu\nlost %llu\ncpu_ns %llu\nmain_cpu_ns %llu\npcs\n",
                    static_cast<unsigned long long>(taken), static_cast<unsigned long long>(taken - kept),
                    static_cast<unsigned long long>(cpu), static_cast<unsigned long long>(main_cpu)) > 0;
  for (uint64_t i = 0; i < kept && ok; ++i)
    ok = dprintf(fd, "%llx\n", static_cast<unsigned long long>(counters[i])) > 0;
  int file = fd;
  ok = ok && dprintf(fd, "objects\n") > 0 && dl_iterate_phdr(write_object, &file) == 0 &&
       dprintf(fd, "whole\n") > 0;
  ok = close(fd) == 0 && ok;
  if (ok)
    rename(temporary, out_path);
  else
    unlink(temporary);
}

__attribute__((constructor)) void start() {
  const char* out = getenv("CPU_SAMPLER_OUT");
  if (out == nullptr || *out == '\0' || strlen(out) >= sizeof out_path) return;
  memcpy(out_path, out, strlen(out) + 1);
  // Programs that this one starts are neither sampled nor write to our file.
  unsetenv("CPU_SAMPLER_OUT");
  unsetenv("LD_PRELOAD");

  void* memory = mmap(nullptr, kMost * sizeof *counters, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  counters = static_cast<uintptr_t*>(memory);
  if (pthread_getcpuclockid(pthread_self(), &main_clock) != 0) return;

  struct sigaction action {};
  action.sa_sigaction = on_sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(SIGPROF, &action, nullptr) != 0) return;

  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(main_clock, &event, &timer) != 0) return;
  itimerspec period{};
  period.it_interval.tv_nsec = 1000000;  // kernels round up to their tick
  period.it_value = period.it_interval;
  if (timer_settime(timer, 0, &period, nullptr) != 0) return;
  owner = getpid();
}

__attribute__((destructor)) void stop() { finish(); }

}  // namespace

/// Programs that leave without running destructors are written up too.
extern "C" __attribute__((visibility("default"), noreturn)) void _exit(int status) {
  finish();
  for (;;) syscall(SYS_exit_group, status);
}
extern "C" __attribute__((visibility("default"), noreturn)) void _Exit(int status) { _exit(status); }
