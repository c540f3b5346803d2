#include "support/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "support/process.hpp"

namespace support {
namespace {

constexpr std::size_t kMostCores = 1 << 20;  // far more than any kernel counts

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
  // The kernel refuses a set that is smaller than its own, which can be larger than cpu_set_t.
  for (std::size_t count = CPU_SETSIZE; count <= kMostCores; count *= 2) {
    std::vector<cpu_set_t> sets(count / CPU_SETSIZE);
    const std::size_t bytes = sets.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, sets.data()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    for (std::size_t core = 0; core < count; ++core)
      if (CPU_ISSET_S(core, bytes, sets.data())) cores.push_back(static_cast<int>(core));
    break;
  }
  return cores;
}

}  // namespace support
