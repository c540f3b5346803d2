// Results of a production: how a run is published, its files first and its manifest last, and how it is
// verified. Writes in results/NNN and quarantine/RUN of a production. Manifests alone say which runs are
// done; attempts say which are poisoned.
#pragma once

#include <filesystem>
#include <optional>
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
/// support::Error where it cannot write.
Publication publish(const ProductionPlan& plan, const std::filesystem::path& folder, RunManifest manifest,
                    const std::filesystem::path& staging);

/// How much of a published run is read.
enum class VerifyDepth {
  sizes,   ///< the manifest, and the sizes of the files that it names
  digests  ///< and the checksum of all that they hold
};

/// A run's state.
struct RunState {
  enum class Kind {
    published,  ///< its manifest and files are as they should be
    missing,    ///< there is no manifest
    rejected,   ///< there is one, and it or a file is not right: `reason`
    poisoned    ///< there is none, and two attempts stopped at the same shower: `reason`
  };
  Kind kind = Kind::missing;
  std::string reason;
  std::optional<RunManifest> manifest;  ///< of a published run
};

/// Verifies one run. `digest` is plan_digest() of the folder. Right is a manifest of this plan and of this
/// run (a copy of another's is not), with the planned seeds and showers, whose files are there with their
/// sizes and, where asked, their checksums.
RunState verify_run(const ProductionPlan& plan, const std::filesystem::path& folder,
                    const std::string& digest, std::int64_t run, VerifyDepth depth);

/// Moves the manifest of a rejected run, and the files that carry its number, to quarantine/RUN/, so that the
/// run is made again. Does nothing where there is no manifest. Throws support::Error where it cannot.
void set_aside(const ProductionPlan& plan, const std::filesystem::path& folder, std::int64_t run,
               const std::string& reason);

}  // namespace overlay
