// A child process behind a guard: see start_guarded().
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace support {

/// What the child is.
struct ChildStart {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* cwd = nullptr;                 ///< nullptr: the current folder
  int input = -1, output = -1, errors = -1;  ///< descriptors that replace 0, 1 and 2; -1 leaves ours in place
  bool leave_descendants_running = false;    ///< when the child has ended; else the guard ends them
};

/// The two processes; -1 where there is none.
struct GuardedChild {
  pid_t guard = -1, child = -1;
};

/// Exit statuses of a child that could not be started as asked.
enum ChildFailure : int { kNoFolder = 126, kNoProgram = 127 };

/// Starts a guard, which starts the child and waits for it. Where there is no guard, errno says why; where
/// there is no child, the guard ends at once.
///
/// A process group does not hold all that a child starts: ninja gives each command a group of its own, and so
/// does this program when it is a step of a build. So the guard becomes the reaper of all descendants that
/// lose their parent (PR_SET_CHILD_SUBREAPER) and can find them all. When the child ends, the guard ends what
/// is left of them, unless leave_descendants_running is set. It exits with the child's status, or 128 +
/// signal where a signal ended the child. wait4() of the guard gives the CPU time of the child and of all
/// descendants that were waited for, and the largest memory of one of them. When we die, however that is, the
/// guard gets a signal from the kernel (PR_SET_PDEATHSIG) and ends all of them.
///
/// The guard and the child form one process group. Its ID is the guard's process ID.
GuardedChild start_guarded(const ChildStart& child);

/// Asks the child's group to end (SIGTERM). May be called in a signal handler.
void ask_to_end(pid_t guard);

/// Makes the guard kill all descendants; it then exits.
void kill_guarded(pid_t guard);

}  // namespace support
