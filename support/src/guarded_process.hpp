// A child process behind a guard: see start_guarded().
#pragma once

#include <sys/types.h>

namespace support {

/// What the child is. Descriptors replace 0, 1 and 2; -1 leaves ours in place.
struct ChildStart {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* cwd;  ///< nullptr: the current folder
  int input, output, errors;
};

/// Starts a guard, which starts the child and waits for it; returns the guard's process id, or -1 with errno.
///
/// A process group does not hold all that a child starts: ninja gives each command a group of its own, and so
/// does this program when it is a step of a build. So the guard becomes the reaper of all descendants that
/// lose their parent (PR_SET_CHILD_SUBREAPER) and can find them all. When the child ends, the guard ends what
/// is left of them and exits with the child's status, 128 + signal where a signal ended it. When we die,
/// however that is, the guard gets a signal from the kernel (PR_SET_PDEATHSIG) and ends all of them.
///
/// The guard and the child form one process group, whose number is the guard's.
pid_t start_guarded(const ChildStart& child);

/// Asks the child's group to end (SIGTERM). May be called in a signal handler.
void ask_to_end(pid_t guard);

/// Makes the guard kill all descendants; it then exits.
void kill_guarded(pid_t guard);

}  // namespace support
