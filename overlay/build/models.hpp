// What options need in a tree: tables, packages, atmospheres. Reads only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/toml.hpp"

namespace overlay {

/// profiles/models.toml: what options need in a tree, and what a run folder holds. Throws Error.
support::Toml read_models();

/// True where name matches a shell wildcard.
bool matches(const std::string& name, const std::string& wildcard);

/// What of a folder has a name that matches one of the wildcards, by name; nothing where it cannot be read.
std::vector<std::filesystem::path> matching_files(const std::filesystem::path& folder,
                                                  const std::vector<std::string>& wildcards);

/// A data file that is really there: not empty, and not the pointer of a few bytes that a large-file store
/// (Git LFS, git-annex) leaves in its place.
bool is_data_file(const std::filesystem::path& file);

/// What `options`, and all runs, need and the tree lacks, one phrase each; empty where nothing is missing.
std::vector<std::string> missing_parts(const support::Toml& models, const std::filesystem::path& tree,
                                       const std::vector<std::string>& options);

/// Resolves "A|B": the first of which nothing is missing, else the last. Each choice that is not the first
/// leaves a line in notes.
std::vector<std::string> resolve_alternatives(const support::Toml& models, const std::filesystem::path& tree,
                                              const std::vector<std::string>& options,
                                              std::vector<std::string>& notes);

/// Table of an atmosphere: in `extra` (--atmosphere-dir), $CORSIKA_ATMOSPHERES, the tree's run/ or bernlohr/,
/// where it may still be inside the package's archive (then the archive's path is returned). Empty where
/// there is none.
std::filesystem::path find_atmosphere(int number, const std::filesystem::path& tree,
                                      const std::filesystem::path& extra);

}  // namespace overlay
