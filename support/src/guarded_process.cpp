// The guard of a child process. Between fork and exec only system calls are made: another thread may hold a
// lock.
#include "support/guarded_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "support/folder_lock.hpp"

namespace support {
namespace {

constexpr int kParentDied = SIGUSR1;  // also: kill_guarded()

/// Closes what the guard has no use for, pipe ends above all: an open end would keep a reader waiting.
/// Descriptors of locks stay open, so that a lock is free only when all that worked under it has ended.
void close_descriptors() {
  unsigned first = 3;
  for (;;) {
    const int lock = next_lock_descriptor(static_cast<int>(first));
    const unsigned last = lock < 0 ? ~0U : static_cast<unsigned>(lock) - 1;
    if (first <= last && syscall(SYS_close_range, first, last, 0) != 0)
      for (unsigned fd = first; fd <= last && fd < 4096; ++fd) close(static_cast<int>(fd));
    if (lock < 0) return;
    first = static_cast<unsigned>(lock) + 1;
  }
}

/// Kills children of this process, as many as one look shows; orphans of theirs become children in turn.
void kill_children() {
  char text[4096];  // numbers, each with a blank behind it
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t n = read(file, text, sizeof text);
  close(file);
  pid_t pid = 0;
  for (ssize_t i = 0; i < n; ++i) {
    if (text[i] != ' ') {
      pid = 10 * pid + (text[i] - '0');
      continue;
    }
    if (pid > 1) kill(pid, SIGKILL);
    pid = 0;
  }
}

void kill_descendants() {
  for (int status = 0;;) {
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended > 0) continue;
    if (ended < 0 && errno != EINTR) return;  // none is left
    kill_children();
    const timespec pause{0, 2000000};
    nanosleep(&pause, nullptr);
  }
}

[[noreturn]] void become_child(const ChildStart& child, const sigset_t& mask, pid_t guard) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(126);
  // Signals that the user had ignored (nohup) stay so; SIGPIPE is ignored by us alone.
  for (int s : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(s, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) signal(s, SIG_DFL);
  }
  for (int s : {SIGPIPE, SIGUSR1, SIGCHLD}) signal(s, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (child.input >= 0) dup2(child.input, 0);
  if (child.output >= 0) dup2(child.output, 1);
  if (child.errors >= 0) dup2(child.errors, 2);
  if (child.cwd != nullptr && chdir(child.cwd) != 0) _exit(kNoFolder);
  execve(child.program, child.argv, child.envp);
  _exit(kNoProgram);
}

[[noreturn]] void become_guard(const ChildStart& child, const sigset_t& mask, pid_t parent, int tell) {
  // All signals are blocked here: those that matter are waited for.
  setpgid(0, 0);
  prctl(PR_SET_NAME, "overlay-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, kParentDied);
  signal(SIGCHLD, SIG_DFL);
  signal(kParentDied, SIG_DFL);
  if (getppid() != parent) _exit(126);
  const pid_t guard = getpid();
  // vfork(2): no copy of the page tables, which are large where sanitizers are in. Signal handlers are not
  // shared.
  const pid_t pid = vfork();
  if (pid == 0) become_child(child, mask, guard);
  if (pid < 0) _exit(kNoFolder);
  while (write(tell, &pid, sizeof pid) < 0 && errno == EINTR) {
  }
  close_descriptors();
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, kParentDied);
  int result = 128 + SIGKILL;
  bool end_the_rest = true;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == pid) {
      result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      end_the_rest = !child.leave_descendants_running;
      break;
    }
    if (ended > 0) continue;
    if (sigwaitinfo(&awaited, nullptr) == kParentDied) break;
  }
  if (end_the_rest) kill_descendants();
  _exit(result);
}

}  // namespace

GuardedChild start_guarded(const ChildStart& child) {
  GuardedChild started;
  int told[2];
  if (pipe2(told, O_CLOEXEC) != 0) return started;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid();
  started.guard = fork();
  if (started.guard == 0) become_guard(child, before, parent, told[1]);
  const int error = errno;
  if (started.guard > 0) setpgid(started.guard, started.guard);
  close(told[1]);
  pid_t pid = 0;
  ssize_t n = -1;
  while (started.guard > 0 && (n = read(told[0], &pid, sizeof pid)) < 0 && errno == EINTR) {
  }
  if (n == sizeof pid) started.child = pid;
  close(told[0]);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return started;
}

void ask_to_end(pid_t guard) { kill(-guard, SIGTERM); }

void kill_guarded(pid_t guard) { kill(guard, kParentDied); }

}  // namespace support
