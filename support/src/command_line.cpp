#include "support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <type_traits>

#include "support/error.hpp"

namespace support {

void read_options(int argc, char** argv, const std::string& about,
                  const std::vector<CommandOption>& options) {
  CLI::App app(about);
  for (const auto& [name, value, help] : options)
    std::visit(
        [&, &name = name, &help = help](auto* set) {
          if constexpr (std::is_same_v<decltype(set), bool*>)
            app.add_flag(name, *set, help);
          else
            app.add_option(name, *set, help)->capture_default_str();
        },
        value);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::exit(app.exit(help));
  } catch (const CLI::ParseError& problem) {
    throw Error("{}; see --help", one_line(problem.what()));
  }
}

}  // namespace support
