#include "interference.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <set>

namespace sample {
namespace {

using Info = __ptrace_syscall_info;

bool changes_files(const Info& info) {
  static const std::set<long> always = {SYS_fchmod,   SYS_fchown,    SYS_fsync, SYS_rename,
                                        SYS_renameat, SYS_renameat2, SYS_link,  SYS_linkat,
                                        SYS_unlink,   SYS_unlinkat,  SYS_mkdir, SYS_mkdirat,
                                        SYS_openat,   SYS_open,      SYS_flock, SYS_ftruncate};
  const auto number = static_cast<long>(info.entry.nr);
  return always.contains(number) || (number == SYS_write && info.entry.args[0] > 2);
}

[[noreturn]] void be_traced(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 1);
  ::dup2(null, 2);
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the leak sanitizer does not work under ptrace
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(126);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

InterferedRun run_interfered(const std::vector<std::string>& command, const Interference& what) {
  InterferedRun run;
#if defined(__x86_64__)
  const pid_t child = ::fork();
  if (child == 0) be_traced(command);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return run;  // no ptrace here
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  run.traced = true;
  bool failing = false;
  int signal_number = 0;
  for (;;) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, signal_number);
    if (::waitpid(child, &status, 0) < 0) break;
    if (!WIFSTOPPED(status)) break;
    signal_number = 0;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
      continue;
    }
    Info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) continue;
    user_regs_struct registers{};
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files(info) && ++run.calls == what.nth) {
      run.hit = true;
      if (what.error == 0) {
        ::kill(child, SIGKILL);
        continue;
      }
      failing = true;
      ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
      registers.orig_rax = static_cast<unsigned long long>(-1);  // no such call: nothing is done
      ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && failing) {
      failing = false;
      ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
      registers.rax = static_cast<unsigned long long>(-static_cast<long long>(what.error));
      ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    }
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#else
  (void)command;
  (void)what;
#endif
  return run;
}

}  // namespace sample
