// Lists combinations and columns: see the header.
#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "overlay/build/profile.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace matrix {
namespace fs = std::filesystem;
namespace {

/// Hadronic interaction models by coconut's names: above and below some 100 GeV.
const std::set<std::string> kHighModels{"QGSJETII", "QGSJET01", "QGSJETIII", "QGSJET", "SIBYLL",
                                        "EPOS",     "DPMJET",   "VENUS",     "NEXUS",  "HDPM"};
const std::set<std::string> kLowModels{"GHEISHA", "URQMD", "FLUKA"};

void check_each_of(const char* option, const std::vector<std::string>& values,
                   const std::vector<std::string>& known) {
  for (const auto& value : values)
    if (std::find(known.begin(), known.end(), value) == known.end())
      throw support::Error(
          fmt::format("{} cannot have {}; give some of {}", option, value, support::join(known, ",")));
}

std::pair<std::string, std::string> two_models(const std::string& models) {
  const auto plus = models.find('+');
  std::pair<std::string, std::string> two{models.substr(0, plus),
                                                plus == std::string::npos ? "" : models.substr(plus + 1)};
  if (!kHighModels.contains(two.first) || !kLowModels.contains(two.second))
    throw support::Error(fmt::format(
        "--models cannot have {}; give profile, or two models as coconut names them, as SIBYLL+URQMD",
        models));
  return two;
}

/// The profile as a file of its own, beside copies of its cards. Returns the file.
fs::path profile_with_models(const std::string& profile, const std::string& models, const fs::path& folder) {
  const auto original = overlay::load_profile(profile);
  const auto cards = original.file.parent_path() / "cards";
  fs::create_directories(folder / "cards");
  for (const auto& card : fs::directory_iterator(cards))
    support::write_file(folder / "cards" / card.path().filename(), support::read_file(card.path()));
  auto file = folder / (original.name + "+" + models + ".toml");
  support::write_file(file, with_models(support::read_file(original.file), models));
  return file;
}

std::string first_line_of(const std::string& program) {
  const auto text = support::run({.argv = {program, "--version"}}).output;
  return text.substr(0, text.find('\n'));
}

/// Checksum of all that the programs and the runs of a combination are made from.
std::string key_of(const Combination& combination, const Options& options, const std::string& programs) {
  const auto profile = overlay::load_profile(combination.request.profile);
  std::string text = fmt::format("tree {}\nprograms {}\nflags {}\ngpu {}\nshowers {}\nerange {}\n",
                                 combination.source.sha256, programs, combination.flags, options.gpu,
                                 options.parameters.showers.value_or(0), options.erange);
  text += support::read_file(profile.file) + overlay::card_template(profile, combination.source.standin);
  if (options.atmosphere_dir) text += support::sha256_of_tree(*options.atmosphere_dir);
  text += fmt::format("\n{}\n{}\nprove {}\n", first_line_of("gfortran"), first_line_of("gcc"),
                      options.prove_steps);
  return support::sha256_of_text(text);
}

Combination combination_of(const Options& options, const overlay::SourceTree& source,
                           const std::string& corsika, const std::string& profile) {
  Combination combination;
  combination.source = source;
  combination.profile = profile;
  auto& request = combination.request;
  request.corsika = corsika;
  request.profile = profile;
  request.gpu = options.gpu;
  request.out = options.out / "build";
  request.parameters = options.parameters;
  request.atmosphere_dir = options.atmosphere_dir;
  request.jobs = options.jobs;
  return combination;
}

}  // namespace

std::map<std::string, std::string> Column::environment() const {
  std::map<std::string, std::string> result{{"RANMAR_BACKEND", backend},
                                            {"RANMAR_SUMMARY", "1"},
                                            {"CHERENKOV_BACKEND", cherenkov == "thread" ? "cpu" : cherenkov},
                                            {"CHERENKOV_SUMMARY", "1"}};
  if (cherenkov == "thread") result["CHERENKOV_THREADS"] = "1";
  return result;
}

std::string Combination::name() const {
  return fmt::format("{}-{}-{}-{}", source.id, profile, flags, models);
}

std::string Combination::title() const {
  const std::string how = models == "profile" ? "" : ", " + models;
  return fmt::format("{}, {}, {}{}", source.version, profile, flags, how);
}

std::vector<Column> columns(const Options& options) {
  check_each_of("--backends", options.backends, {"reference", "simd", "cuda", "opencl"});
  check_each_of("--cherenkov", options.cherenkov, {"off", "cpu", "thread", "gpu"});
  std::vector<Column> result;
  for (const auto& backend : options.backends)
    for (const auto& cherenkov : options.cherenkov) result.push_back({backend, cherenkov});
  return result;
}

std::string with_models(const std::string& profile, const std::string& models) {
  const auto [high, low] = two_models(models);
  std::string result;
  bool named = false;
  std::size_t at = 0;
  while (at < profile.size()) {
    const auto end = std::min(profile.find('\n', at), profile.size());
    std::string line = profile.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("options = [")) {
      static const std::regex word("\"([^\"|]+)(\\|[^\"]*)?\"");
      std::string changed;
      auto from = line.cbegin();
      for (std::sregex_iterator match(line.begin(), line.end(), word), none; match != none; ++match) {
        changed.append(from, line.cbegin() + match->position());
        const std::string name = (*match)[1];
        const bool is_high = kHighModels.contains(name), is_low = kLowModels.contains(name);
        changed += is_high ? '"' + high + '"' : is_low ? '"' + low + '"' : match->str();
        named = named || is_high || is_low;
        from = line.cbegin() + match->position() + match->length();
      }
      line = changed.append(from, line.cend());
    }
    result += line + "\n";
  }
  if (!named) throw support::Error("the profile names no hadronic model; leave --models out");
  return result;
}

std::vector<Combination> combinations(const Options& options, const std::string& programs) {
  check_each_of("--flags", options.flags, {"tuned", "shipped"});
  std::vector<Combination> result;
  for (const auto& corsika : options.corsika) {
    const auto source = overlay::obtain_source({corsika, options.out / "build", "", std::nullopt});
    for (const auto& profile : options.profiles)
      for (const auto& models : options.models)
        for (const auto& flags : options.flags) {
          auto combination = combination_of(options, source, corsika, profile);
          combination.flags = combination.request.flags = flags;
          combination.models = models;
          if (models != "profile")
            combination.request.profile =
                profile_with_models(profile, models, options.out / "profiles").string();
          const auto loaded = overlay::load_profile(combination.request.profile);
          if (models == "profile") combination.profile = loaded.name;
          if (source.standin && !loaded.standin)
            throw support::Error(fmt::format("profile {} has no section for the stand-in", profile));
          const auto& names = source.standin ? loaded.standin->options : loaded.options;
          combination.light = std::find(names.begin(), names.end(), "CERENKOV") != names.end();
          combination.key = key_of(combination, options, programs);
          result.push_back(std::move(combination));
        }
  }
  return result;
}

}  // namespace matrix
