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

std::string shown_name(const Place& place) {
  return place.symbol.empty() ? "[" + place.object + "]" : demangled(place.symbol);
}

}  // namespace

double Attribution::main_fraction() const {
  return cpu_ns == 0 ? 1.0 : static_cast<double>(cpu_ns - other_threads_ns) / static_cast<double>(cpu_ns);
}

double Attribution::share_of_samples(std::uint64_t count) const {
  return samples == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(samples) * main_fraction();
}

double Attribution::share(const ProfileCategory& category) const {
  const auto found = category_samples.find(category.name);
  return share_of_samples(found == category_samples.end() ? 0 : found->second) +
         (category.helper_threads ? 1.0 - main_fraction() : 0.0);
}

void attribute(const CpuSamples& samples, const fs::path& program, const Categories& categories,
               Attribution& into) {
  for (const auto& [name, counts] : samples.counts) {
    const std::string path = name.empty() ? fs::absolute(program).string() : name;
    std::optional<ProgramFile> object;  // none for the kernel's
    if (path.starts_with('/')) {
      std::error_code ignored;
      const bool is_program = fs::equivalent(path, program, ignored);
      object.emplace(path);
      object->read_lines(counts);
      if (is_program && !object->lines.empty()) into.lines = true;
    }
    for (const auto& [address, count] : counts) {
      const Place place = object ? object->at(address) : Place{path, {}, {}};
      const ProfileCategory* category = category_of(categories, place);
      into.category_samples[category == nullptr ? "other" : category->name] += count;
      into.symbol_samples[shown_name(place)] += count;
      into.samples += count;
    }
  }
  into.lost += samples.lost;
  into.cpu_ns += samples.cpu_ns;
  into.other_threads_ns += samples.cpu_ns - std::min(samples.cpu_ns, samples.main_cpu_ns);
  ++into.runs;
}

nlohmann::json samples_json(const Attribution& sampled, const Categories& categories) {
  constexpr std::size_t kSymbols = 40;
  const double samples = static_cast<double>(std::max<std::uint64_t>(sampled.samples, 1)),
               main_ns = static_cast<double>(sampled.cpu_ns - sampled.other_threads_ns);
  nlohmann::json json = {{"runs", sampled.runs},
                         {"samples", sampled.samples},
                         {"lost", sampled.lost},
                         {"real_interval_ms", sampled.samples == 0 ? 0 : main_ns * 1e-6 / samples},
                         {"cpu_s", static_cast<double>(sampled.cpu_ns) * 1e-9},
                         {"other_threads_s", static_cast<double>(sampled.other_threads_ns) * 1e-9}};
  for (const ProfileCategory& category : categories)
    json["categories"][category.name] = sampled.share(category);
  std::vector<std::pair<std::string, std::uint64_t>> symbols(sampled.symbol_samples.begin(),
                                                             sampled.symbol_samples.end());
  std::ranges::stable_sort(symbols, std::greater(), [](const auto& symbol) { return symbol.second; });
  symbols.resize(std::min(symbols.size(), kSymbols));
  for (const auto& [symbol, count] : symbols)
    json["top"].push_back(
        {{"symbol", symbol}, {"samples", count}, {"share", sampled.share_of_samples(count)}});
  return json;
}

ProgramFile::ProgramFile(const std::filesystem::path& file) : path(file) {
  for (const char* table : {"--defined-only", "-D"}) {
    const auto said = support::run_tool({"nm", "-S", table, path.string()});
    if (said.status != 0)
      throw support::Error("nm finds no program in {} (is binutils installed?)", path.string());
    for (const auto& line : support::split(said.output)) {
      std::uint64_t begin = 0, size = 0;
      char kind = 0;
      int name = 0;
      if (std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64 " %c %n", &begin, &size, &kind, &name) == 3 &&
          name > 0 && std::strchr("tTwWi", kind) != nullptr)
        functions.emplace(begin, std::pair{begin + size, line.substr(name, line.find('@', name) - name)});
    }
  }
}

std::string ProgramFile::function_at(std::uint64_t address) const {
  auto after = functions.upper_bound(address);
  // Aliases share an address, so look back over a few.
  for (int back = 0; back < 8 && after != functions.begin(); ++back)
    if (address < (--after)->second.first) return after->second.second;
  return {};
}

void ProgramFile::read_lines(const std::map<std::uint64_t, std::uint64_t>& counts) {
  support::Command command{{"addr2line", "-e", path.string(), "-a", "-f", "-i"}};
  for (const auto& [address, count] : counts) command.input += fmt::format("0x{:x}\n", address);
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  lines = result.status == 0 ? parse_addr2line(result.output) : SourceLines();
}

Place ProgramFile::at(std::uint64_t address) const {
  const auto found = lines.find(address);
  return {path.filename().string(), function_at(address),
          found == lines.end() ? std::vector<Frame>() : found->second};
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
