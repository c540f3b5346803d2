// What is said of this machine, held against /proc; and a machine with more processors than cpu_set_t holds,
// which is played by a sched_getaffinity of our own.
#include "support/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

namespace {
bool large_machine = false;
}

/// Ahead of the C library's. The large machine's kernel counts 4096 processors, and we may use two of them.
extern "C" int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) noexcept {
  if (!large_machine) {
    std::memset(set, 0, bytes);
    return syscall(SYS_sched_getaffinity, process, bytes, set) < 0 ? -1 : 0;
  }
  if (bytes < 4096 / 8) {
    errno = EINVAL;
    return -1;
  }
  std::memset(set, 0, bytes);
  CPU_SET_S(7, bytes, set);
  CPU_SET_S(3000, bytes, set);
  return 0;
}

namespace support {
namespace {

/// "0-2,5" as /proc writes it.
std::string as_in_proc(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t first = 0, last; first < cores.size(); first = last + 1) {
    for (last = first; last + 1 < cores.size() && cores[last + 1] == cores[last] + 1;) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cores[first]);
    if (last > first) text += "-" + std::to_string(cores[last]);
  }
  return text;
}

TEST(AllowedCores, AreThoseOfProc) {
  std::ifstream in("/proc/self/status");
  std::string line, listed;
  while (std::getline(in, line))
    if (line.starts_with("Cpus_allowed_list:")) listed = line.substr(line.find_last_of("\t ") + 1);
  EXPECT_EQ(as_in_proc(allowed_cores()), listed);
}

TEST(AllowedCores, AreFoundOnAMachineOfMoreThan1024) {
  large_machine = true;
  const std::vector<int> cores = allowed_cores();
  large_machine = false;
  EXPECT_EQ(cores, (std::vector<int>{7, 3000}));
}

}  // namespace
}  // namespace support
