// The rows of a device, as ranmar-gpu-bench writes them.
#include "gpu_rows.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/error.hpp"
#include "support/process.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
constexpr int kNoDevice = 77;  // exit status of ranmar-gpu-bench

// The lines of a program's output that have `word`.
std::vector<std::string> lines_with(const std::string& output, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    if (line.find(word) != std::string::npos) found.push_back(line);
  }
  return found;
}

}  // namespace

GpuRows read_gpu_rows(const std::string& text) {
  GpuRows gpu;
  try {
    const auto json = nlohmann::json::parse(text);
    for (const auto& row : json.at("rows")) {
      gpu.rows.push_back({.name = row.at("name"),
                          .kind = row.at("kind"),
                          .device = row.at("device"),
                          .n = row.at("n"),
                          .ns_per_number = row.at("ns_per_number"),
                          .gb_per_s = row.at("gb_per_s"),
                          .ns_low = row.at("ns_low"),
                          .ns_high = row.at("ns_high")});
    }
    gpu.ratios = json.at("ratios").get<std::map<std::string, double>>();
  } catch (const nlohmann::json::exception& problem) {
    throw support::Error(
        fmt::format("what ranmar-gpu-bench wrote cannot be read ({}); build it again from the same sources",
                    problem.what()));
  }
  return gpu;
}

GpuRows measure_gpu(const fs::path& program, const fs::path& json, int repeats) {
  GpuRows nothing;
  if (!support::find_program(program.string())) {
    nothing.skipped.push_back(
        "rows of a CUDA device SKIPPED: ranmar-gpu-bench is not there (it is built where there is nvcc)");
    return nothing;
  }
  fmt::print(stderr, "ranmar-bench: {} makes the rows of a CUDA device\n", program.string());
  std::error_code ignored;
  fs::remove(json, ignored);
  const auto result = support::run(
      {.argv = {program.string(), "--repeats", std::to_string(repeats), "--out", json.string()}});
  auto skipped = lines_with(result.output, "SKIPPED");
  if (result.status == kNoDevice) {
    for (const auto& line : skipped)
      nothing.skipped.push_back("rows of a CUDA device " + line.substr(line.find("SKIPPED")));
    return nothing;
  }
  if (result.status != 0) {
    const auto errors = lines_with(result.output, "error");
    throw support::Error(errors.empty() ? fmt::format("{} ended with status {} and said nothing of why",
                                                      program.string(), result.status)
                                        : errors.front());
  }
  GpuRows gpu = read_gpu_rows(support::read_file(json));
  gpu.skipped = std::move(skipped);
  return gpu;
}

}  // namespace bench
