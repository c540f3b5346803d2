#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "commands.hpp"
#include "support/process.hpp"

namespace overlay {

using support::Error;

void BuildOptions::add_to(CLI::App& command) {
  app = &command;
  command.add_option("--corsika", request.corsika, "CORSIKA 7 archive, unpacked tree, URL, or 'standin'")
      ->required()
      ->type_name("PATH");
  command
      .add_option("--profile", request.profile,
                  "shower run: " + support::join(overlay::list_profiles(), ", ") + ", or the path of a .toml")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--flags", request.flags,
                  "shipped (CORSIKA's own: no optimisation), tuned (-O2), or compiler flags")
      ->capture_default_str();
  command.add_option("--gpu", request.gpu, "auto, on or off")->capture_default_str();
  command.add_option("--out", request.out, "folder for everything that is made")
      ->capture_default_str()
      ->type_name("DIR");
  command.add_option("--card", request.card, "your own input card instead of the profile's")
      ->type_name("FILE");
  command.add_option("--showers", showers, "number of showers");
  command.add_option("--erange", erange,
                     "energies in GeV: MIN,MAX or 'production' for the profile's whole range");
  command.add_option("--zenith", zenith, "zenith angle in degrees");
  command.add_option("--atmosphere", atmosphere,
                     "number of the atmosphere table: 61 (VERITAS winter), 62 (summer), or the package's");
  command.add_option("--seed", seed, "first seed; the others follow");
  command
      .add_option("--atmosphere-dir", request.atmosphere_dir,
                  "folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)")
      ->type_name("DIR");
  command.add_option("--sha256", request.sha256, "what the archive's checksum must be");
  command.add_option("--known", request.known, "your own list of releases and checksums")->type_name("FILE");
  command.add_option("--jobs", request.jobs, "processes of make (default: all processors)");
}

overlay::BuildRequest BuildOptions::finish() const {
  auto result = request;
  auto given = [&](const char* name) { return app->count(name) > 0; };
  if (given("--showers")) result.parameters.showers = showers;
  if (given("--zenith")) result.parameters.zenith = zenith;
  if (given("--atmosphere")) result.parameters.atmosphere = atmosphere;
  if (given("--seed")) result.parameters.seed = seed;
  if (erange == "production") {
    result.parameters.production_energies = true;
  } else if (!erange.empty()) {
    double low = 0, high = 0;
    char rest = 0;
    if (std::sscanf(erange.c_str(), "%lf,%lf%c", &low, &high, &rest) != 2)
      throw support::Error(
          fmt::format("--erange {} makes no sense; give MIN,MAX in GeV (300,3000) or 'production'", erange));
    result.parameters.energy_range = std::pair{low, high};
  }
  return result;
}

std::filesystem::path program_folder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : self.parent_path();
}

void run_instead(const std::string& program, const std::vector<std::string>& arguments) {
  const auto path = program_folder() / program;
  if (!support::find_program(path.string()))
    throw support::Error(fmt::format(
        "{} is not built; run scripts/overlay, or cmake --build --preset default", path.string()));
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw support::Error(fmt::format("cannot start {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace overlay
