// What has CORSIKA's name in an installation: reads the card, and becomes the flat or the curved program
// beside it, by the card's zenith angle. With --keep-light it also stands before the command that gets the
// light, and keeps that compressed. Writes that file alone.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>

#include "overlay/build/install.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/identity/output_blocks.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCurvedFromVariable = "CORSIKA_CURVED_FROM";
constexpr const char* kKeptFile = "CORSIKA_KEEP_LIGHT";  // for the process before the command
constexpr const char* kBeforeCommand = "--before-command";
constexpr std::size_t kLongestLine = 511;  // of a card

fs::path this_file() { return fs::read_symlink("/proc/self/exe"); }

[[noreturn]] void throw_errno(const std::string& what) {
  throw support::Error("{}: {}", what, std::strerror(errno));
}

/// Reads up to 1 MiB; nothing at the end.
std::string_view read_piece(int from) {
  static std::string piece(std::size_t{1} << 20, '\0');
  ssize_t got = 0;
  while ((got = read(from, piece.data(), piece.size())) < 0 && errno == EINTR) support::check_interrupt();
  if (got < 0) throw_errno("cannot read standard input");
  return {piece.data(), static_cast<std::size_t>(got)};
}

/// False where that cannot be: nobody reads any more.
bool write_all(std::FILE* to, std::string_view bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), to) == bytes.size() && std::fflush(to) == 0;
  support::check_interrupt();
  return written;
}

/// Standard input up to the line EXIT, which ends a card: whoever gives it may keep the pipe open.
std::string read_card() {
  static const std::regex last("(^|\n)exit", std::regex::icase);
  std::string card;
  for (;;) {
    const auto piece = read_piece(0);
    if (piece.empty()) return card;
    card += piece;
    if (std::regex_search(card, last)) return card;
  }
}

/// The largest zenith angle of the card, in degrees.
double zenith_of(const Card& card) {
  const auto angle = [&](int word) { return card_real(card.word("THETAP", word)).value_or(0); };
  return std::max({0., angle(1), angle(2)});
}

/// The zenith angle from which on the curved program is taken.
double curved_from() {
  const char* given = std::getenv(kCurvedFromVariable);
  if (given == nullptr) return kCurvedFrom;
  if (const auto degrees = card_real(given)) return *degrees;
  throw support::Error("{} cannot be '{}'; give a zenith angle in degrees", kCurvedFromVariable, given);
}

/// The card with this program before TELFIL's command.
std::string keeping_card(const std::string& card, const fs::path& file) {
  std::error_code error;
  if (!telescope_command(Card(card)))
    throw support::Error("--keep-light is for a card whose TELFIL names a command, '|program'; leave it out");
  if (fs::exists(fs::symlink_status(file, error)))
    throw support::Error("{} is there already; give --keep-light another file", file.string());
  const std::string self = this_file().string();
  if (!std::regex_match(self, std::regex("[/A-Za-z0-9._+,=@-]*")))
    throw support::Error(
        "a card cannot hold the path '{}'; move the folder to one of letters, digits and . _ - + , = @",
        self);
  const auto kept = card_with_command_behind(card, self + " " + kBeforeCommand);
  for (const auto& line : support::split(kept))
    if (line.size() > kLongestLine)
      throw support::Error("TELFIL is too long with {} in it; move this folder to a shorter path", self);
  setenv(kKeptFile, file.c_str(), 1);
  return kept;
}

[[noreturn]] void become(const fs::path& program, char** argv, const std::string& card) {
  std::FILE* const input = fdopen(memfd_create("card", 0), "w");
  if (input == nullptr || !write_all(input, card) || dup2(fileno(input), 0) != 0 ||
      lseek(0, 0, SEEK_SET) != 0)
    throw_errno("cannot hand on the card");
  std::fclose(input);
  const std::string name = program.string();
  argv[0] = const_cast<char*>(name.c_str());
  execv(argv[0], argv);
  throw_errno("cannot start " + name);
}

/// Takes our own option out of argv, and becomes CORSIKA.
[[noreturn]] void launch(char** argv) {
  std::optional<fs::path> kept;
  if (argv[1] != nullptr && std::string_view(argv[1]) == "--keep-light") {
    if (argv[2] == nullptr) throw support::Error("--keep-light needs the name of a file, such as light.zst");
    kept = argv[2];
    argv += 2;
  }
  const auto flat = fs::path(this_file()) += kFlat, curved = fs::path(this_file()) += kCurved;
  const double limit = curved_from();
  auto card = read_card();
  const bool take_curved = !fs::exists(flat) || (fs::exists(curved) && zenith_of(Card(card)) >= limit);
  if (kept) card = keeping_card(card, *kept);
  become(take_curved ? curved : flat, argv, card);
}

/// Whether light that ends so is that of a whole run: with the block that ends one.
bool ends_a_run(std::string_view tail) {
  for (std::size_t at = 0; at < tail.size(); ++at) {
    const auto rest = tail.substr(at);
    if (form_of(rest) == FileForm::other || form_of(rest) == FileForm::particle) continue;
    if (const auto blocks = blocks_of(rest); blocks.run_ends > 0 && blocks.walked == rest.size()) return true;
  }
  return false;
}

/// The file that light is kept in. It has another name until it is whole. Where it cannot be written a line
/// says so, and the light goes on to the command.
class KeptLight {
 public:
  explicit KeptLight(const fs::path& file) : file_(file), part_(fs::path(file) += ".part") {
    write([&] { packed_.emplace(part_); });
  }
  ~KeptLight() { give_up(); }
  void add(std::string_view bytes) {
    write([&] { packed_->add(bytes); });
    constexpr std::size_t kTail = 4096;  // the end of a run takes some 30 bytes
    tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
    tail_.erase(0, tail_.size() - std::min(tail_.size(), kTail));
  }
  /// Gives the file its name; false where it has none.
  bool finish() {
    write([&] {
      if (!ends_a_run(tail_)) throw support::Error("the light ended before the run did");
      packed_->finish();
      if (link(part_.c_str(), file_.c_str()) != 0) throw_errno("it cannot get its name");
    });
    return packed_.has_value();
  }

 private:
  void write(const auto& step) try {
    if (!failed_) step();
  } catch (const support::Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "overlay: error: the light is not kept in {}: {}\n", file_.string(), problem.what());
    failed_ = true;
    give_up();
  }
  void give_up() {
    std::error_code error;
    if (packed_) fs::remove(part_, error);
    packed_.reset();
  }

  fs::path file_, part_;
  std::optional<PackedFile> packed_;
  bool failed_ = false;
  std::string tail_;
};

/// Hands the light on to the command, and keeps it. Returns the command's status, 1 where the light is not
/// kept.
int keep_light(const fs::path& file, char** command) {
  unsetenv(kKeptFile);
  std::vector<std::string> words{"exec"};
  while (*command != nullptr) words.emplace_back(*command++);
  std::FILE* const to = popen(shell_line(words).c_str(), "we");
  if (to == nullptr) throw_errno("cannot start a process");
  support::install_interrupt_handlers();
  std::signal(SIGPIPE, SIG_IGN);
  KeptLight kept(file);
  bool read_all = false;
  for (;;) {
    const auto piece = read_piece(0);
    read_all = piece.empty();
    if (read_all || !write_all(to, piece)) break;
    kept.add(piece);
  }
  const bool is_kept = read_all && kept.finish();
  const int status = pclose(to);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code != 0 ? code : is_kept ? 0 : 1;
}

}  // namespace
}  // namespace overlay

int main(int argc, char** argv) try {
  const char* kept = std::getenv(overlay::kKeptFile);
  if (argc > 2 && kept != nullptr && std::string_view(argv[1]) == overlay::kBeforeCommand)
    return overlay::keep_light(kept, argv + 2);
  overlay::launch(argv);
} catch (const std::exception& problem) {
  fmt::print(stderr, "overlay: error: {}\n", problem.what());
  return 1;
}
