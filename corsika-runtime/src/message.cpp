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
  dev_t device;
  ino_t file;
} at_start;

// Before any file is opened: 101 is the first priority that is not the compiler's own.
[[gnu::constructor(101)]] void look_at_standard_streams() {
  struct stat error {};
  at_start.error_open = fstat(STDERR_FILENO, &error) == 0;
  at_start.device = error.st_dev;
  at_start.file = error.st_ino;
  at_start.all_open =
      at_start.error_open && fcntl(STDIN_FILENO, F_GETFD) != -1 && fcntl(STDOUT_FILENO, F_GETFD) != -1;
}

bool is_standard_error() {
  struct stat now {};
  return at_start.error_open && fstat(STDERR_FILENO, &now) == 0 &&
         (standard_error_may_be_replaced || (now.st_dev == at_start.device && now.st_ino == at_start.file));
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

// Broken pipe, file too large, and a terminal that belongs to another job.
constexpr int kSignals[] = {SIGPIPE, SIGXFSZ, SIGTTOU};

// While it lives, a write of this thread raises no signal.
class NoSignals {
 public:
  NoSignals() {
    sigset_t pending;
    sigpending(&pending);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigemptyset(&raised_);
    for (const int signal : kSignals) {
      sigaddset(&blocked, signal);
      if (sigismember(&pending, signal) == 0) sigaddset(&raised_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() {
    const timespec none{};
    while (sigtimedwait(&raised_, nullptr, &none) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{}, raised_{};
};

}  // namespace

void say(const char* format, ...) noexcept {
  const int error = errno;
  if (!is_standard_error()) {
    errno = error;
    return;
  }
  char line[1024];
  va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(line, sizeof(line) - 1, format, values);
  va_end(values);
  const auto size = static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof(line)) - 2));
  std::replace(line, line + size, '\n', ' ');
  line[size] = '\n';
  {
    const NoSignals none;
    write_all(line, size + 1);
  }
  errno = error;
}

void require_standard_streams() {
  if (!at_start.all_open)
    throw std::runtime_error(
        "standard input, output or error is closed; open it, for example with < /dev/null");
}

}  // namespace corsika_runtime
