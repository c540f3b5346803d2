// Counts CPU samples into categories: object by object, then address by address.
#include "overlay/attribution/attribution.hpp"

#include <algorithm>

namespace overlay {
namespace {
namespace fs = std::filesystem;

std::string shown_name(const Place& place) {
  return place.symbol.empty() ? "[" + place.object + "]" : demangled(place.symbol);
}

/// Counts the samples of one run.
class RunCounter {
 public:
  RunCounter(const CpuSamples& samples, const fs::path& program, const Categories& categories,
             Attribution& into)
      : samples_(samples), program_(program), categories_(categories), into_(into) {}

  void run() {
    for (const auto& [name, counts] : samples_.counts) {
      const Place place{path_of(name), "kernel", {}, {}};
      for (const auto& [address, count] : counts)
        if (place.object.starts_with('/'))
          object_at(place.object).counts[address] += count;
        else
          count_in(place, place, count);
    }
    bool corrected = false;
    for (auto& [path, object] : objects_)
      if (count_object(object) && object.kind == "program") corrected = true;
    into_.corrected = corrected && (into_.runs == 0 || into_.corrected);
  }

 private:
  std::string path_of(const std::string& name) const {
    return name.empty() ? fs::absolute(program_).string() : name;
  }

  ProgramFile& object_at(const std::string& path) {
    std::error_code ignored;
    if (const auto known = objects_.find(path); known != objects_.end()) return known->second;
    return objects_
        .emplace(path, ProgramFile(path, fs::equivalent(path, program_, ignored) ? "program" : "library"))
        .first->second;
  }

  std::string name_of(const Place& place) const {
    const ProfileCategory* category = category_of(categories_, place);
    return category == nullptr ? "other" : category->name;
  }

  /// Counts samples for `place` that were taken at `taken`.
  void count_in(const Place& place, const Place& taken, std::uint64_t count) {
    const std::string category = name_of(place), uncorrected = name_of(taken);
    into_.category_samples[category] += count;
    into_.category_samples_uncorrected[uncorrected] += count;
    if (category != uncorrected) into_.moved += count;
    into_.symbol_samples[shown_name(place)] += count;
    into_.samples += count;
  }

  /// Whether its samples could be corrected.
  bool count_object(ProgramFile& object) {
    const bool program = object.kind == "program";
    const bool listed = program || std::ranges::any_of(object.counts, [&](const auto& entry) {
                          const ProfileCategory* category = category_of(categories_, object.at(entry.first));
                          return category != nullptr && category->accelerated;
                        });
    const Instructions instructions = listed ? disassemble(object.path) : Instructions("");
    std::vector<std::uint64_t> addresses;
    std::map<std::uint64_t, std::vector<Predecessor>> before;
    for (const auto& [address, count] : object.counts) {
      addresses.push_back(address);
      for (const Predecessor& predecessor : before[address] = instructions.before(address))
        if (predecessor.library.empty()) addresses.push_back(predecessor.address);
    }
    object.read_lines(addresses);
    if (program) follow_markers(object.lines);
    for (const auto& [address, count] : object.counts) {
      const Place taken = object.at(address);
      if (instructions.empty())
        count_in(taken, taken, count);
      else
        count_in(corrected(object, taken, before[address], count), taken, count);
    }
    return !instructions.empty();
  }

  /// The place that samples are counted for: where they were taken, unless their predecessors agree on a
  /// category. Of these the one that falls through counts; of several others none, as long as the samples
  /// were taken in the same category.
  Place corrected(const ProgramFile& object, const Place& taken, const std::vector<Predecessor>& before,
                  std::uint64_t count) {
    std::vector<Place> places;
    for (const Predecessor& predecessor : before)
      places.push_back(predecessor.library.empty() ? object.at(predecessor.address)
                                                   : function_of(predecessor.library));
    const std::string category = places.empty() ? "" : name_of(places[0]);
    if (places.empty() ||
        std::ranges::any_of(places, [&](const Place& place) { return name_of(place) != category; })) {
      into_.ambiguous += count;
      return taken;
    }
    return !before[0].falls_through && places.size() > 1 && category == name_of(taken) ? taken : places[0];
  }

  /// A function of a library, called by name; without an object where no mapped library defines it.
  const Place& function_of(const std::string& name) {
    const auto [entry, fresh] = functions_.try_emplace(name, Place{{}, "library", name, {}});
    if (!fresh) return entry->second;
    for (const auto& [object, counts] : samples_.counts) {
      const std::string path = path_of(object);
      if (!path.starts_with('/') || !object_at(path).address_of(name)) continue;
      entry->second.object = fs::path(path).filename().string();
      break;
    }
    return entry->second;
  }

  /// Only Fortran is compiled from a preprocessed file of its own; other languages' line tables are right.
  void follow_markers(SourceLines& lines) {
    if (!lines.empty()) into_.lines = true;
    std::map<std::string, std::optional<std::map<int, std::string>>> markers;
    for (auto& [address, frames] : lines)
      for (Frame& frame : frames) {
        if (!frame.file.ends_with(".f") && !frame.file.ends_with(".F")) continue;
        const auto [file, fresh] = markers.try_emplace(frame.file);
        if (fresh) file->second = line_markers(frame.file);
        if (!file->second) {
          into_.sources_missing = true;
        } else if (auto after = file->second->upper_bound(frame.line); after != file->second->begin()) {
          frame.file = std::prev(after)->second;
        }
      }
  }

  const CpuSamples& samples_;
  const fs::path& program_;
  const Categories& categories_;
  Attribution& into_;
  std::map<std::string, ProgramFile> objects_;  ///< by path
  std::map<std::string, Place> functions_;
};

}  // namespace

double Attribution::main_fraction() const {
  return cpu_ns == 0 ? 1.0 : static_cast<double>(cpu_ns - other_threads_ns) / static_cast<double>(cpu_ns);
}

double Attribution::share_of_samples(std::uint64_t count) const {
  return samples == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(samples) * main_fraction();
}

double Attribution::share_by(const Counts& counts, const ProfileCategory& category) const {
  const auto found = counts.find(category.name);
  return share_of_samples(found == counts.end() ? 0 : found->second) +
         (category.helper_threads ? 1.0 - main_fraction() : 0.0);
}

void attribute(const CpuSamples& samples, const fs::path& program, const Categories& categories,
               Attribution& into) {
  RunCounter(samples, program, categories, into).run();
  into.lost += samples.lost;
  into.overruns += samples.overruns;
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
                         {"overruns", sampled.overruns},
                         {"asked_interval_us", sampled.interval_us},
                         {"real_interval_ms", sampled.samples == 0 ? 0 : main_ns * 1e-6 / samples},
                         {"cpu_s", static_cast<double>(sampled.cpu_ns) * 1e-9},
                         {"other_threads_s", static_cast<double>(sampled.other_threads_ns) * 1e-9},
                         {"line_table", sampled.lines},
                         {"corrected", sampled.corrected},
                         {"moved", sampled.moved},
                         {"ambiguous", sampled.ambiguous}};
  for (const ProfileCategory& category : categories) {
    json["categories"][category.name] = sampled.share(category);
    json["categories_uncorrected"][category.name] = sampled.share_uncorrected(category);
  }
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
