// output [MESSAGES]: plays CORSIKA: opens a file, says so many lines on the way, and writes it through. Fails
// where a write fails.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "corsika_runtime/message.hpp"

int main(int argc, char** argv) {
  const int file = open("output", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int line = argc > 1 ? std::atoi(argv[1]) : 0; line > 0; --line)
    corsika_runtime::say("part: line %d%s", line, "\nof two");
  try {
    corsika_runtime::require_standard_streams();
  } catch (const std::exception&) {
    return write(file, "closed\n", 7) == 7 ? 0 : 1;
  }
  return write(file, "all open\n", 9) == 9 ? 0 : 1;
}
