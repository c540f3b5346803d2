// Tells what builds are at, by the files that their steps write.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>

#include "overlay/build/steps.hpp"
#include "overlay/build/workplace.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// " FILE" with the source that a log of make names last; empty where it names none.
std::string last_source(const fs::path& log) {
  constexpr std::streamoff kEnd = 4096;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = std::min<std::streamoff>(file.tellg(), kEnd);
  std::string text(static_cast<std::size_t>(std::max<std::streamoff>(size, 0)), '\0');
  file.seekg(-size, std::ios::end);
  file.read(text.data(), size);
  static const std::regex source(R"(([\w.+-]+\.(f|F|f90|c|cc|cpp|cxx))\b)");
  std::string last;
  for (std::sregex_iterator it(text.begin(), text.end(), source), end; it != end; ++it)
    last = " " + it->str();
  return last;
}

}  // namespace

std::string progress_of(const fs::path& base, const std::vector<std::string>& builds) {
  static const std::map<std::string, std::string> kWords{{"copy", "copying the sources"},
                                                         {"configure", "configuring"},
                                                         {"patch", "patching"},
                                                         {"make", "compiling"},
                                                         {"link", "linking"}};
  std::vector<std::string> parts;
  for (const auto& build : builds)
    if (const auto step = kWords.find(first_line_of(base / build / kStepNow)); step != kWords.end())
      parts.push_back(build + ": " + step->second +
                      (step->first == "make" ? last_source(base / build / "make.log") : ""));
  return support::join(parts, "; ");
}

void show_progress(const fs::path& base, const std::vector<std::string>& builds, double seconds,
                   double& next_s) {
  if (seconds < next_s) return;
  next_s += std::min(next_s, 30.);
  if (const auto text = progress_of(base, builds); !text.empty())
    message(fmt::format("{:.0f} s: {}", seconds, text));
}

}  // namespace overlay
