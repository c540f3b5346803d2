// Which device a process takes: by number, by its rank on this machine, or by a lock.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "corsika_runtime/generator/device_refills.hpp"

namespace ranmar::corsika {
namespace {

constexpr int kMaxSlots = 1024;  // processes at one device

std::optional<int> number_of(const std::string& text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<int> local_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                           "PMI_LOCAL_RANK", "SLURM_LOCALID"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    if (const auto rank = number_of(value)) return rank;
  }
  return std::nullopt;
}

}  // namespace

int choose_device(const std::string& asked, const std::vector<std::string>& devices) {
  const int count = static_cast<int>(devices.size());
  if (!asked.empty() && asked != "auto") {
    const auto number = number_of(asked);
    if (!number || *number >= count) {
      throw std::invalid_argument("RANMAR_DEVICE cannot be '" + asked +
                                  "'; give auto, or a number from 0 to " + std::to_string(count - 1));
    }
    return *number;
  }
  if (const auto rank = local_rank()) return *rank % count;
  return claim_device(devices);
}

int claim_device(const std::vector<std::string>& devices, const std::filesystem::path& folder) {
  if (devices.size() < 2) return 0;
  for (int slot = 0; slot < kMaxSlots; ++slot) {
    for (std::size_t device = 0; device < devices.size(); ++device) {
      const auto file = folder / ("ranmar-" + devices[device] + "-" + std::to_string(slot));
      const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
      if (lock < 0) continue;
      if (flock(lock, LOCK_EX | LOCK_NB) == 0) return static_cast<int>(device);
      close(lock);
    }
  }
  return 0;
}

}  // namespace ranmar::corsika
