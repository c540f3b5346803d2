// What this machine is. Reads /proc and what the system says; writes nothing.
#pragma once

#include <string>
#include <vector>

namespace support {

/// What the runs were made on.
struct Machine {
  std::string cpu;  ///< model name
  int cores = 0;    ///< that this process may use
  double memory_gib = 0;
  std::string kernel;     ///< name, release, architecture
  std::string system;     ///< distribution
  std::string gpu;        ///< empty where there is none
  std::string compilers;  ///< as the build reports them
  double load = 0;        ///< load average before the first run
};

/// What the system says now, without `compilers`; cpu is "unknown", and other members are empty or 0, where
/// it does not say. The GPU is the first that nvidia-smi lists.
Machine describe_machine();

/// The cores that this process may run on, lowest first.
std::vector<int> allowed_cores();

}  // namespace support
