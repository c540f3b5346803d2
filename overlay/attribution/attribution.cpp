// Counts CPU samples into categories.
#include "overlay/attribution/attribution.hpp"

#include <algorithm>

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
      object.emplace(path, is_program ? "program" : "library");
      object->read_lines(counts);
      if (is_program && !object->lines.empty()) into.lines = true;
    }
    for (const auto& [address, count] : counts) {
      const Place place = object ? object->at(address) : Place{path, "kernel", {}, {}};
      const ProfileCategory* category = category_of(categories, place);
      into.category_samples[category == nullptr ? "other" : category->name] += count;
      into.symbol_samples[shown_name(place)] += count;
      into.samples += count;
    }
  }
  into.lost += samples.lost;
  into.cpu_ns += samples.cpu_ns;
  into.other_threads_ns += samples.cpu_ns - std::min(samples.cpu_ns, samples.main_cpu_ns);
  into.interval_us = samples.interval_us;
  ++into.runs;
}

nlohmann::json samples_json(const Attribution& sampled, const Categories& categories) {
  constexpr std::size_t kSymbols = 40;
  const double samples = static_cast<double>(std::max<std::uint64_t>(sampled.samples, 1)),
               main_ns = static_cast<double>(sampled.cpu_ns - sampled.other_threads_ns);
  nlohmann::json json = {{"runs", sampled.runs},
                         {"samples", sampled.samples},
                         {"lost", sampled.lost},
                         {"asked_interval_us", sampled.interval_us},
                         {"real_interval_ms", sampled.samples == 0 ? 0 : main_ns * 1e-6 / samples},
                         {"cpu_s", static_cast<double>(sampled.cpu_ns) * 1e-9},
                         {"other_threads_s", static_cast<double>(sampled.other_threads_ns) * 1e-9},
                         {"line_table", sampled.lines}};
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

}  // namespace overlay
