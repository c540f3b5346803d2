// The class of a node: see the header.
#include "overlay/production/node_class.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "overlay/production/attempts.hpp"
#include "overlay/production/exit_codes.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* kClassFile = "node-class.json";

// libm's functions are called through volatile pointers, so that no compiler computes a result in advance or
// takes a vector variant.

constexpr int kArguments = 2000;

/// Arguments from `low` to `high`, spread by a multiplicative generator (Lewis, Goodman, Miller 1969), whose
/// products are exact in 64 bits.
class Arguments {
 public:
  double next(double low, double high) {
    state_ = state_ * 16807 % 2147483647;
    return low + (high - low) * (static_cast<double>(state_) / 2147483647.0);
  }

 private:
  std::uint64_t state_ = 20010911;
};

template <class T>
struct Function {
  T (*call)(T);
  double low, high;
};

template <class T>
void add_one_argument(support::Sha256& sum, const Function<T>& function) {
  Arguments arguments;
  T (*volatile call)(T) = function.call;
  for (int i = 0; i < kArguments; ++i) {
    const T result = call(static_cast<T>(arguments.next(function.low, function.high)));
    sum.update(&result, sizeof result);
  }
}

template <class T>
void add_two_arguments(support::Sha256& sum, T (*function)(T, T), double low, double high, double high2) {
  Arguments arguments;
  T (*volatile call)(T, T) = function;
  for (int i = 0; i < kArguments; ++i) {
    const T first = static_cast<T>(arguments.next(low, high));
    const T result = call(first, static_cast<T>(arguments.next(-high2, high2)));
    sum.update(&result, sizeof result);
  }
}

template <class T>
void add_all(support::Sha256& sum) {
  const Function<T> functions[] = {
      {std::sin, -50, 50},   {std::cos, -50, 50},    {std::tan, -10, 10},     {std::asin, -1, 1},
      {std::acos, -1, 1},    {std::atan, -20, 20},   {std::exp, -60, 60},     {std::exp2, -60, 60},
      {std::expm1, -3, 3},   {std::log, 1e-6, 1e6},  {std::log2, 1e-6, 1e6},  {std::log10, 1e-6, 1e6},
      {std::log1p, -0.9, 9}, {std::sinh, -9, 9},     {std::cosh, -9, 9},      {std::tanh, -4, 4},
      {std::asinh, -9, 9},   {std::acosh, 1, 90},    {std::atanh, -0.9, 0.9}, {std::erf, -3, 3},
      {std::erfc, -3, 3},    {std::lgamma, 0.1, 50}, {std::tgamma, 0.1, 20},  {std::cbrt, -99, 99}};
  for (const Function<T>& function : functions) add_one_argument(sum, function);
  add_two_arguments<T>(sum, std::pow, 1e-3, 1e3, 9);
  add_two_arguments<T>(sum, std::atan2, -9, 9, 9);
  add_two_arguments<T>(sum, std::hypot, -9, 9, 9);
}

}  // namespace

std::string libm_bits() {
  support::Sha256 sum;
  add_all<double>(sum);
  add_all<float>(sum);
  return sum.hexadecimal();
}

std::string measured_class(const ProductionPlan& plan, const fs::path& overlay) {
  support::Command command;
  command.argv = {overlay.string(), "production", "libm-bits"};
  if (!plan.tunables.empty()) command.environment["GLIBC_TUNABLES"] = plan.tunables;
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  constexpr std::size_t kDigits = 64;
  if (result.status != 0 || result.output.size() < kDigits)
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("{} cannot compute libm's bits on this node", overlay.string()));
  return result.output.substr(0, kDigits);
}

std::string claim_class(const fs::path& folder, const std::string& own) {
  // link(2) fails where the name is taken, on network file systems too, so the first node's class stays.
  const fs::path place = folder / kClassFile;
  if (std::error_code error; !fs::exists(place, error)) {
    const fs::path mine = folder / fmt::format(".{}.{}", kClassFile, support::random_name());
    const json text{{"format", 1}, {"libm", own}, {"measured_on", host_name()}};
    support::write_file(mine, text.dump(2) + "\n");
    const int problem = link(mine.c_str(), place.c_str()) == 0 ? 0 : errno;
    unlink(mine.c_str());
    if (problem != 0 && problem != EEXIST) throw cannot_write(place, problem);
  }
  const json text = json::parse(support::read_file(place), nullptr, false);
  const auto libm = text.is_object() ? text.value("libm", json()) : json();
  if (!libm.is_string())
    throw support::Error(
        fmt::format("{} is damaged; delete it where no run is published yet, else copy it from a backup",
                    place.string()));
  return libm;
}

std::string checked_class(const ProductionPlan& plan, const fs::path& folder, const fs::path& overlay) {
  if (plan.class_policy == "any") return {};
  const std::string own = measured_class(plan, overlay), known = claim_class(folder, own);
  if (own == known) return own;
  throw WorkerError(
      WorkerExit::other_bits,
      fmt::format("{} is of another class than the production's nodes: libm gives other bits here ({} "
                  "instead of {}); run it elsewhere, or plan with --processors pinned",
                  host_name(), own.substr(0, 12), known.substr(0, 12)));
}

}  // namespace overlay
