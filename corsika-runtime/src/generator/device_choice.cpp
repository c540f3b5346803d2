// Which device a process takes: by number, by its rank on this machine, or by a lock.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "corsika_runtime/environment.hpp"
#include "corsika_runtime/generator/device_refills.hpp"

namespace ranmar::corsika {
namespace {

constexpr int kMaxSlots = 1024;  // processes at one device

using corsika_runtime::number_in;

// -1 where no launcher tells it.
int local_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                           "PMI_LOCAL_RANK", "SLURM_LOCALID"})
    if (const int rank = number_in<int>(corsika_runtime::environment(name)).value_or(-1); rank >= 0)
      return rank;
  return -1;
}

}  // namespace

int choose_device(const std::string& asked, const std::vector<std::string>& devices) {
  const int count = static_cast<int>(devices.size());
  if (!asked.empty() && asked != "auto") {
    const int number = number_in<int>(asked).value_or(-1);
    if (number < 0 || number >= count)
      corsika_runtime::refuse("RANMAR_DEVICE", asked,
                              "auto, or a number from 0 to " + std::to_string(count - 1));
    return number;
  }
  if (const int rank = local_rank(); rank >= 0) return rank % count;
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
