// Refills of one sequence by a device, ahead of their use. A program is linked with one of two
// implementations: device_refills_cuda.cpp, or device_refills_none.cpp where nothing of CUDA shall be in it;
// and with device_refills_opencl.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "ranmar/refills.hpp"

namespace ranmar::corsika {

/// Refills by one of the devices that this process sees.
struct DeviceRefills {
  int device;                    ///< from 0
  std::shared_ptr<void> pinned;  ///< destroyed after `refills`, which wait for copies to that memory
  std::unique_ptr<Refills<Form48>> refills;  ///< throw std::exception, with one line that says what failed
};

/// Starts refills of the sequence at `start` into the memory [pool, pool + numbers), which is pinned
/// meanwhile. `device` is RANMAR_DEVICE: a number, or "auto". Throws std::runtime_error, with the reason in
/// one line, where there is no device, or none in this program.
std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& start, double* pool,
                                                    std::size_t numbers, const std::string& device);

/// The same by an OpenCL device; into any memory. `device` counts those of ranmar::opencl::devices(); "auto"
/// takes no CPU if there is another device.
std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& start, const std::string& device);

// Which of a machine's devices a process takes, so that processes started side by side spread over them.

/// The device for `asked`, the value of RANMAR_DEVICE: a number from 0, "auto", or nothing. For "auto" or
/// nothing the rank on this machine chooses, if a launcher sets one (Open MPI, MPICH, Intel MPI, MVAPICH,
/// Slurm), else claim_device. `devices` names each device in a way that is the same for all processes of the
/// machine (PCI address); there must be one. Throws std::invalid_argument where `asked` is not the number of
/// a device.
int choose_device(const std::string& asked, const std::vector<std::string>& devices);

/// The one CUDA device of this process. The first call chooses it as choose_device(asked); later calls give
/// the same one, whatever `asked` is. Throws std::exception where there is none. Only in programs with CUDA.
int device_of_process(const std::string& asked);

/// Takes the first free slot: slot 0 of each device, then slot 1, and so on; so the device with the fewest
/// locks. A slot is a lock on a file in `folder`, which the system drops with the process, however it ends;
/// two processes never get the same one. Without a folder to lock in, device 0.
int claim_device(const std::vector<std::string>& devices, const std::filesystem::path& folder = "/dev/shm");

}  // namespace ranmar::corsika
