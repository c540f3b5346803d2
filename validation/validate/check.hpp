// A check of one claim: the command that makes it, and how its output is judged. Computes only; main.cpp runs
// commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace validation {

enum class Judge {
  kStatus,      ///< exit status 0
  kAccepted,    ///< no p-value of a battery is beyond the limit, but those of known weaknesses
  kRejected,    ///< a control: at least one p-value is
  kIsing,       ///< both deviations are within kMostSigmas
  kIsingCaught  ///< R250: one of them is beyond kCaughtSigmas
};

inline constexpr double kLeastP = 1e-6;  ///< and 1 - kLeastP: dieharder's own limit for FAILED
inline constexpr double kMostSigmas = 4.;
inline constexpr double kCaughtSigmas = 5.;

struct Check {
  std::string name;     ///< of its record, unique: "dieharder-form48-2"
  std::string group;    ///< of the page
  std::string claim;    ///< a sentence
  std::string command;  ///< for sh; ends with 77 where it cannot run here
  Judge judge = Judge::kStatus;
  std::vector<std::string> known_weaknesses{};  ///< tests of a battery that are known to reject
  int timeout_s = 600;
};

/// A number that a command printed, with its name: a p-value or a deviation in standard errors.
struct Value {
  std::string name;
  double number = 0.;
  bool known = false;  ///< a known weakness
};

enum class Verdict { kHolds, kFails, kSkipped };

struct Outcome {
  Verdict verdict = Verdict::kFails;
  std::string said;  ///< one line
  std::vector<Value> values;
};

/// p-values in the output of dieharder, of ranmar-testu01, of batteries/nist or of PractRand.
std::vector<Value> p_values(const std::string& output);

/// The deviations of energy and specific heat in the line of ranmar-ising.
std::vector<Value> deviations(const std::string& output);

/// Judges what a command printed and how it ended.
Outcome judge(const Check& check, int status, bool timed_out, const std::string& output);

/// What a machine has for checks.
struct Setup {
  std::filesystem::path programs;  ///< folder of our programs
  std::filesystem::path known_answers;
  std::filesystem::path scripts{};  ///< the folder validation
  std::filesystem::path out;        ///< for what commands make
  std::filesystem::path sts{};      ///< where NIST's suite was built; empty: nowhere
  std::string corsika = "standin";
  bool full = false;
  bool has_dieharder = false, has_testu01 = false, has_practrand = false;
};

/// All checks in their order. Names are unique.
std::vector<Check> checks(const Setup& setup);

}  // namespace validation
