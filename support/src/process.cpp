// Runs other programs: starts them, feeds and reads their pipes in one poll loop, and ends them in time.
#include "support/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "support/error.hpp"
#include "support/guarded_process.hpp"

extern char** environ;

namespace support {
namespace {

using Clock = std::chrono::steady_clock;
using Answer = std::function<std::string(const std::string&)>;

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
  Descriptor descriptor(open(file.c_str(), how | O_CLOEXEC, 0644));
  if (descriptor.get() < 0)
    throw Error("cannot {} {}: {}", (how & O_ACCMODE) == O_RDONLY ? "read" : "write", file.string(),
                std::strerror(errno));
  return descriptor;
}

std::pair<Descriptor, Descriptor> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe: {}", std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Our end of a pipe must never make us wait: the other program may be waiting for us at its other pipe.
void never_wait(const Descriptor& end) {
  const int flags = fcntl(end.get(), F_GETFL);
  if (flags < 0 || fcntl(end.get(), F_SETFL, flags | O_NONBLOCK) != 0)
    throw Error("cannot set up a pipe: {}", std::strerror(errno));
}

/// One command from its start to its end.
class Execution {
 public:
  Execution(const Command& command, std::string marker, Answer answer)
      : command_(command), marker_(std::move(marker)), answer_(std::move(answer)), to_write_(command.input) {}

  CommandResult to_the_end(const std::filesystem::path& program) {
    start(program);
    while (!ended_) {
      wait_for_something();
      feed();
      read_output();
      look_at_limits();
      look_for_end();
    }
    running_guard = 0;
    read_output();  // all of what it left: nobody else writes any more
    if (failure_) std::rethrow_exception(failure_);
    check_interrupt();
    return std::move(result_);
  }

 private:
  void start(const std::filesystem::path& program) {
    auto words = command_.argv;
    auto argv = pointers(words);
    auto variables = merged_environment(command_.environment);
    auto envp = pointers(variables);
    Descriptor input, output, no_errors;
    if (!command_.input_file.empty())
      input = opened(command_.input_file, O_RDONLY);
    else
      std::tie(input, in_) = make_pipe();
    std::tie(out_, output) = make_pipe();
    if (!command_.log.empty()) log_ = opened(command_.log, O_WRONLY | O_CREAT | O_APPEND);
    if (command_.errors == Command::Errors::kDropped) no_errors = opened("/dev/null", O_WRONLY);
    never_wait(out_);
    if (in_.get() >= 0) never_wait(in_);
    if (!answer_ && to_write_.empty()) in_.reset();
    const int errors = command_.errors == Command::Errors::kWithOutput
                           ? output.get()
                           : no_errors.get();  // -1: passes through
    ChildStart child{};
    child.program = program.c_str();
    child.argv = argv.data();
    child.envp = envp.data();
    child.cwd = command_.cwd.empty() ? nullptr : command_.cwd.c_str();
    child.input = input.get();
    child.output = output.get();
    child.errors = errors;
    guard_ = start_guarded(child).guard;
    if (guard_ < 0) throw Error("cannot start a process: {}", std::strerror(errno));
    running_guard = guard_;
    end_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, guard_, 0)));
    started_ = Clock::now();
  }

  void wait_for_something() {
    const bool writing = in_.get() >= 0 && !to_write_.empty();
    pollfd fds[3] = {
        {out_.get(), POLLIN, 0}, {writing ? in_.get() : -1, POLLOUT, 0}, {end_.get(), POLLIN, 0}};
    poll(fds, 3, end_.get() >= 0 ? kLook_ms : kLook_ms / 10);
  }

  void feed() {
    if (in_.get() < 0) return;
    while (written_ < to_write_.size()) {
      const ssize_t n = write(in_.get(), to_write_.data() + written_, to_write_.size() - written_);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno != EAGAIN) in_.reset();  // it reads no more
      if (n < 0) return;
      written_ += static_cast<std::size_t>(n);
    }
    to_write_.clear();
    written_ = 0;
    if (!answer_) in_.reset();
  }

  void read_output() {
    char buffer[65536];
    while (out_.get() >= 0) {
      const ssize_t n = read(out_.get(), buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) {
        out_.reset();  // it writes no more, and may still run
        return;
      }
      take(std::string_view(buffer, static_cast<std::size_t>(n)));
    }
  }

  void take(std::string_view text) {
    if (log_.get() < 0) result_.output += text;
    for (std::string_view rest = text; log_.get() >= 0 && !rest.empty();) {
      const ssize_t n = write(log_.get(), rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        fail(std::make_exception_ptr(
            Error("cannot write {}: {}", command_.log.string(), std::strerror(errno))));
        log_.reset();
        return;
      }
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    if (!answer_ || failure_) return;
    said_ += text;
    for (auto at = said_.find(marker_); at != std::string::npos; at = said_.find(marker_)) {
      try {
        to_write_ += answer_(said_.substr(0, at));
      } catch (...) {
        fail(std::current_exception());
        return;
      }
      said_.erase(0, at + marker_.size());
    }
  }

  void fail(std::exception_ptr problem) {
    failure_ = std::move(problem);
    end_child();
  }

  void end_child() {
    if (asked_to_end_) return;
    ask_to_end(guard_);
    asked_to_end_ = Clock::now();
  }

  void look_at_limits() {
    if (interrupted) end_child();
    const auto now = Clock::now();
    if (command_.timeout.count() > 0 && now - started_ > command_.timeout && !result_.timed_out) {
      result_.timed_out = true;
      end_child();
    }
    if (asked_to_end_ && now - *asked_to_end_ > kGrace) kill_guarded(guard_);
  }

  void look_for_end() {
    int status = 0;
    if (waitpid(guard_, &status, WNOHANG) != guard_) return;
    ended_ = true;
    result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const Command& command_;
  const std::string marker_;
  const Answer answer_;
  std::string to_write_;     // to its standard input
  std::size_t written_ = 0;  // of it
  std::string said_;         // since the last marker
  Descriptor in_, out_, log_, end_;
  pid_t guard_ = 0;
  Clock::time_point started_{};
  std::optional<Clock::time_point> asked_to_end_;
  std::exception_ptr failure_;
  bool ended_ = false;
  CommandResult result_;
};

}  // namespace

CommandResult converse(const Command& command, const std::string& marker, const Answer& answer) {
  check_interrupt();
  signal(SIGPIPE, SIG_IGN);  // a program that does not read its input to the end is no error
  const auto program = find_program(command.argv.at(0));
  if (!program) return {127, false, command.argv.at(0) + ": not found\n"};
  return Execution(command, marker, answer).to_the_end(*program);
}

CommandResult run(const Command& command) { return converse(command, "", nullptr); }

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

}  // namespace support
