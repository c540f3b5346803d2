// Reads the categories, the file of libcpu_sampler.so, and what gprof prints; finds the category of a
// place.
#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>

#include "overlay/attribution/attribution.hpp"
#include "overlay/build/profile.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

using nlohmann::json;

extern const char* const kCategoriesJson;  // made from data/categories.json

bool ProfileCategory::holds_symbol(const std::string& symbol) const {
  return matches(plain_name(symbol), symbols) || matches(demangled(symbol), symbols);
}

bool ProfileCategory::holds(const Place& place) const {
  if (matches(place.object, objects) || holds_symbol(place.symbol)) return true;
  return std::ranges::any_of(place.frames, [&](const Frame& frame) {
    // A function that was inlined into another category's function still belongs to its own category.
    return (accelerated && holds_symbol(frame.function)) || matches("/" + frame.file, files);
  });
}

Categories read_categories() { return json::parse(kCategoriesJson).at("categories"); }

const ProfileCategory& category_of(const Categories& categories, const Place& place) {
  return *std::ranges::find_if(categories, [&](const auto& category) { return category.holds(place); });
}

const ProfileCategory& generator_of(const Categories& categories) {
  return *std::ranges::find(categories, "generator", &ProfileCategory::name);
}

std::string plain_name(const std::string& symbol) {
  std::string name = symbol.substr(0, symbol.find('.', 1));
  if (name.size() > 1 && name.back() == '_') name.pop_back();
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.substr(0, symbol.find('.')).c_str(), nullptr, nullptr, nullptr), &std::free);
  return text ? text.get() : symbol;
}

CpuSamples read_cpu_samples(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto broken = [&](const std::string& why) {
    return support::Error("the CPU sampler's file {} {}", file.string(), why);
  };
  if (!in) throw broken("is missing: was the program linked statically, or did it end by a signal?");
  std::string word;
  if (!std::getline(in, word) || word != "cpu-sampler 4") throw broken("is not one");
  std::map<std::string, std::uint64_t> head;
  while (in >> word && word != "pcs") in >> head[word];
  CpuSamples samples{.samples = head["samples"],
                     .lost = head["lost"],
                     .cpu_ns = head["cpu_ns"],
                     .main_cpu_ns = head["main_cpu_ns"]};
  // Hexadecimal numbers, each part up to the word that begins the next one.
  std::uint64_t counted = 0, pc = 0, begin = 0, end = 0, moved = 0;
  std::map<std::uint64_t, std::uint64_t> pcs;
  for (in >> std::hex; in >> pc; ++counted) ++pcs[pc];
  in.clear();
  for (in >> word; in >> begin >> end >> moved;) {  // moved: address in the process less address in its file
    std::getline(in, word);
    auto& counts = samples.counts[word.substr(std::min<std::size_t>(1, word.size()))];
    for (auto at = pcs.lower_bound(begin); at != pcs.end() && at->first < end; at = pcs.erase(at))
      counts[at->first - moved] += at->second;
  }
  in.clear();
  if (!(in >> word) || word != "whole") throw broken("is cut short");
  if (!pcs.empty()) samples.counts["unmapped"] = std::move(pcs);
  // A sample may arrive while the file is being written: then it is counted in one place and not in the
  // other.
  if (counted + samples.lost + 2 < samples.samples || counted > samples.samples + 2)
    throw broken(fmt::format("does not add up: {} of {} samples", counted, samples.samples));
  return samples;
}

json parse_gprof(const std::string& text) {
  // A row: share, cumulative s, self s, [calls, [self per call, total per call,]] name.
  static const std::regex form(
      R"(\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+(?:(\d+)\s+(?:[\d.]+\s+[\d.]+\s+)?)?(\S.*))");
  json rows = json::array();
  double total = 0;
  std::smatch row;
  for (const std::string& line : support::split(text))
    if (std::regex_match(line, row, form)) {
      const double self = std::stod(row[1]);
      total += self;
      rows.push_back({{"name", row[3].str()},
                      {"self_s", self},
                      {"calls", row[2].matched ? json(std::stoull(row[2])) : json()}});
    }
  for (json& entry : rows) entry["share"] = total > 0 ? entry["self_s"].get<double>() / total : 0.0;
  return rows;
}

json read_gprof(const std::filesystem::path& program, const std::filesystem::path& gmon) {
  if (!std::filesystem::exists(gmon))
    throw support::Error("{} left no gmon.out: was it compiled and linked with -pg?",
                         program.filename().string());
  const auto output = support::run_tool({"gprof", "-b", "-p", program.string(), gmon.string()});
  if (output.status == 127)
    throw support::Error("gprof is not installed; install binutils, or use --no-gprof");
  json rows = parse_gprof(output.output);
  if (output.status != 0 || rows.empty())
    throw support::Error("gprof cannot read {} of {}", gmon.string(), program.string());
  return rows;
}

std::pair<double, std::uint64_t> gprof_of(const json& rows, const ProfileCategory& category) {
  std::pair<double, std::uint64_t> found;
  for (const json& row : rows) {
    const std::string name = row.at("name");
    if (!category.holds_symbol(name)) continue;
    found.first += row.at("share").get<double>();
    if (!category.not_draws.contains(plain_name(name)) && !row.at("calls").is_null())
      found.second += row["calls"].get<std::uint64_t>();
  }
  return found;
}

}  // namespace overlay
