// Publishing of a run: its files first, its manifest last. Writes in results/NNN and quarantine/RUN of a
// production.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/manifest.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// An output in a run folder, ready to be packed.
struct OutputFile {
  std::filesystem::path path;
  std::string name;     ///< relative to the run folder
  bool publish = true;  ///< false: the manifest names it and its checksums, and it is not kept
};

/// Checksums of the outputs, and packed copies of them in `staging`, a folder on the file system of
/// the results. Returns them with `published` set to the name in `staging`. Throws WorkerError: disk_full or
/// try_again.
std::vector<PublishedFile> pack_outputs(const std::vector<OutputFile>& outputs, std::int64_t run,
                                        const std::filesystem::path& staging);

/// How a publication went.
struct Publication {
  enum class Outcome { published, agrees, disagrees };
  Outcome outcome = Outcome::published;
  std::string reason;  ///< where it disagrees
};

/// Links the staged files and then the manifest into results/NNN. Nothing there is ever overwritten, so of
/// two attempts one publishes. The other one compares content: it agrees and leaves no trace, or both go to
/// quarantine/RUN, and the run is to be made again. `manifest.files` are in `staging`. Throws
/// WorkerError: disk_full or try_again.
Publication publish(const ProductionPlan& plan, const std::filesystem::path& folder, RunManifest manifest,
                    const std::filesystem::path& staging);

}  // namespace overlay
