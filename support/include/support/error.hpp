// The errors that the programs print for their users. Touches nothing.
#pragma once

#include <stdexcept>
#include <string>

namespace support {

/// Something that the user can put right. The message is one line that says what is wrong and what to do;
/// the program prints it as `overlay: error: MESSAGE` and ends with exit status 1.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// The user pressed Ctrl-C, or the program got a signal to end. Exit status 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted; nothing half-written was kept, run the same command again to go on") {}
};

}  // namespace support
