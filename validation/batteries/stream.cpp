// ranmar-stream: writes a subject of the batteries to standard output, as 32-bit words in the machine's byte
// order, for dieharder (-g 200), PractRand (RNG_test stdin32) and others. Writes no file.
#include <CLI/CLI.hpp>
#include <cerrno>
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
};

/// What happened to standard output; false where the reader has had enough.
bool is_written(bool good) {
  if (!good && errno != EPIPE)
    throw std::runtime_error(std::string("standard output cannot be written: ") + std::strerror(errno));
  return good;
}

void stream(const Options& options) {
  constexpr std::size_t kBlock = 1 << 14;
  const auto words = validation::open_subject(options.subject, options.seed, options.backend);
  std::vector<std::uint32_t> block(kBlock);
  std::uint64_t left = options.words;
  do {
    if (options.words != 0 && left < kBlock) block.resize(left);
    words(block);
    if (!is_written(std::fwrite(block.data(), 4, block.size(), stdout) == block.size())) return;
    left -= block.size();
  } while (options.words == 0 || left > 0);
  is_written(std::fflush(stdout) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{"Writes a subject of the batteries to standard output, as 32-bit words"};
  Options options;
  app.add_flag("--list", options.show_list, "Print the subjects");
  app.add_option("subject", options.subject, "One that --list prints");
  app.add_option("--seed", options.seed, "1 to 900000000")->capture_default_str();
  app.add_option("--words", options.words, "How many; 0: without end")->capture_default_str();
  app.add_option("--backend", options.backend, "simd or reference")->capture_default_str();
  try {
    app.parse(argc, argv);
    if (options.subject.empty() && !options.show_list)
      throw std::invalid_argument("a subject is missing; see --list");
    if (options.show_list) {
      for (const auto& subject : validation::subjects())
        std::printf("%s\t%s\t%s\n", subject.name.data(), subject.control ? "control" : "subject",
                    subject.what.data());
    } else {
      stream(options);
    }
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ranmar-stream: error: %s\n", problem.what());
    return 1;
  }
}
