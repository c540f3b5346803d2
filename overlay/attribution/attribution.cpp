// Counts CPU samples into categories: object by object, then address by address.
#include "overlay/attribution/attribution.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "overlay/attribution/elf_symbols.hpp"
#include "overlay/attribution/instructions.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

const Mapping* mapping_of(const CpuSamples& samples, std::uint64_t pc) {
  for (const Mapping& mapping : samples.mappings)
    if (pc >= mapping.begin && pc < mapping.end) return &mapping;
  return nullptr;
}

/// Samples of one program or library, by its own addresses.
struct LoadedObject {
  std::unique_ptr<ElfSymbols> symbols;
  std::map<std::uint64_t, std::uint64_t> counts;
};

std::string part_name(const ProfileCategory& generator, const Place& place) {
  for (const Frame& frame : place.frames) {
    Place inner;
    inner.frames = {frame};
    if (!generator.holds(inner)) continue;
    if (frame.file.empty() || frame.file[0] == '?') continue;
    const std::string file = std::filesystem::path(frame.file).filename().string();
    return file + (place.symbol.empty() ? "" : " in " + demangled(place.symbol));
  }
  return place.symbol.empty() ? "[" + place.object + "]" : demangled(place.symbol);
}

std::string category_name(const CategoryList& categories, const Place& place) {
  const std::size_t at = categories.find(place);
  return at < categories.categories().size() ? categories.categories()[at].name : "other";
}

/// Counts samples for `place` that were taken at `taken`.
void count_in(const Place& place, const Place& taken, const CategoryList& categories, std::uint64_t count,
              Attribution& into) {
  const std::string category = category_name(categories, place),
                    uncorrected = category_name(categories, taken);
  into.category_samples[category] += count;
  into.category_samples_uncorrected[uncorrected] += count;
  if (category != uncorrected) into.moved += count;
  into.symbol_samples[place.symbol.empty() ? "[" + place.object + "]" : demangled(place.symbol)] += count;
  if (category == "generator") into.generator_parts[part_name(categories.generator(), place)] += count;
  into.samples += count;
}

/// Addresses of one object turned into places.
class ObjectPlaces {
 public:
  ObjectPlaces(const std::string& path, const ElfSymbols& symbols, bool is_program)
      : path_(path), symbols_(symbols), is_program_(is_program) {}

  /// Reads the line table for these addresses; at() knows no lines before.
  void read_lines(const std::vector<std::uint64_t>& addresses, Attribution& into) {
    if (!symbols_.has_line_table()) return;
    lines_ = source_lines(path_, addresses);
    if (!is_program_) return;
    if (!lines_.empty()) into.lines = true;
    // Only Fortran is compiled from a preprocessed file of its own; other languages' line tables are right.
    for (auto& [address, frames] : lines_)
      for (Frame& frame : frames)
        if (frame.file.ends_with(".f") || frame.file.ends_with(".F")) frame.file = original_file(frame, into);
  }

  Place at(std::uint64_t address) const {
    Place place;
    place.object = std::filesystem::path(path_).filename().string();
    place.kind = is_program_ ? "program" : "library";
    place.symbol = symbols_.function_at(address);
    const auto found = lines_.find(address);
    if (found != lines_.end()) place.frames = found->second;
    return place;
  }

 private:
  std::string original_file(const Frame& frame, Attribution& into) {
    const auto at = markers_.try_emplace(frame.file, frame.file).first;
    if (!at->second.readable()) into.sources_missing = true;
    const std::string& file = at->second.file_at(frame.line);
    return file.empty() ? frame.file : file;
  }

  std::string path_;
  const ElfSymbols& symbols_;
  bool is_program_;
  std::map<std::uint64_t, std::vector<Frame>> lines_;
  std::map<std::string, LineMarkers> markers_;  ///< by source file
};

/// Finds the library that a function called by name is in.
class LibraryFunctions {
 public:
  explicit LibraryFunctions(std::map<std::string, LoadedObject>& objects) : objects_(objects) {}

  /// Without an object where no mapped library defines the function.
  const Place& place(const std::string& function) {
    const auto [entry, fresh] = known_.try_emplace(function);
    Place& place = entry->second;
    if (!fresh) return place;
    place.kind = "library";
    place.symbol = function;
    for (auto& [path, object] : objects_) {
      try {
        if (!object.symbols) object.symbols = std::make_unique<ElfSymbols>(path);
      } catch (const support::Error&) {
        continue;  // not an ELF file
      }
      if (!object.symbols->address_of(function)) continue;
      place.object = std::filesystem::path(path).filename().string();
      break;
    }
    return place;
  }

 private:
  std::map<std::string, LoadedObject>& objects_;
  std::map<std::string, Place> known_;
};

/// What may have run before a sample was taken.
struct Candidate {
  Place place;
  std::string category;
  bool falls_through = false;
};

/// Whether there are any and all are of one category.
bool agree(const std::vector<Candidate>& candidates) {
  return !candidates.empty() &&
         std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
           return candidate.category == candidates[0].category;
         });
}

/// The place that a sample is counted for: where it was taken, unless its predecessors agree. Of these the
/// one that falls through counts; of several others none, as long as the sample was taken in the same
/// category.
const Place& chosen(const std::vector<Candidate>& candidates, const Place& taken,
                    const std::string& category) {
  if (!agree(candidates)) return taken;
  const Candidate& first = candidates.front();
  if (!first.falls_through && candidates.size() > 1 && first.category == category) return taken;
  return first.place;
}

double share_by(const Attribution& sampled, const std::map<std::string, std::uint64_t>& counts,
                const std::vector<const ProfileCategory*>& categories) {
  std::uint64_t counted = 0;
  double helpers = 0;
  for (const ProfileCategory* category : categories) {
    const auto found = counts.find(category->name);
    if (found != counts.end()) counted += found->second;
    if (category->helper_threads) helpers = 1.0 - sampled.main_fraction();
  }
  return sampled.share_of_samples(counted) + helpers;
}

}  // namespace

double Attribution::main_fraction() const {
  return cpu_ns == 0 ? 1.0 : static_cast<double>(cpu_ns - other_threads_ns) / static_cast<double>(cpu_ns);
}

double Attribution::real_interval_ms() const {
  return samples == 0 ? 0.0
                      : static_cast<double>(cpu_ns - other_threads_ns) * 1e-6 / static_cast<double>(samples);
}

double Attribution::share(const ProfileCategory& category) const { return share_of({&category}); }

double Attribution::share_of(const std::vector<const ProfileCategory*>& categories) const {
  return share_by(*this, category_samples, categories);
}

double Attribution::share_uncorrected(const ProfileCategory& category) const {
  return share_by(*this, category_samples_uncorrected, {&category});
}

std::vector<std::pair<std::string, std::uint64_t>> Attribution::most_sampled(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> symbols(symbol_samples.begin(), symbol_samples.end());
  std::sort(symbols.begin(), symbols.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  symbols.resize(std::min(symbols.size(), most));
  return symbols;
}

double Attribution::share_of_samples(std::uint64_t count) const {
  return samples == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(samples) * main_fraction();
}

void attribute(const CpuSamples& samples, const std::filesystem::path& program,
               const CategoryList& categories, Attribution& into) {
  std::map<std::string, LoadedObject> objects;
  for (const Mapping& mapping : samples.mappings)
    if (!mapping.object.empty() && mapping.object[0] == '/') objects[mapping.object];
  for (const PcCount& pc : samples.counts) {
    const Mapping* mapping = mapping_of(samples, pc.pc);
    if (mapping == nullptr || mapping->object.empty() || mapping->object[0] != '/') {
      Place place;
      place.kind = "kernel";
      place.object = mapping == nullptr || mapping->object.empty() ? "unmapped" : mapping->object;
      count_in(place, place, categories, pc.count, into);
      continue;
    }
    LoadedObject& object = objects[mapping->object];
    if (!object.symbols) object.symbols = std::make_unique<ElfSymbols>(mapping->object);
    const auto address = object.symbols->address_of_offset(pc.pc - mapping->begin + mapping->offset);
    object.counts[address.value_or(0)] += pc.count;
  }

  LibraryFunctions functions(objects);
  std::error_code ignored;
  bool corrected = false;
  for (const auto& [path, object] : objects) {
    if (object.counts.empty()) continue;
    const bool is_program = std::filesystem::equivalent(path, program, ignored);
    ObjectPlaces places(path, *object.symbols, is_program);
    const bool listed =
        is_program || std::any_of(object.counts.begin(), object.counts.end(), [&](const auto& c) {
          const std::size_t category = categories.find(places.at(c.first));
          return category < categories.categories().size() && categories.categories()[category].accelerated;
        });
    const Instructions instructions = listed ? disassemble(path) : Instructions("");
    if (is_program && !instructions.empty()) corrected = true;

    std::set<std::uint64_t> addresses;
    std::map<std::uint64_t, std::vector<Predecessor>> before;
    for (const auto& entry : object.counts) {
      addresses.insert(entry.first);
      if (!instructions.empty()) before[entry.first] = instructions.before(entry.first);
      for (const Predecessor& predecessor : before[entry.first])
        if (predecessor.kind != Predecessor::Kind::library) addresses.insert(predecessor.address);
    }
    places.read_lines({addresses.begin(), addresses.end()}, into);

    for (const auto& [address, count] : object.counts) {
      const Place taken = places.at(address);
      if (instructions.empty()) {
        count_in(taken, taken, categories, count, into);
        continue;
      }
      std::vector<Candidate> candidates;
      for (const Predecessor& predecessor : before[address]) {
        Candidate candidate;
        candidate.place = predecessor.kind == Predecessor::Kind::library ? functions.place(predecessor.name)
                                                                         : places.at(predecessor.address);
        candidate.category = category_name(categories, candidate.place);
        candidate.falls_through = predecessor.falls_through;
        candidates.push_back(std::move(candidate));
      }
      if (candidates.empty()) into.unknown += count;
      if (candidates.empty() || !agree(candidates)) into.ambiguous += count;
      count_in(chosen(candidates, taken, category_name(categories, taken)), taken, categories, count, into);
    }
  }
  into.corrected = corrected && (into.runs == 0 || into.corrected);
  into.lost += samples.lost;
  into.overruns += samples.overruns;
  into.cpu_ns += samples.cpu_ns;
  if (samples.cpu_ns > samples.main_cpu_ns) into.other_threads_ns += samples.cpu_ns - samples.main_cpu_ns;
  into.interval_us = samples.interval_us;
  ++into.runs;
}

}  // namespace overlay
