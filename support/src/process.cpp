#include "support/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "support/error.hpp"

extern char** environ;

namespace support {
namespace {

std::atomic<int> interrupted{0};
std::atomic<pid_t> child_group{0};

extern "C" void on_interrupt(int signal_number) {
  interrupted = signal_number;
  const pid_t group = child_group;
  if (group > 0) kill(-group, SIGTERM);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
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

std::pair<Descriptor, Descriptor> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

CommandResult execute(const Command& command, const std::string& marker,
                      const std::function<std::string(const std::string&)>& answer) {
  check_interrupt();
  auto words = command.argv;
  auto argv = pointers(words);
  auto variables = merged_environment(command.environment);
  auto envp = pointers(variables);
  const auto program = find_program(command.argv.at(0));
  if (!program) return {127, false, command.argv.at(0) + ": not found\n"};
  const std::string path = program->string();

  auto [in_read, in_write] = make_pipe();
  auto [out_read, out_write] = make_pipe();
  Descriptor log;
  if (!command.log.empty()) {
    log = Descriptor(open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (log.get() < 0) throw Error("cannot write " + command.log.string() + ": " + std::strerror(errno));
  }
  const pid_t pid = fork();
  if (pid < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (pid == 0) {
    setpgid(0, 0);
    for (int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(s, SIG_DFL);
    dup2(in_read.get(), 0);
    dup2(out_write.get(), 1);
    if (!command.separate_errors) dup2(out_write.get(), 2);
    if (!command.cwd.empty() && chdir(command.cwd.c_str()) != 0) _exit(126);
    execve(path.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  setpgid(pid, pid);
  child_group = pid;
  if (interrupted) kill(-pid, SIGTERM);
  in_read.reset();
  out_write.reset();

  CommandResult result;
  std::string pending_input = command.input;
  const bool talking = static_cast<bool>(answer);
  if (!talking && pending_input.empty()) in_write.reset();
  std::string segment;  // since the last marker
  const auto deadline = std::chrono::steady_clock::now() + command.timeout;
  std::exception_ptr failure;
  std::optional<std::chrono::steady_clock::time_point> told_to_end;
  auto end_child = [&] {
    if (told_to_end) return;
    kill(-pid, SIGTERM);
    told_to_end = std::chrono::steady_clock::now();
  };
  char buffer[65536];
  bool output_open = true;
  while (output_open) {
    pollfd fds[2] = {{out_read.get(), POLLIN, 0}, {in_write.get(), POLLOUT, 0}};
    const bool want_write = in_write.get() >= 0 && !pending_input.empty();
    const int ready = poll(fds, want_write ? 2 : 1, 200);
    if (interrupted) end_child();
    if (command.timeout.count() > 0 && std::chrono::steady_clock::now() > deadline && !result.timed_out) {
      result.timed_out = true;
      end_child();
    }
    if (told_to_end && std::chrono::steady_clock::now() - *told_to_end > std::chrono::seconds(3)) {
      kill(-pid, SIGKILL);
      break;
    }
    if (ready <= 0) continue;
    if (want_write && (fds[1].revents & (POLLOUT | POLLERR)) != 0) {
      const ssize_t n = write(in_write.get(), pending_input.data(), pending_input.size());
      if (n > 0) pending_input.erase(0, static_cast<std::size_t>(n));
      if (n < 0 && errno != EINTR) in_write.reset();
      if (!talking && pending_input.empty()) in_write.reset();
    }
    if ((fds[0].revents & (POLLIN | POLLHUP)) == 0) continue;
    const ssize_t n = read(out_read.get(), buffer, sizeof buffer);
    if (n == 0) output_open = false;
    if (n <= 0) continue;
    const std::string_view text(buffer, static_cast<std::size_t>(n));
    if (log.get() >= 0) {
      std::string_view rest = text;
      while (!rest.empty()) {
        const ssize_t w = write(log.get(), rest.data(), rest.size());
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(w));
      }
    } else {
      result.output += text;
    }
    if (!talking || failure) continue;
    segment += text;
    for (auto at = segment.find(marker); at != std::string::npos; at = segment.find(marker)) {
      try {
        pending_input += answer(segment.substr(0, at));
      } catch (...) {
        failure = std::current_exception();
        end_child();
        break;
      }
      segment.erase(0, at + marker.size());
    }
  }
  in_write.reset();
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    if (interrupted) kill(-pid, SIGTERM);
  }
  child_group = 0;
  if (told_to_end) kill(-pid, SIGKILL);
  if (failure) std::rethrow_exception(failure);
  check_interrupt();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace

CommandResult run(const Command& command) { return execute(command, "", nullptr); }

CommandResult converse(const Command& command, const std::string& marker,
                       const std::function<std::string(const std::string&)>& answer) {
  return execute(command, marker, answer);
}

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaction(s, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
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

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) throw Error("cannot read " + file.string() + ": does it exist, and may you read it?");
  return text.str();
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error)) {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream old;
    old << stream.rdbuf();
    if (stream && old.str() == text) return;
  }
  auto temporary = file;
  temporary += "." + std::to_string(getpid()) + ".tmp";
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) std::filesystem::rename(temporary, file, error);
  if (!stream || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error("cannot write " + file.string() +
                ": is there space, and may you write there? (--out DIR goes elsewhere)");
  }
}

}  // namespace support
