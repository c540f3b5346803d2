// The rows of a CUDA device: those of ranmar-gpu-bench, a program of its own; and of an OpenCL device.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "row.hpp"

namespace bench {

struct GpuRows {
  std::vector<Row> rows;
  std::map<std::string, double> ratios;
  std::vector<std::string> skipped;  ///< what was left out, and why: a line each
};

/// Reads what ranmar-gpu-bench wrote. Throws support::Error where that is not its JSON.
GpuRows read_gpu_rows(const std::string& text);

/// Runs `program`, which writes to `json`, with that many repetitions of each row. Where there is no such
/// program, or it finds no device, there are no rows and `skipped` says why. Throws support::Error where it
/// fails otherwise.
GpuRows measure_gpu(const std::filesystem::path& program, const std::filesystem::path& json, int repeats);

/// Rows of the first OpenCL device, in wall time, with requests of up to `largest` numbers; where there is
/// none `skipped` says why. Throws std::exception where the device fails.
GpuRows measure_opencl(std::size_t largest, int repeats);

/// Names of the OpenCL devices, with their platforms, in one line.
std::string opencl_devices();

}  // namespace bench
