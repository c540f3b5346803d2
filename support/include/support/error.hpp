// The errors that the programs print for their users. Touches nothing.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace support {

/// A text with blanks for control characters: names and lines of users' files, which messages repeat, may
/// hold any.
inline std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

/// Something that the user can put right. The message is one line, whatever it is made of, that says what is
/// wrong and what to do; the program prints it as `PROGRAM: error: MESSAGE`. Exit status 1, others in derived
/// classes.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(one_line(message)) {}
  /// The message as fmt::format() makes it.
  template <class First, class... Rest>
  explicit Error(fmt::format_string<First, Rest...> form, First&& first, Rest&&... rest)
      : Error(fmt::format(form, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// The user pressed Ctrl-C, or the program got a signal to end. Exit status 130. No Error: what goes on after
/// one ends here.
class Interrupted : public std::runtime_error {
 public:
  Interrupted()
      : std::runtime_error(
            "interrupted; nothing half-written was kept, run the same command again to go on") {}
};

}  // namespace support
