// What the matrix compares: combinations of release, profile, flags and models, and for each the columns,
// which are environments of the patched program. Writes profiles with other models below a given folder
// alone.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/build/source.hpp"

namespace matrix {

struct Options {
  std::vector<std::string> corsika;  ///< archives, unpacked trees, or "standin"
  /// models: "profile" (those of the profile), or two as with_models() takes them.
  std::vector<std::string> profiles, flags{"tuned", "shipped"}, models{"profile"};
  std::vector<std::string> backends{"reference", "simd"}, cherenkov{"off", "cpu", "thread"};
  std::filesystem::path out = "build/overlay/matrix";
  std::optional<std::filesystem::path> atmosphere_dir;
  overlay::Parameters parameters;  ///< showers and energies
  std::string erange;              ///< as given
  std::string gpu = "auto";        ///< whether patched programs can use CUDA: auto, on, off
  int jobs = 0;                    ///< processes of make, and programs that run at a time; 0: all processors
  double timeout_s = 0;            ///< of a run; 0: as overlay compare
  long prove_steps = 0;            ///< 0: a Cherenkov stage that is not known stays off
  long stop_after = 0;             ///< cells that are run; 0: all
  std::string command;             ///< as it was called
};

/// How the patched program is run.
struct Column {
  std::string backend;    ///< RANMAR_BACKEND
  std::string cherenkov;  ///< off, cpu, gpu: CHERENKOV_BACKEND; thread: cpu with CHERENKOV_THREADS=1

  std::string name() const { return backend + "-" + cherenkov; }
  std::map<std::string, std::string> environment() const;
};

/// What is built once, as stock and as patched.
struct Combination {
  overlay::SourceTree source;
  overlay::BuildRequest request;
  std::string profile, flags, models;
  bool light = false;  ///< whether the program makes Cherenkov light
  std::string key;     ///< checksum of all that its programs and runs are made from

  std::string name() const;   ///< also of its folder of records
  std::string title() const;  ///< for people
};

/// The columns, in the order of the page.
std::vector<Column> columns(const Options& options);

/// All combinations, release by release. `programs`: checksum of patcher, rules and libraries. Throws Error
/// where an option cannot be as it is.
std::vector<Combination> combinations(const Options& options, const std::string& programs);

/// A profile's text with other hadronic models: high-energy and low-energy model as "SIBYLL+URQMD". Every
/// line of options is changed, the stand-in's too. Throws Error where the text names no models.
std::string with_models(const std::string& profile, const std::string& models);

}  // namespace matrix
