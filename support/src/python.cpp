#include "support/python.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "support/process.hpp"
#include "support/tool.hpp"

namespace support {

std::string draw(const std::string& script, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder) {
  // A python3 of the user's own may stand before the system's, which has Debian's matplotlib.
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    if (run_tool({candidate, "-c", "import matplotlib"}).status == 0) {
      python = candidate;
      break;
    }
  }
  if (python.empty()) return "no pictures: no python3 here has matplotlib (Debian: python3-matplotlib)";
  const auto file = folder / fmt::format("draw-{}.py", getpid());
  support::write_file(file, script);
  std::vector<std::string> command{python, file.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ToolOutput output = run_tool(command);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return output.status == 0 ? "" : "pictures could not be drawn: python3 failed";
}

}  // namespace support
