#include "support/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/process.hpp"

namespace support {
namespace {

/// The value behind `key` and a separator in a file of such lines.
std::string value_in(const char* file, const std::string& key, char separator) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind(key, 0) != 0) continue;
    std::string value = line.substr(std::min(line.find(separator), line.size() - 1) + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    while (!value.empty() && (value.back() == '"' || value.back() == ' ')) value.pop_back();
    return value;
  }
  return {};
}

}  // namespace

Machine describe_machine() {
  Machine machine;
  machine.cpu = value_in("/proc/cpuinfo", "model name", ':');
  if (machine.cpu.empty()) machine.cpu = "unknown";
  machine.cores = static_cast<int>(allowed_cores().size());
  machine.memory_gib = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0 * 1024.0);
  utsname name{};
  if (uname(&name) == 0) machine.kernel = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  machine.system = value_in("/etc/os-release", "PRETTY_NAME", '=');
  double load = 0;
  if (getloadavg(&load, 1) == 1) machine.load = load;
  if (std::filesystem::exists("/proc/driver/nvidia/version") && find_program("nvidia-smi")) {
    const auto output =
        run_tool({"nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"});
    if (output.status == 0) machine.gpu = output.output.substr(0, output.output.find('\n'));
  }
  return machine;
}

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

}  // namespace support
