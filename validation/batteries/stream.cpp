// ranmar-stream: writes a subject of the batteries to standard output, as 32-bit words in the machine's byte
// order, for dieharder (-g 200), PractRand (RNG_test stdin32) and others. Writes no file.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "subjects.hpp"
#include "support/command_line.hpp"

namespace {

/// Writes the stream until the reader has had enough.
void stream(validation::Words words) {
  std::vector<std::uint32_t> block(1 << 14);
  do {
    std::ranges::generate(block, std::ref(words));
  } while (std::fwrite(block.data(), 4, block.size(), stdout) == block.size());
  if (errno != EPIPE)
    throw std::runtime_error(std::string("standard output cannot be written: ") + std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) try {
  std::signal(SIGPIPE, SIG_IGN);
  std::string subject;
  std::int32_t seed = 12345;
  support::read_options(argc, argv,
                        "Writes a subject of the batteries to standard output, as 32-bit words without end",
                        {{"subject", &subject, "which one"}, {"--seed", &seed, "1 to 900000000"}});
  stream(validation::open_subject(subject, seed));
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "ranmar-stream: error: %s\n", problem.what());
  return 1;
}
