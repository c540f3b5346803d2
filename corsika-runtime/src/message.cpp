#include "corsika_runtime/message.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace corsika_runtime {

bool standard_error_may_be_replaced = false;

namespace {

constexpr int kLongest_ms = 1000;

// At the start of the program.
struct {
  bool all_open, error_open;
  struct stat error;
} at_start;

// Before any file is opened: 101 is the first priority that is not the compiler's own.
[[gnu::constructor(101)]] void look_at_standard_streams() {
  at_start.error_open = fstat(STDERR_FILENO, &at_start.error) == 0;
  at_start.all_open =
      at_start.error_open && fcntl(STDIN_FILENO, F_GETFD) != -1 && fcntl(STDOUT_FILENO, F_GETFD) != -1;
}

bool is_standard_error() {
  struct stat now {};
  return at_start.error_open && fstat(STDERR_FILENO, &now) == 0 &&
         (standard_error_may_be_replaced ||
          (now.st_dev == at_start.error.st_dev && now.st_ino == at_start.error.st_ino));
}

void write_all(const char* text, std::size_t size) {
  pollfd error{STDERR_FILENO, POLLOUT, 0};
  if (poll(&error, 1, kLongest_ms) != 1) return;
  while (size > 0) {
    const ssize_t written = write(STDERR_FILENO, text, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

// The same, and what goes wrong raises no signal of this thread.
void write_without_signals(const char* text, std::size_t size) {
  sigset_t pending, blocked, raised, before;
  sigpending(&pending);
  sigemptyset(&blocked);
  sigemptyset(&raised);
  // Broken pipe, file too large, and a terminal that belongs to another job.
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTTOU}) {
    sigaddset(&blocked, signal);
    if (sigismember(&pending, signal) == 0) sigaddset(&raised, signal);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  write_all(text, size);
  const timespec none{};
  while (sigtimedwait(&raised, nullptr, &none) > 0 || errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void say(const char* format, ...) noexcept {
  const int error = errno;
  char line[1024];
  va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(line, sizeof(line) - 1, format, values);
  va_end(values);
  const auto size = static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof(line)) - 2));
  std::replace(line, line + size, '\n', ' ');
  line[size] = '\n';
  if (is_standard_error()) write_without_signals(line, size + 1);
  errno = error;
}

void require_standard_streams() {
  if (!at_start.all_open)
    throw std::runtime_error(
        "standard input, output or error is closed; open it, for example with < /dev/null");
}

}  // namespace corsika_runtime
