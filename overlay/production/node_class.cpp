// The class of a node: which last bits its libm computes, and which the production's nodes compute. Writes
// node-class.json alone.
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

#include "overlay/production/run.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// Adds the results of a function of one or two arguments. It is called through a volatile pointer, so that
/// no compiler computes a result in advance or takes a vector variant. Arguments are spread from `low` to
/// `high`, second ones from -`second` to `second`, by a multiplicative generator (Lewis, Goodman, Miller
/// 1969), whose products are exact in 64 bits.
template <class T, class Function>
void add_results(support::Sha256& sum, Function function, double low, double high, double second = 0) {
  constexpr int kArguments = 2000;
  std::uint64_t state = 20010911;
  const auto next = [&state](double from, double to) {
    state = state * 16807 % 2147483647;
    return static_cast<T>(from + (to - from) * (static_cast<double>(state) / 2147483647.0));
  };
  Function volatile call = function;
  for (int i = 0; i < kArguments; ++i) {
    const T first = next(low, high);
    T result = 0;
    if constexpr (std::is_invocable_v<Function, T, T>)
      result = call(first, next(-second, second));
    else
      result = call(first);
    sum.update(&result, sizeof result);
  }
}

template <class T>
void add_all(support::Sha256& sum) {
  using Two = T (*)(T, T);
  const struct {
    T (*call)(T);
    double low, high;
  } functions[] = {
      {std::sin, -50, 50},   {std::cos, -50, 50},    {std::tan, -10, 10},     {std::asin, -1, 1},
      {std::acos, -1, 1},    {std::atan, -20, 20},   {std::exp, -60, 60},     {std::exp2, -60, 60},
      {std::expm1, -3, 3},   {std::log, 1e-6, 1e6},  {std::log2, 1e-6, 1e6},  {std::log10, 1e-6, 1e6},
      {std::log1p, -0.9, 9}, {std::sinh, -9, 9},     {std::cosh, -9, 9},      {std::tanh, -4, 4},
      {std::asinh, -9, 9},   {std::acosh, 1, 90},    {std::atanh, -0.9, 0.9}, {std::erf, -3, 3},
      {std::erfc, -3, 3},    {std::lgamma, 0.1, 50}, {std::tgamma, 0.1, 20},  {std::cbrt, -99, 99}};
  for (const auto& function : functions) add_results<T>(sum, function.call, function.low, function.high);
  add_results<T>(sum, Two{std::pow}, 1e-3, 1e3, 9);
  add_results<T>(sum, Two{std::atan2}, -9, 9, 9);
  add_results<T>(sum, Two{std::hypot}, -9, 9, 9);
}

}  // namespace

std::string libm_bits() {
  support::Sha256 sum;
  add_all<double>(sum);
  add_all<float>(sum);
  return sum.hexadecimal();
}

std::string checked_class(const ProductionPlan& plan, const fs::path& folder, const fs::path& overlay) {
  if (plan.class_policy == "any") return {};
  support::Command command{.argv = {overlay.string(), "production", "libm-bits"},
                           .errors = support::Command::Errors::kDropped};
  if (!plan.tunables.empty()) command.environment["GLIBC_TUNABLES"] = plan.tunables;
  const auto result = support::run(command);
  constexpr std::size_t kDigits = 64, kShown = 12;
  if (result.status != 0 || result.output.size() < kDigits)
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("{} cannot compute libm's bits on this node", overlay.string()));
  const std::string own = result.output.substr(0, kDigits);
  // link(2) fails where the name is taken, on network file systems too, so the first node's class stays.
  const fs::path place = folder / "node-class.json";
  if (std::error_code error; !fs::exists(place, error)) {
    const fs::path mine = folder / fmt::format(".node-class.json.{}", support::random_name());
    const nlohmann::json text{{"format", 1}, {"libm", own}, {"measured_on", host_name()}};
    support::write_file(mine, text.dump(2) + "\n");
    const int problem = link(mine.c_str(), place.c_str()) == 0 ? 0 : errno;
    unlink(mine.c_str());
    if (problem != 0 && problem != EEXIST) throw cannot_write(place, problem);
  }
  const auto text = nlohmann::json::parse(support::read_file(place), nullptr, false);
  if (!text.is_object() || !text.contains("libm") || !text["libm"].is_string())
    throw support::Error("{} is damaged; delete it where no run is published yet, else copy it from a backup",
                         place.string());
  const std::string known = text["libm"];
  if (own == known) return own;
  throw WorkerError(
      WorkerExit::other_bits,
      fmt::format(
          "{} is of another class than the production's nodes: libm gives other bits here ({} instead of "
          "{}); run it elsewhere, or plan with --processors pinned",
          host_name(), own.substr(0, kShown), known.substr(0, kShown)));
}

}  // namespace overlay
