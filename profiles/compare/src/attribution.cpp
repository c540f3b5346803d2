#include "compare/attribution.hpp"

#include <memory>

#include "compare/elf_symbols.hpp"
#include "compare/line_markers.hpp"
#include "profiles/error.hpp"

namespace comparison {
namespace {

const Mapping* mapping_of(const CpuSamples& samples, std::uint64_t pc) {
  for (const Mapping& mapping : samples.mappings)
    if (pc >= mapping.begin && pc < mapping.end) return &mapping;
  return nullptr;
}

/// Samples of one program or library, by its own addresses.
struct Object {
  std::unique_ptr<ElfSymbols> symbols;
  std::map<std::uint64_t, std::uint64_t> counts;
};

std::string part_name(const Stage& generator, const Place& place) {
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

}  // namespace

double Attribution::main_fraction() const {
  return cpu_ns == 0 ? 1.0 : static_cast<double>(cpu_ns - other_threads_ns) / static_cast<double>(cpu_ns);
}

double Attribution::real_interval_ms() const {
  return samples == 0 ? 0.0
                      : static_cast<double>(cpu_ns - other_threads_ns) * 1e-6 / static_cast<double>(samples);
}

double Attribution::share(const Stage& stage) const { return share_of({&stage}); }

double Attribution::share_of(const std::vector<const Stage*>& stages) const {
  double counted = 0, helpers = 0;
  for (const Stage* stage : stages) {
    const auto found = stage_samples.find(stage->name);
    if (found != stage_samples.end()) counted += static_cast<double>(found->second);
    if (stage->helper_threads) helpers = 1.0 - main_fraction();
  }
  return (samples == 0 ? 0.0 : counted / static_cast<double>(samples) * main_fraction()) + helpers;
}

void attribute(const CpuSamples& samples, const std::filesystem::path& program, const StageList& stages,
               Attribution& into) {
  const auto count_in = [&](const Place& place, std::uint64_t count) {
    const std::size_t at = stages.find(place);
    const std::string stage = at < stages.stages().size() ? stages.stages()[at].name : "other";
    into.stage_samples[stage] += count;
    into.symbol_samples[place.symbol.empty() ? "[" + place.object + "]" : demangled(place.symbol)] += count;
    if (stage == "generator") into.generator_parts[part_name(stages.generator(), place)] += count;
    into.samples += count;
  };

  std::map<std::string, Object> objects;
  for (const PcCount& pc : samples.counts) {
    const Mapping* mapping = mapping_of(samples, pc.pc);
    if (mapping == nullptr || mapping->object.empty() || mapping->object[0] != '/') {
      Place place;
      place.kind = "kernel";
      place.object = mapping == nullptr || mapping->object.empty() ? "unmapped" : mapping->object;
      count_in(place, pc.count);
      continue;
    }
    Object& object = objects[mapping->object];
    if (!object.symbols) object.symbols = std::make_unique<ElfSymbols>(mapping->object);
    const auto address = object.symbols->address_of_offset(pc.pc - mapping->begin + mapping->offset);
    object.counts[address.value_or(0)] += pc.count;
  }

  std::map<std::string, LineMarkers> markers;  // by source file
  const auto original_file = [&](const Frame& frame) {
    const auto at = markers.try_emplace(frame.file, frame.file).first;
    if (!at->second.readable()) into.sources_missing = true;
    const std::string& file = at->second.file_at(frame.line);
    return file.empty() ? frame.file : file;
  };
  std::error_code ignored;
  for (const auto& [path, object] : objects) {
    const bool is_program = std::filesystem::equivalent(path, program, ignored);
    std::map<std::uint64_t, std::vector<Frame>> lines;
    if (object.symbols->has_line_table()) {
      std::vector<std::uint64_t> addresses;
      addresses.reserve(object.counts.size());
      for (const auto& entry : object.counts) addresses.push_back(entry.first);
      lines = source_lines(path, addresses);
      if (is_program && !lines.empty()) into.lines = true;
    }
    for (const auto& [address, count] : object.counts) {
      Place place;
      place.object = std::filesystem::path(path).filename().string();
      place.kind = is_program ? "program" : "library";
      place.symbol = object.symbols->function_at(address);
      const auto found = lines.find(address);
      if (found != lines.end()) place.frames = found->second;
      // Only Fortran is compiled from a preprocessed file of its own; other languages' line tables are right.
      for (Frame& frame : place.frames)
        if (is_program && (frame.file.ends_with(".f") || frame.file.ends_with(".F")))
          frame.file = original_file(frame);
      count_in(place, count);
    }
  }
  into.lost += samples.lost;
  into.overruns += samples.overruns;
  into.cpu_ns += samples.cpu_ns;
  if (samples.cpu_ns > samples.main_cpu_ns) into.other_threads_ns += samples.cpu_ns - samples.main_cpu_ns;
  into.interval_us = samples.interval_us;
  ++into.runs;
}

}  // namespace comparison
