// ranmar-stream: writes a subject of the batteries to standard output, as 32-bit words in the machine's byte
// order, for dieharder (-g 200), PractRand (RNG_test stdin32) and others. Writes no file.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "subjects.hpp"

namespace {

struct Options {
  std::string subject;
  std::string backend = "simd";
  std::int32_t seed = 12345;
  std::uint64_t words = 0;  // 0: without end
  bool show_list = false;
  bool show_help = false;
};

template <class Number>
Number number_of(std::string_view option, std::string_view text) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size())
    throw std::invalid_argument(std::string(option) + " cannot be " + std::string(text) +
                                "; give a whole number");
  return value;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] {
      if (i + 1 == argc) throw std::invalid_argument(std::string(word) + " needs a value; see --help");
      return std::string_view(argv[++i]);
    };
    if (word == "--help" || word == "-h")
      options.show_help = true;
    else if (word == "--list")
      options.show_list = true;
    else if (word == "--seed")
      options.seed = number_of<std::int32_t>(word, value());
    else if (word == "--words")
      options.words = number_of<std::uint64_t>(word, value());
    else if (word == "--backend")
      options.backend = value();
    else if (word.starts_with("-") || !options.subject.empty())
      throw std::invalid_argument(std::string(word) + " is not known; see --help");
    else
      options.subject = word;
  }
  if (options.subject.empty() && !options.show_list && !options.show_help)
    throw std::invalid_argument("a subject is missing; see --list");
  return options;
}

/// False where the reader has had enough.
bool write_all(const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const auto written = ::write(STDOUT_FILENO, from, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0)
      throw std::runtime_error(std::string("standard output cannot be written: ") + std::strerror(errno));
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

void stream(const Options& options) {
  constexpr std::size_t kBlock = 1 << 14;
  const auto words = validation::open_subject(options.subject, options.seed, options.backend);
  std::vector<std::uint32_t> block(kBlock);
  std::uint64_t left = options.words;
  do {
    if (options.words != 0 && left < kBlock) block.resize(left);
    words(block);
    if (!write_all(reinterpret_cast<const char*>(block.data()), 4 * block.size())) return;
    left -= block.size();
  } while (options.words == 0 || left > 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto options = read_options(argc, argv);
    if (options.show_help) {
      std::puts(
          "usage: ranmar-stream SUBJECT [--seed N] [--words N] [--backend simd|reference]\n"
          "Writes 32-bit words to standard output, without end unless --words is given. --list prints the "
          "subjects.");
    } else if (options.show_list) {
      for (const auto& subject : validation::subjects())
        std::printf("%s\t%s\t%s\n", subject.name.data(), subject.control ? "control" : "subject",
                    subject.what.data());
    } else {
      stream(options);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ranmar-stream: error: %s\n", problem.what());
    return 1;
  }
}
