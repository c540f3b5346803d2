// Which of a machine's devices a process takes, so that processes started side by side spread over them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ranmar::corsika {

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
