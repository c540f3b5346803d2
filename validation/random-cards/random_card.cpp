// Random cards: see the header.
#include "random_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <random>

namespace random_cards {
namespace {

/// Random numbers that are the same with every standard library.
class Dice {
 public:
  Dice(std::uint64_t seed, long number) : engine_(seed * 1'000'003 + static_cast<std::uint64_t>(number)) {
    engine_.discard(100);
  }
  double from(double low, double high) {
    constexpr double kStep = 0x1p-53;
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * kStep;
  }
  /// Evenly in the logarithm.
  double scale(double low, double high) { return std::exp(from(std::log(low), std::log(high))); }
  int whole(int low, int high) { return low + static_cast<int>(from(0, high - low + 1)); }
  bool chance(double share) { return from(0, 1) < share; }
  template <class T>
  T any(std::initializer_list<T> values) {
    return values.begin()[whole(0, static_cast<int>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

/// The lines of a card, and what the name says of them.
class Lines {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> line, Values&&... values) {
    text_ += fmt::format(line, std::forward<Values>(values)...) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Primary {
  const char* name;
  int code;
  double nucleons;   ///< 0: neither a nucleus nor a proton
  double light;      ///< of a gamma of the same energy
  double least_GeV;  ///< below it there is no light, or CORSIKA refuses it
};
constexpr Primary kGamma{"gamma", 1, 0, 1., 10.}, kElectron{"electron", 3, 0, 1., 10.},
    kPositron{"positron", 2, 0, 1., 10.}, kMuon{"muon", 6, 0, 0.2, 8.}, kAntimuon{"antimuon", 5, 0, 0.2, 8.},
    kProton{"proton", 14, 1, 0.4, 60.}, kPion{"pion", 8, 0, 0.4, 60.}, kHelium{"helium", 402, 4, 0.4, 400.},
    kNitrogen{"nitrogen", 1407, 14, 0.4, 1400.};

constexpr int kTablesOfPackage = 30;  // their numbers are lower

double angles(Lines& card, Dice& dice, bool curved, double cone) {
  const double most = (curved ? 84. : 66.) - cone;
  const double zenith = dice.chance(0.1) ? 0. : dice.from(0., most);
  const double last = dice.chance(0.4) ? std::min(most, zenith + dice.scale(0.1, 20.)) : zenith;
  card.add("THETAP {:.3f} {:.3f}", zenith, last);
  const double azimuth = dice.from(-180., 180.);
  if (dice.chance(0.3))
    card.add("PHIP 0. 360.");
  else
    card.add("PHIP {:.3f} {:.3f}", azimuth, dice.chance(0.5) ? azimuth : azimuth + dice.from(0., 90.));
  return zenith;
}

void telescopes(Lines& card, Dice& dice) {
  const int how_many = dice.any({1, 1, 2, 3, 4, 5, 7, 12, 25, 60});
  const double field = dice.scale(20., 500.);
  double x = 0, y = 0;
  for (int i = 0; i < how_many; ++i) {
    if (i == 0 || !dice.chance(0.1)) {  // else one that overlaps the one before
      x = dice.from(-field, field);
      y = dice.from(-field, field);
    }
    const double radius = dice.any({7., 12.5, dice.scale(0.3, 40.)});
    card.add("TELESCOPE {:.2f}E2 {:.2f}E2 {:.2f}E2 {}{:.3f}E2", x, y,
             dice.chance(0.4) ? 0. : dice.from(0., 40.), dice.chance(0.01) ? "-" : "", radius);
  }
  if (dice.chance(0.7)) card.add("ARRANG {:.2f}", dice.from(-180., 180.));
  if (dice.chance(0.7))
    card.add("CSCAT {} {:.1f}E2 {}", dice.any({1, 2, 3, 5, 10, 20}), dice.any({0., dice.scale(5., 1000.)}),
             dice.chance(0.2) ? fmt::format("{:.1f}E2", dice.scale(5., 500.)) : "0.");
}

void light(Lines& card, Dice& dice, const Target& target, double bunch) {
  if (!target.standin || bunch > 0) card.add("CERSIZ {:.2f}", bunch);
  const double shortest = dice.any({200., 250., 300., dice.from(180., 400.)});
  const double longest = dice.any({600., 700., dice.from(shortest + 20., 700.)});
  card.add("CWAVLG {:.1f} {:.1f}", shortest, longest);
  const std::string file = dice.any({"telescope.dat", "telescope.dat", "light.iact", "Light_2.dat"});
  card.add("TELFIL {}", file);
  if (target.standin) return;
  if (dice.chance(0.9)) card.add("CERFIL {}", dice.any({0, 0, 0, 1}));
  if (target.has("CEFFIC"))
    card.add("CERQEF {} {} {}", dice.any({"T", "F"}), dice.any({"T", "F"}), dice.any({"T", "F"}));
  if (dice.chance(0.1)) card.add("IACT setenv RANDOM_CARDS {}", dice.whole(1, 9));
  // Release 1.63 of the package takes the name, and then does not know the line.
  if (dice.chance(0.02)) card.add("IACT telfil other_{}.dat", dice.whole(1, 9));
  if (dice.chance(0.1)) card.add("IACT print_events {} 1 1 {}", dice.whole(0, 5), dice.whole(1, 3));
  if (dice.chance(0.1)) card.add("IACT internal_bunches {}", dice.any({1000, 20000, 1000000}));
  if (dice.chance(0.1)) card.add("IACT max_bunches {}", dice.any({100, 20000, 1000000}));
  if (dice.chance(0.1)) card.add("IACT impact_correction {}", dice.any({"on", "off"}));
  if (dice.chance(0.1)) card.add("IACT split_auto {}", dice.any({"10k", "1M"}));
}

void heights(Lines& card, Dice& dice, const Target& target, const Primary& primary, double level_m) {
  card.add("OBSLEV {:.1f}E2", level_m);
  if (target.standin) return;
  if (!target.has("CURVED"))
    for (int more = dice.any({0, 0, 0, 1, 2, 4}); more > 0; --more)
      card.add("OBSLEV {:.1f}E2", dice.from(level_m + 100., 8000.));
  if (dice.chance(0.25))
    card.add("FIXCHI {:.2f}", dice.scale(1., 400.));
  else if (primary.nucleons > 0 && dice.chance(0.3))
    card.add("FIXHEI {:.1f}E5 {}", dice.from(12., 30.), dice.whole(0, 3));
}

/// The number of the table; 0 where there is none.
int atmosphere(Lines& card, Dice& dice, const Target& target) {
  if (target.atmospheres.empty() || dice.chance(0.05)) return 0;
  const auto last = static_cast<int>(target.atmospheres.size()) - 1;
  const int table = dice.chance(0.1) ? 0 : target.atmospheres[static_cast<std::size_t>(dice.whole(0, last))];
  card.add("ATMOSPHERE {} {}", table, dice.any({"T", "T", "F"}));
  return table;
}

/// What CORSIKA has and the stand-in has not.
void cascade(Lines& card, Dice& dice) {
  card.add("MAGNET {:.2f} {:.2f}", dice.from(5., 40.), dice.from(-50., 50.));
  card.add("ELMFLG {} T", dice.any({"F", "F", "T"}));
  card.add("RADNKG 200.E2");
  card.add("HADFLG 0 0 0 0 0 {}", dice.any({1, 2}));
  card.add("MUADDI {}", dice.any({"F", "T"}));
  card.add("MUMULT {}", dice.any({"F", "T"}));
  card.add("MAXPRT {}", dice.any({0, 1, 2, 50}));
  card.add("ECTMAP {}", dice.any({"1.E5", "1.E2"}));
  card.add("DEBUG F 6 F {}", dice.any({1, 999999999}));
  card.add("USER random");
}

std::map<std::string, std::string> settings(Dice& dice) {
  std::map<std::string, std::string> result;
  result["CHERENKOV_BACKEND"] = dice.any({"cpu", "auto", "cpu", "auto", "off"});
  if (dice.chance(0.7)) result["CHERENKOV_THREADS"] = dice.any({"0", "1"});
  if (dice.chance(0.8)) result["RANMAR_BACKEND"] = dice.any({"auto", "simd", "reference"});
  return result;
}

}  // namespace

bool Target::has(const std::string& option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

RandomCard random_card(const Target& target, std::uint64_t seed, long number) {
  Dice dice(seed, number);
  Lines card;
  const bool curved = target.has("CURVED");
  const Primary primary = target.standin ? dice.any({kGamma, kElectron, kMuon})
                                         : dice.any({kGamma, kGamma, kGamma, kElectron, kPositron, kMuon,
                                                     kAntimuon, kProton, kProton, kPion, kHelium, kNitrogen});
  card.add("RUNNR {}", dice.any({1, 2, dice.whole(3, 999999)}));
  card.add("EVTNR {}", dice.any({1, dice.whole(1, 9999)}));
  card.add("PRMPAR {}", primary.code);
  const double cone = target.has("VIEWCONE") ? dice.any({0., 3., 10.}) : 0.;
  if (target.has("VIEWCONE")) card.add("VIEWCONE 0. {:.1f}", cone);
  const double zenith = angles(card, dice, curved, cone);

  // A bunch of few photons, or a long way through the air, takes longer.
  const bool photons = target.has("CERWLEN") || target.has("CEFFIC");
  const double bunch = photons ? dice.any({1., 1., 3., 5.}) : dice.any({0., 1., 2.5, 5., 5., 20., 77.});
  double energy = dice.scale(50., 500.) / primary.light;
  if (bunch > 0 && bunch < 3) energy *= 0.4;
  if (curved) energy *= std::max(0.3, std::cos(zenith * std::numbers::pi / 180));
  if (target.standin) energy *= 0.3;
  const int showers = std::clamp(static_cast<int>(energy / primary.least_GeV), 1, dice.whole(1, 4));
  const double each = std::max(energy / showers, primary.least_GeV);
  card.add("NSHOW {}", showers);
  card.add("ERANGE {:.2f} {:.2f}", each, dice.chance(0.5) ? each : each * dice.scale(1.01, 2.));
  card.add("ESLOPE {:.2f}", dice.any({-2.7, -1., -1.5, dice.from(-4., 0.)}));

  // Sequences 1 to 3 are the least that a program with light uses.
  const int sequences = dice.any({2, 3, 3, 4, 4, 5, 6});
  for (int i = 0; i < sequences; ++i)
    card.add("SEED {} {} 0", dice.whole(1, 900000000), dice.chance(0.15) ? dice.whole(1, 300000) : 0);
  const int table = atmosphere(card, dice, target);
  // Tables of groups may begin at a kilometre.
  const double lowest_m = table > kTablesOfPackage ? 1050. : 0.;
  heights(card, dice, target, primary, dice.any({1270., 2200., lowest_m + 100., dice.from(lowest_m, 2800.)}));
  card.add("ECUTS {:.2f} {:.3f} {:.4f} {:.4f}", dice.scale(0.3, 1.), dice.scale(0.05, 0.5),
           dice.scale(0.015, 0.1), dice.scale(0.015, 0.1));
  card.add("LONGI {} {:.1f} F F", dice.any({"T", "T", "F"}),
           dice.any({20., 10., 5., 2., 7., 33., 100., dice.scale(1., 200.)}));
  if (!target.standin) cascade(card, dice);
  telescopes(card, dice);
  light(card, dice, target, bunch);
  card.add("PAROUT {} F", dice.any({"T", "T", "F"}));
  card.add("DIRECT ./");
  card.add("EXIT");
  return {fmt::format("{} of {:.0f} GeV, {} showers, zenith {:.1f}, bunches of {:.1f}", primary.name, each,
                      showers, zenith, bunch),
          card.text(), settings(dice)};
}

}  // namespace random_cards
