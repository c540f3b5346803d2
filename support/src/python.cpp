// Pictures by Python and matplotlib.
#include "support/python.hpp"

#include "support/process.hpp"

namespace support {

std::string run_plot_script(const std::string& script, const std::vector<std::string>& arguments) {
  // A python3 of the user's own may stand before the system's, which has Debian's matplotlib.
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    if (run_tool({candidate, "-c", "import matplotlib"}).status == 0) {
      python = candidate;
      break;
    }
  }
  if (python.empty()) return "no pictures: no python3 here has matplotlib (Debian: python3-matplotlib)";
  Command command{{python, "-"}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.input = script;
  command.errors = Command::Errors::kDropped;
  const auto output = run(command);
  return output.status == 0 ? "" : "pictures could not be drawn: python3 failed";
}

}  // namespace support
