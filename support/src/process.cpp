// Runs other programs: starts them, with files in memory as input and output, and ends them in time.
#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "support/error.hpp"
#include "support/guarded_process.hpp"

extern char** environ;

namespace support {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(3);  // between asking a program to end and killing it
constexpr int kLook_ms = 200;                     // longest wait before interrupts and limits are looked at

std::atomic<int> interrupted{0};
std::atomic<pid_t> running_guard{0};

extern "C" void on_interrupt(int signal_number) {
  const int error = errno;  // of the system call that was interrupted
  interrupted = signal_number;
  const pid_t guard = running_guard;
  if (guard > 0) ask_to_end(guard);
  errno = error;
}

std::vector<std::string> merged_environment(std::map<std::string, std::string> extra) {
  extra.emplace("LC_ALL", "C");
  std::vector<std::string> result;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry = *e;
    if (!extra.contains(entry.substr(0, entry.find('=')))) result.push_back(entry);
  }
  for (const auto& [name, value] : extra) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Descriptor opened(const std::filesystem::path& file, int how) {
  Descriptor descriptor(open(file.c_str(), how | O_CLOEXEC, 0666));
  if (descriptor.get() < 0)
    throw Error("cannot {} {}: {}", (how & O_ACCMODE) == O_RDONLY ? "read" : "write", file.string(),
                std::strerror(errno));
  return descriptor;
}

/// A file in memory that holds `text`, to be read from its start or written behind its end.
Descriptor memory_file(const std::string& text) {
  Descriptor file(memfd_create("overlay", MFD_CLOEXEC));
  const bool written =
      file.get() >= 0 && pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!written) throw Error("cannot make a file in memory: {}", std::strerror(errno));
  return file;
}

std::string all_of(const Descriptor& file) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, lseek(file.get(), 0, SEEK_END))), '\0');
  std::size_t size = 0;
  for (ssize_t n = 1; n > 0 && size < text.size(); size += static_cast<std::size_t>(n))
    n = std::max<ssize_t>(
        0, pread(file.get(), text.data() + size, text.size() - size, static_cast<off_t>(size)));
  text.resize(size);
  return text;
}

GuardedChild start(const Command& command, const std::filesystem::path& program, const Descriptor& output) {
  auto words = command.argv;
  auto argv = pointers(words);
  auto variables = command.variables ? *command.variables : merged_environment(command.environment);
  auto envp = pointers(variables);
  const Descriptor input =
      command.input_file.empty() ? memory_file(command.input) : opened(command.input_file, O_RDONLY);
  Descriptor errors;
  if (!command.errors_file.empty())
    errors = opened(command.errors_file, O_WRONLY | O_CREAT | O_TRUNC);
  else if (command.errors == Command::Errors::kDropped)
    errors = opened("/dev/null", O_WRONLY);
  const bool with_output = command.errors == Command::Errors::kWithOutput && command.errors_file.empty();
  ChildStart child{};
  child.program = program.c_str();
  child.argv = argv.data();
  child.envp = envp.data();
  child.cwd = command.cwd.empty() ? nullptr : command.cwd.c_str();
  child.input = input.get();
  child.output = output.get();
  child.errors = with_output ? output.get() : errors.get();  // -1: passes through
  child.leave_descendants_running = command.leave_descendants_running;
  const auto started = start_guarded(child);
  if (started.guard < 0) throw Error("cannot start a process: {}", std::strerror(errno));
  return started;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Waits until a program has ended, and ends it where it is out of time or the user asks for it.
void wait_for(const GuardedChild& started, const Command& command, CommandResult& result) {
  const pid_t guard = started.guard;
  const auto began = Clock::now();
  std::optional<Clock::time_point> asked_to_end;
  const Descriptor end(static_cast<int>(syscall(SYS_pidfd_open, guard, 0)));
  for (int status = 0;;) {
    int look_ms = kLook_ms;
    try {
      if (command.meanwhile) command.meanwhile();
      if (command.watch) look_ms = command.watch(started.child);
    } catch (...) {
      if (!command.leave_descendants_running) running_guard = 0;
      kill_guarded(guard);
      while (waitpid(guard, &status, 0) < 0 && errno == EINTR) {
      }
      throw;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(began + command.timeout - Clock::now());
    if (command.timeout.count() > 0 && !asked_to_end)
      look_ms = static_cast<int>(std::clamp<long>(left.count() + 1, 0, look_ms));
    pollfd ended{end.get(), POLLIN, 0};
    poll(&ended, 1, end.get() >= 0 ? look_ms : std::min(look_ms, kLook_ms / 10));
    rusage usage{};
    if (wait4(guard, &status, WNOHANG, &usage) == guard) {
      result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      result.user_s = seconds(usage.ru_utime);
      result.system_s = seconds(usage.ru_stime);
      result.peak_rss_kib = usage.ru_maxrss;
      return;
    }
    const auto now = Clock::now();
    if (command.timeout.count() > 0 && now - began > command.timeout) result.timed_out = true;
    if ((interrupted || result.timed_out) && !asked_to_end) {
      command.leave_descendants_running ? kill_guarded(guard) : ask_to_end(guard);
      asked_to_end = now;
    }
    if (asked_to_end && now - *asked_to_end > kGrace) kill_guarded(guard);
  }
}

}  // namespace

CommandResult run(const Command& command) {
  check_interrupt();
  const auto program = find_program(command.program.empty() ? command.argv.at(0) : command.program.string());
  if (!program) return {127, false, command.argv.at(0) + ": not found\n"};
  const bool logged = !command.log.empty();
  const Descriptor output = logged ? opened(command.log, O_WRONLY | O_CREAT | O_APPEND) : memory_file("");
  if (!logged) fcntl(output.get(), F_SETFL, O_APPEND);  // for those that open /dev/stdout
  CommandResult result;
  const auto started = start(command, *program, output);
  if (!command.leave_descendants_running) running_guard = started.guard;
  wait_for(started, command, result);
  running_guard = 0;
  if (!logged) result.output = all_of(output);
  check_interrupt();
  return result;
}

CommandResult run_tool(const std::vector<std::string>& argv, const std::filesystem::path& input_file) {
  Command command{argv};
  command.input_file = input_file;
  command.errors = Command::Errors::kDropped;
  auto result = run(command);
  if (result.status == 127) result.output.clear();
  return result;
}

void open_standard_descriptors() {
  // open() gives the lowest number that is free.
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd) return;
}

void install_interrupt_handlers() {
  for (int s : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(s, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;  // nohup
    action = {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(s, &action, nullptr);
  }
}

void check_interrupt() {
  if (interrupted) throw Interrupted();
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  auto runnable = [](const std::filesystem::path& p) {
    std::error_code error;
    return std::filesystem::is_regular_file(p, error) && access(p.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    if (runnable(name)) return std::filesystem::path(name);
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::stringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (runnable(candidate)) return candidate;
  }
  return std::nullopt;
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream in(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace support
