// Counts CPU samples into categories, by what nm and addr2line print.
#include "overlay/attribution/attribution.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// Functions of a program or library by their begin: end and name. Static ones too, unless it was stripped.
using Functions = std::multimap<std::uint64_t, std::pair<std::uint64_t, std::string>>;

Functions functions_of(const std::string& path) {
  Functions functions;
  for (const char* table : {"--defined-only", "-D"}) {
    const auto said = support::run_tool({"nm", "-S", table, path});
    if (said.status != 0) throw support::Error("nm finds no program in {} (is binutils installed?)", path);
    for (const auto& line : support::split(said.output)) {
      std::uint64_t begin = 0, size = 0;
      char kind = 0;
      int name = 0;
      if (std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64 " %c %n", &begin, &size, &kind, &name) == 3 &&
          name > 0 && std::strchr("tTwWi", kind) != nullptr)
        functions.emplace(begin, std::pair{begin + size, line.substr(name, line.find('@', name) - name)});
    }
  }
  return functions;
}

/// The function that holds the address; empty where none does.
std::string function_at(const Functions& functions, std::uint64_t address) {
  auto after = functions.upper_bound(address);
  // Aliases share an address, so look back over a few.
  for (int back = 0; back < 8 && after != functions.begin(); ++back)
    if (address < (--after)->second.first) return after->second.second;
  return {};
}

/// Asks addr2line about all addresses at once.
SourceLines lines_of(const std::string& path, const std::map<std::uint64_t, std::uint64_t>& counts) {
  support::Command command{{"addr2line", "-e", path, "-a", "-f", "-i"}};
  for (const auto& [address, count] : counts) command.input += fmt::format("0x{:x}\n", address);
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  return result.status == 0 ? parse_addr2line(result.output) : SourceLines();
}

}  // namespace

void attribute(const CpuSamples& samples, const fs::path& program, const Categories& categories,
               Attribution& into) {
  for (const auto& [name, counts] : samples.counts) {
    const std::string path = name.empty() ? fs::absolute(program).string() : name;
    Functions functions;
    SourceLines lines;
    if (path.starts_with('/')) {  // the kernel's has none
      functions = functions_of(path);
      lines = lines_of(path, counts);
      std::error_code ignored;
      if (!lines.empty() && fs::equivalent(path, program, ignored)) into.lines = true;
    }
    for (const auto& [address, count] : counts) {
      const Place place{fs::path(path).filename().string(), function_at(functions, address), lines[address]};
      into.categories[category_of(categories, place).name] += count;
      into.symbols[place.symbol.empty() ? "[" + place.object + "]" : demangled(place.symbol)] += count;
      into.samples += count;
    }
  }
  into.lost += samples.lost;
  into.cpu_ns += samples.cpu_ns;
  into.other_threads_ns += samples.cpu_ns - std::min(samples.cpu_ns, samples.main_cpu_ns);
  ++into.runs;
}

nlohmann::json samples_json(Attribution sampled, const Categories& categories) {
  constexpr std::size_t kSymbols = 40;
  const double cpu_s = static_cast<double>(sampled.cpu_ns) * 1e-9,
               others_s = static_cast<double>(sampled.other_threads_ns) * 1e-9,
               others = cpu_s > 0 ? others_s / cpu_s : 0,
               samples = static_cast<double>(std::max<std::uint64_t>(sampled.samples, 1));
  const auto share = [&](std::uint64_t count) { return static_cast<double>(count) / samples * (1 - others); };
  nlohmann::json json = {{"runs", sampled.runs},
                         {"samples", sampled.samples},
                         {"lost", sampled.lost},
                         {"real_interval_ms", sampled.samples == 0 ? 0 : (cpu_s - others_s) * 1e3 / samples},
                         {"cpu_s", cpu_s},
                         {"other_threads_s", others_s}};
  for (const ProfileCategory& category : categories)
    json["categories"][category.name] =
        share(sampled.categories[category.name]) + (category.helper_threads ? others : 0);
  std::vector<std::pair<std::string, std::uint64_t>> symbols(sampled.symbols.begin(), sampled.symbols.end());
  std::ranges::stable_sort(symbols, std::greater(), [](const auto& symbol) { return symbol.second; });
  symbols.resize(std::min(symbols.size(), kSymbols));
  for (const auto& [symbol, count] : symbols)
    json["top"].push_back({{"symbol", symbol}, {"samples", count}, {"share", share(count)}});
  return json;
}

SourceLines parse_addr2line(const std::string& text) {
  SourceLines result;
  std::istringstream in(text);
  std::string line, place;
  std::uint64_t address = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("0x")) {
      address = std::strtoull(line.c_str(), nullptr, 16);
    } else if (std::getline(in, place) && !place.starts_with('?')) {
      result[address].push_back({line, place.substr(0, place.rfind(':'))});
    }
  }
  return result;
}

}  // namespace overlay
