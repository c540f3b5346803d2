// Reads the file of libcpu_sampler.so.
#include "overlay/attribution/cpu_samples.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "support/error.hpp"

namespace overlay {
namespace {

/// A number of hexadecimal digits, and nothing else.
bool parse_address(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

/// False where the line is none of an executable mapping.
bool parse_mapping(const std::string& line, Mapping& mapping) {
  std::istringstream words(line);
  std::string range, permissions, offset, device, inode;
  if (!(words >> range >> permissions >> offset >> device >> inode)) return false;
  const std::size_t dash = range.find('-');
  if (dash == std::string::npos || permissions.find('x') == std::string::npos) return false;
  const std::string_view addresses = range;
  if (!parse_address(addresses.substr(0, dash), mapping.begin) ||
      !parse_address(addresses.substr(dash + 1), mapping.end) || !parse_address(offset, mapping.offset))
    return false;
  std::getline(words >> std::ws, mapping.object);
  return true;
}

}  // namespace

CpuSamples read_cpu_samples(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  const auto broken = [&](const std::string& why) {
    return support::Error(fmt::format("the CPU sampler's file {} {}", file.string(), why));
  };
  if (!in) throw broken("is missing: was the program linked statically, or did it end by a signal?");
  if (!std::getline(in, line) || line != "cpu-sampler 1") throw broken("is not one");
  std::map<std::string, std::uint64_t> values;
  while (std::getline(in, line) && line != "pcs") {
    std::istringstream words(line);
    std::string key;
    std::uint64_t value = 0;
    if (!(words >> key >> value)) throw broken("has a bad line: " + line);
    values[key] = value;
  }
  CpuSamples samples;
  samples.interval_us = static_cast<long>(values["interval_us"]);
  samples.samples = values["samples"];
  samples.lost = values["lost"];
  samples.overruns = values["overruns"];
  samples.cpu_ns = values["cpu_ns"];
  samples.main_cpu_ns = values["main_cpu_ns"];
  std::uint64_t counted = 0;
  while (std::getline(in, line) && line != "maps") {
    std::istringstream words(line);
    PcCount count;
    if (!(words >> std::hex >> count.pc >> std::dec >> count.count)) throw broken("has a bad line: " + line);
    counted += count.count;
    samples.counts.push_back(count);
  }
  bool end = false;
  while (std::getline(in, line)) {
    if (line == "end") {
      end = true;
      break;
    }
    Mapping mapping;
    if (parse_mapping(line, mapping)) samples.mappings.push_back(mapping);
  }
  if (!end) throw broken("is cut short");
  // A sample may arrive while the file is being written: then it is counted in one place and not in the
  // other.
  if (counted + samples.lost + 2 < samples.samples || counted > samples.samples + 2)
    throw broken(fmt::format("does not add up: {} of {} samples", counted, samples.samples));
  return samples;
}

}  // namespace overlay
