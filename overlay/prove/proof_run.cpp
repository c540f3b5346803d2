// One short run of a proof, and the cards of a proof: see the header.
//
// Each quantity of a card has a list of values. Runs go through a list in blocks as long as it is; each block
// is in another order, so that all values come equally often and meet those of the other lists in turn.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/prove/prove.hpp"
#include "overlay/run/runner.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr const char* kEqual = "cherenkov: check equal:";
constexpr int kOffEvery = 8, kGpuEvery = 3;  // runs

using Environment = std::map<std::string, std::string>;

/// Why the outputs of two runs are not the same; empty where they are.
std::string output_difference(const RunResult& a, const RunResult& b) {
  const Identity identity = compare_folders(a.folder, b.folder, a.dates, b.dates);
  if (identity.identical) return {};
  return identity.reasons.empty() ? identity.could_not_compare : identity.reasons.front();
}

/// A primary, its energies and how many steps with light its showers have: `each` and `per_GeV` times the
/// energy, as measured on release 7.7410 with cuts of 20 MeV.
struct Primary {
  const char* name;
  int code;
  std::array<double, 4> energies_GeV;
  double each, per_GeV;
};

constexpr Primary kGamma{"gamma", 1, {10., 100., 300., 1000.}, 0., 680.};
constexpr Primary kElectron{"electron", 3, {10., 100., 200., 500.}, 0., 700.};
constexpr Primary kMuon{"muon", 6, {8., 20., 100., 1000.}, 4000., 10.};
constexpr Primary kProton{"proton", 14, {200., 500., 1000., 3000.}, 0., 280.};
constexpr Primary kIron{"iron", 5626, {110. * 56, 110. * 56, 110. * 56, 110. * 56}, 0., 250.};
constexpr std::array kPrimaries{&kGamma, &kElectron, &kMuon, &kProton, &kGamma, &kMuon, &kIron, &kProton};
constexpr std::array kPrimariesOfStandin{&kGamma, &kElectron, &kMuon, &kGamma};
constexpr double kStandinSteps = 0.3;  // of CORSIKA's

/// From and to, degrees. Few cards have to do for CURVED, whose start takes long: each has showers of many
/// angles.
constexpr std::array<std::array<double, 2>, 6> kZeniths{
    {{20., 20.}, {0., 0.}, {40., 40.}, {55., 55.}, {65., 65.}, {70., 70.}}};
constexpr std::array<std::array<double, 2>, 4> kZenithsOfCurved{
    {{45., 70.}, {0., 45.}, {70., 80.}, {80., 85.}}};
constexpr double kLightOfCurved =
    0.5;  // more steps are above the atmosphere's light, or below an electron's threshold
constexpr double kMostOfSlant = 4.;  // as many steps as a vertical shower has a very inclined one
constexpr std::array kBunchSizes{5., 1., 20.};
constexpr std::array kShareOfSteps{1., 0.3, 1.5};  // with each of these: small bunches take most of the time
constexpr std::array kAtmospheres{"own T", "own F", "0 T", "0 F"};
constexpr std::array kTelescopes{"the card's", "one", "sixty"};
constexpr std::array kLongitudinal{"T 20. F F", "F 20. F F", "T 5. F F",
                                   "T 10. F F", "T 2. F F",  "F 10. F F"};
constexpr std::array kScatter{"1 0. 0.", "5 200.E2 0.", "10 750.E2 0.", "3 50.E2 100.E2"};
// Without IACT: numbers, distances and sizes of detectors; light is counted within what CSCAT scatters by.
constexpr std::array kGrids{"10 8 1200. 1500. 80. 50.", "27 27 1500. 1500. 100. 100.",
                            "1 1 0. 0. 3000. 2000.", "40 40 500. 300. 200. 150."};
constexpr std::array kScatterOfGrids{"5 100.E2 100.E2", "20 300.E2 150.E2", "1 50.E2 400.E2",
                                     "3 1.E2 1000.E2", "1 0. 0."};
constexpr std::array kLevels{"", "4200.E2", "", "2200.E2"};  // empty: the card's; tables end at low ones
constexpr std::array kWavelengths{"", "300. 600.", ""};
constexpr int kTwoLevelsEvery = 6;  // runs of CORSIKA, which takes several levels without CURVED
constexpr std::array kTurns_degrees{0., 10.4, 123., -70.};

/// A number that is as good as random, the same on every machine (splitmix64).
std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The index that run `number` takes from a list of `size`; `list` tells lists apart.
std::size_t place(int number, std::size_t size, std::uint64_t list) {
  const auto block = static_cast<std::uint64_t>(number) / size;
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size - 1; i > 0; --i)
    std::swap(order[i], order[hash(hash(list) + 1000 * block + i) % (i + 1)]);
  return order[static_cast<std::size_t>(number) % size];
}

template <class List>
const auto& value_of(const List& list, int number, std::uint64_t which) {
  return list[place(number, list.size(), which)];
}

/// Spheres of 3 to 12 m radius in a square of 100 m spacing, some on hills.
std::vector<std::string> telescopes(int how_many) {
  std::vector<std::string> lines;
  constexpr int kRow = 8;
  for (int i = 0; i < how_many; ++i) {
    const double x = how_many == 1 ? 30. : 100. * (i % kRow) - 350.,
                 y = how_many == 1 ? -20. : 100. * (i / kRow) - 350.;
    const double radius = std::array{7., 3., 12.}[static_cast<std::size_t>(i) % 3];
    lines.push_back(
        fmt::format("TELESCOPE {:.1f}E2 {:.1f}E2 {:.1f}E2 {:.1f}E2", x, y, radius + 5. * (i % 4), radius));
  }
  return lines;
}

std::vector<std::string> seeds(const Card& card, int number) {
  const auto how_many = std::ranges::count(card.lines(), "SEED", &CardLine::keyword);
  std::vector<std::string> lines;
  for (long i = 0; i < std::max<long>(4, how_many); ++i)
    lines.push_back(fmt::format("SEED {} 0 0", 20001 + 1000 * number + 2 * i));
  return lines;
}

/// The energy of a primary: the highest of its list that leaves room for a shower in so many steps, or a
/// lower one.
double energy_of(const Primary& primary, double nucleus_GeV, double scale, int number, std::uint64_t steps) {
  const auto& list = primary.energies_GeV;
  std::size_t fitting = 1;
  while (fitting < list.size() &&
         scale * (primary.each + primary.per_GeV * list[fitting]) <= static_cast<double>(steps))
    ++fitting;
  const double energy = list[place(number / 2, fitting, 20)];
  return primary.code == kIron.code ? std::max(energy, 56. * nucleus_GeV) : energy;
}

const Primary& primary_of(const BuildSet& set, int number, std::uint64_t steps) {
  if (set.standin) return *value_of(kPrimariesOfStandin, number, 1);
  const Primary& primary = *value_of(kPrimaries, number, 1);
  // A nucleus has to have 100 GeV a nucleon: too much for a few steps, or few cards.
  const bool too_large = primary.code == kIron.code &&
                         (contains(set.profile.options, "CURVED") ||
                          primary.per_GeV * primary.energies_GeV[0] > 4. * static_cast<double>(steps));
  return too_large ? kProton : primary;
}

/// Counts of the line that a checked program ends with; empty where there is none, because the shower made no
/// charged particle. `errors`: what it wrote to standard error.
std::map<std::string, std::uint64_t> check_counts(const std::string& errors) {
  std::map<std::string, std::uint64_t> counts;
  const Summary summary = part_said(errors, kEqual, "steps").values;
  for (const auto& [name, text] : summary)
    if (const auto value = number_in(summary, name); value && name != "every") counts[name] = *value;
  return counts;
}

/// The line of the first difference in what a checked program wrote to standard error; empty where there is
/// none.
std::string check_difference(const std::string& errors) {
  for (const auto& line : part_said(errors, "cherenkov:", "backend").others)
    if (line.find("check: step ") != std::string::npos) return line;
  return {};
}

}  // namespace

void run_proof_card(const BuildSet& set, const ProofOptions& options, ProofRun& result, int number) {
  const bool odd = number % 2 != 0, gpu = options.gpu && number % kGpuEvery == 1;
  const bool stock = set.programs.contains("stock");
  const Environment off{{"CHERENKOV_BACKEND", "off"}};
  const support::TemporaryFolder folder(options.folder, "run");
  // Runs a build to its end, in a folder of its own. Throws as run_program() does.
  const auto run = [&](const char* build, const std::string& what, const Environment& environment) {
    auto spec = corsika_run(set, build, result.card, folder.path() / what);
    spec.environment = environment;
    spec.timeout_s = options.timeout_s;
    spec.check = options.poll;
    return run_program(spec);
  };
  RunResult reference;
  try {
    reference = stock ? run("stock", "stock", {}) : run("patched", "reference", off);
    // CORSIKA stops with status 0 where it does not like a value; its files are not whole then.
    result.reason = output_difference(reference, reference);
  } catch (const support::Error& problem) {
    result.reason = problem.what();
  }
  result.left_out = !result.reason.empty();
  if (result.left_out) return;
  result.cpu_s["stock"] = reference.cpu_s();
  // Runs the patched program, and sets its outputs, which are `whose`, against the reference.
  const auto try_with = [&](const std::string& name, const char* whose, const Environment& environment) {
    if (!result.reason.empty()) return;
    RunResult made;
    try {
      made = run("patched", name, environment);
    } catch (const support::Error& problem) {
      result.reason = problem.what();
    }
    const std::string errors = folder.read(name + "/errors");
    if (const auto line = check_difference(errors); !line.empty()) result.reason = line;
    if (result.reason.empty())
      if (const auto why = output_difference(reference, made); !why.empty())
        result.reason = fmt::format("{} leaves other outputs than stock: {}", whose, why);
    if (!result.reason.empty()) {
      for (const auto& [variable, value] : environment) result.repeat += variable + "=" + value + " ";
      return;
    }
    if (name != "off") result.cpu_s[name] = made.cpu_s();
    result.counts.merge(check_counts(errors));
    if (const auto summary = part_said(errors, "cherenkov:", "bunches").values; name == "stage")
      result.stage_bunches =
          number_in(summary, "bunches").value_or(0) + number_in(summary, "skipped").value_or(0);
  };
  try_with("check", "the checked program",
           {{"CHERENKOV_BACKEND", gpu ? "check-gpu" : "check"}, {"CHERENKOV_THREADS", odd ? "1" : "0"}});
  try_with("stage", "the stage",
           {{"CHERENKOV_BACKEND", gpu ? "gpu" : "cpu"},
            {"CHERENKOV_THREADS", odd ? "0" : "1"},
            {"CHERENKOV_SUMMARY", "1"},
            {"CHERENKOV_UNPROVEN", "1"}});
  if (number % kOffEvery == 0 && stock) try_with("off", "the patched program without the stage", off);
}

ProofRun proof_card(const BuildSet& set, int number, std::uint64_t steps) {
  const Card card(set.card);
  const bool curved = contains(set.profile.options, "CURVED");
  auto [least, most] = curved ? value_of(kZenithsOfCurved, number, 2) : value_of(kZeniths, number, 2);
  const double cone = card_real(card.word("VIEWCONE", 2)).value_or(0.);
  most = std::max(0., std::min(most, (curved ? 85. : 70.) - cone));
  least = std::min(least, most);
  if (card.has("VIEWCONE")) least = most = (least + most) / 2;  // CORSIKA takes no range with it
  double scale = set.standin ? kStandinSteps : 1.;
  if (curved)
    scale *=
        kLightOfCurved * std::min(kMostOfSlant, 1. / std::cos((least + most) / 2 * std::numbers::pi / 180.));
  const std::size_t size = place(number, kBunchSizes.size(), 3);
  const auto wanted = static_cast<std::uint64_t>(kShareOfSteps[size] * static_cast<double>(steps));
  const Primary& primary = primary_of(set, number, wanted);
  const double energy =
      energy_of(primary, 1.1 * card_real(card.word("HILOW")).value_or(100.), scale, number, wanted);
  const double each = scale * (primary.each + primary.per_GeV * energy);
  const long showers = std::clamp(std::lround(static_cast<double>(wanted) / each), 1L, 200L);
  const double azimuth = std::fmod(137.5 * number, 360.);
  const bool grid = !contains(set.profile.options, "IACT");
  const std::string telescope_set = grid ? "of a grid" : value_of(kTelescopes, number, 5);
  const std::string longitudinal = value_of(kLongitudinal, number, 6),
                    scatter = grid ? value_of(kScatterOfGrids, number, 7) : value_of(kScatter, number, 7);
  const double turn = value_of(kTurns_degrees, number, 8);
  std::string atmosphere;
  if (contains(set.profile.options, "ATMEXT")) {
    const std::string which = value_of(kAtmospheres, number, 4);
    const int own = set.standin ? 1 : card.atmosphere();
    atmosphere = fmt::format("{} {}", which.starts_with("own") ? own : 0, which.back());
  }

  auto text = changed_card(set.card, [](const std::string& line) {
    return names_telescope_output(line) ? std::nullopt : std::optional(line);
  });
  const auto put = [&](const char* keyword, const std::string& values) {
    text = card_with_lines(text, keyword, {fmt::format("{} {}", keyword, values)});
  };
  if (grid) {
    put("CERARY", value_of(kGrids, number, 5));
    put("CERFIL", std::to_string(number % 4));
  } else if (telescope_set != "the card's") {
    text = card_with_lines(text, "TELESCOPE", telescopes(telescope_set == "one" ? 1 : 60));
  }
  if (!atmosphere.empty()) put("ATMOSPHERE", atmosphere);
  if (!grid) put("TELFIL", "telescope.dat");
  put("PAROUT", "T F");
  put("DIRECT", "./");
  put("LONGI", longitudinal);
  put("CSCAT", scatter);
  if (const std::string level = value_of(kLevels, number, 9); !level.empty()) {
    put("OBSLEV", level);
    if (!set.standin && !curved && number % kTwoLevelsEvery == 1)
      text = card_with_lines(text, "OBSLEV", {"OBSLEV " + level, "OBSLEV 6000.E2"});
  }
  if (const std::string wavelengths = value_of(kWavelengths, number, 10); !wavelengths.empty())
    put("CWAVLG", wavelengths);
  // At 1E-4 of these energies hardly a particle has a weight.
  if (contains(set.profile.options, "THIN") && number % 2 == 1) put("THIN", "1.E-2 1.E4 0.");
  put("ARRANG", fmt::format("{:.1f}", turn));
  put("CERSIZ", fmt::format("{:.1f}", kBunchSizes[size]));
  put("THETAP", fmt::format("{:.2f} {:.2f}", least, most));
  put("PHIP", fmt::format("{0:.1f} {0:.1f}", azimuth));
  put("ERANGE", fmt::format("{0:.1f} {0:.1f}", energy));
  put("PRMPAR", std::to_string(primary.code));
  text = card_with_lines(text, "SEED", seeds(card, number));
  put("NSHOW", std::to_string(showers));
  put("EVTNR", "1");
  put("RUNNR", "1");
  const std::string name = fmt::format(
      "{}: {} {} of {:.0f} GeV, zenith {}, azimuth {:.0f}, bunches of {:.0f}, {}telescopes {} in {} copies, "
      "LONGI {}",
      number + 1, showers, primary.name, energy,
      least == most ? fmt::format("{:.0f}", most) : fmt::format("{:.0f} to {:.0f}", least, most), azimuth,
      kBunchSizes[size], atmosphere.empty() ? std::string() : "atmosphere " + atmosphere + ", ",
      telescope_set, scatter.substr(0, scatter.find(' ')), longitudinal.substr(0, longitudinal.find(" F")));
  ProofRun run;
  run.name = name;
  run.card = text;
  return run;
}

}  // namespace overlay
