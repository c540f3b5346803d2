// A machine with more processors than cpu_set_t holds, which is played by a sched_getaffinity of our own.
#include "support/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace {
bool large_machine = false;
}

/// Ahead of the C library's. The large machine's kernel counts 4096 processors, and we may use two of them.
extern "C" int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) noexcept {
  std::memset(set, 0, bytes);
  if (!large_machine) return syscall(SYS_sched_getaffinity, process, bytes, set) < 0 ? -1 : 0;
  if (bytes < 4096 / 8) {
    errno = EINVAL;
    return -1;
  }
  CPU_SET_S(7, bytes, set);
  CPU_SET_S(3000, bytes, set);
  return 0;
}

TEST(AllowedCores, AreFoundOnAMachineOfMoreThan1024) {
  large_machine = true;
  const std::vector<int> cores = support::allowed_cores();
  large_machine = false;
  EXPECT_EQ(cores, (std::vector<int>{7, 3000}));
}
