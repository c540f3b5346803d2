// What the engines' writers share. Writes below the production's folder.
#pragma once

#include <filesystem>
#include <string>

#include "overlay/production/emit.hpp"

namespace overlay {

/// A production and what to write for it.
struct EmitJob {
  const ProductionPlan& plan;
  const EmitRequest& request;
  const EngineRequests& requests;
  std::filesystem::path folder;  ///< of the production, absolute
};

/// The user's own lines for a job file, each with its line end.
std::string own_lines(const EmitRequest& request);

/// Writes a text, executable or not.
void write_engine_file(const std::filesystem::path& file, const std::string& text, bool executable);

// Each writes its folder and returns the file to start with.
std::filesystem::path emit_htcondor(const EmitJob& job);
std::filesystem::path emit_slurm(const EmitJob& job);
std::filesystem::path emit_local(const EmitJob& job);

}  // namespace overlay
