// matrix, which validation/matrix/run starts: reads the command line, and ends with 0 where every cell that
// was built has the same bytes.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "document.hpp"
#include "matrix.hpp"
#include "overlay/build/profile.hpp"
#include "support/error.hpp"
#include "support/folder_lock.hpp"
#include "support/process.hpp"

namespace {

using matrix::Options;

constexpr const char* kUsage =
    "usage: validation/matrix/run --corsika TREE [--corsika TREE ...] [OPTIONS]\n"
    "Compares the outputs of stock and patched CORSIKA: releases x profiles x flags x hadronic models x "
    "generator x\n"
    "Cherenkov stage. Writes matrix.json and matrix.html. If it was stopped, the same command goes on.\n"
    "  --corsika TREE       an archive, an unpacked tree, or standin\n"
    "  --profiles A,B       names, or paths of .toml files (default: all in profiles/)\n"
    "  --flags A,B          of tuned, shipped (default: both)\n"
    "  --models A,B         profile: as the profile has them (default); or pairs as SIBYLL+URQMD\n"
    "  --backends A,B       of reference, simd, cuda, opencl (default: reference,simd)\n"
    "  --cherenkov A,B      of off, cpu, thread, gpu (default: off,cpu,thread); thread: cpu with a second "
    "thread\n"
    "  --showers N          of each run (default: the profile's)\n"
    "  --erange MIN,MAX     GeV (default: the profile's)\n"
    "  --atmosphere-dir DIR folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)\n"
    "  --gpu WHEN           auto, on, off: whether patched programs can use CUDA (default: auto)\n"
    "  --prove-steps N      proves the Cherenkov stage where the sources are not known, in N steps (default: "
    "it stays "
    "so)\n"
    "  --jobs N             processes of make, and programs that run at a time (default: all processors)\n"
    "  --timeout SECONDS    limit of a run of the patched program (default: 20 times stock's, at least 2 "
    "minutes)\n"
    "  --stop-after N       stops after N cells\n"
    "  --out DIR            (default: build/overlay/matrix)\n"
    "What failed or differed is run again by a new call; what was not built is not, unless OUT/records/NAME "
    "is deleted.\n"
    "Exit status: 0, the same bytes in every cell that was built; 1, not so; 130, stopped before the end.\n";

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

long number_of(const std::string& option, const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw support::Error(fmt::format("{} cannot be {}; give a whole number", option, text));
  return value;
}

/// Puts one option in. Returns false where there is no such option.
bool take(Options& options, const std::string& name, const std::string& value) {
  if (name == "--corsika")
    options.corsika.push_back(value);
  else if (name == "--profiles")
    options.profiles = words_of(value);
  else if (name == "--flags")
    options.flags = words_of(value);
  else if (name == "--models")
    options.models = words_of(value);
  else if (name == "--backends")
    options.backends = words_of(value);
  else if (name == "--cherenkov")
    options.cherenkov = words_of(value);
  else if (name == "--showers")
    options.parameters.showers = number_of(name, value);
  else if (name == "--erange")
    overlay::read_energy_range(options.erange = value, options.parameters);
  else if (name == "--atmosphere-dir")
    options.atmosphere_dir = std::filesystem::absolute(value);
  else if (name == "--gpu")
    options.gpu = value;
  else if (name == "--prove-steps")
    options.prove_steps = number_of(name, value);
  else if (name == "--jobs")
    options.jobs = static_cast<int>(number_of(name, value));
  else if (name == "--timeout")
    options.timeout_s = static_cast<double>(number_of(name, value));
  else if (name == "--stop-after")
    options.stop_after = number_of(name, value);
  else if (name == "--out")
    options.out = value;
  else
    return false;
  return true;
}

Options read_options(const std::vector<std::string>& words) {
  Options options;
  options.profiles = overlay::list_profiles();
  options.command = "validation/matrix/run";
  if (const char* folder = std::getenv("CORSIKA_ATMOSPHERES")) options.atmosphere_dir = folder;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) throw support::Error(words[i] + " needs a value, or is not known; see --help");
    if (!take(options, words[i], words[i + 1])) throw support::Error(words[i] + " is not known; see --help");
    options.command += " " + words[i] + " " + words[i + 1];
  }
  if (options.corsika.empty()) throw support::Error("give a tree with --corsika TREE; see --help");
  options.out = std::filesystem::absolute(options.out).lexically_normal();
  for (auto& corsika : options.corsika)
    if (std::filesystem::exists(corsika)) corsika = std::filesystem::absolute(corsika).lexically_normal();
  return options;
}

/// Says what came of it. Returns the exit status.
int conclude(const matrix::Matrix& matrix) {
  const auto verdict = verdict_of(matrix);
  for (const auto& row : matrix.rows())
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].state == matrix::State::kDiffers || row.cells[i].state == matrix::State::kFailed)
        fmt::print(stderr, "matrix: error: {}, {}: {}: {}\n", row.combination.title(),
                   matrix.columns()[i].name(), state_name(row.cells[i].state), row.cells[i].reason);
  fmt::print(
      "matrix: {} cells with the same bytes, {} with others, {} failed, {} not built, {} that stock does not "
      "run, {} without the device, {} without light, {} not run yet\n{}\n",
      verdict.same, verdict.differ, verdict.failed, verdict.not_built, verdict.stock_stops, verdict.no_device,
      verdict.no_light, verdict.left, (matrix.options().out / "matrix.html").string());
  if (matrix.stopped()) return 130;
  if (verdict.same + verdict.differ + verdict.failed == 0)
    fmt::print(stderr, "matrix: error: nothing was compared; the page says why\n");
  return verdict.holds() ? 0 : 1;
}

int run_matrix(const std::vector<std::string>& words) {
  const auto options = read_options(words);
  std::filesystem::create_directories(options.out);
  const support::FolderLock lock(options.out, [&](const std::string& who) {
    fmt::print(stderr, "matrix: waiting for {}, which works in {}\n", who, options.out.string());
  });
  matrix::Matrix matrix(options);
  try {
    matrix.run();
  } catch (...) {
    matrix.write_page();
    throw;
  }
  matrix.write_page();
  return conclude(matrix);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    support::open_standard_descriptors();
    support::install_interrupt_handlers();
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (const auto& word : words)
      if (word == "--help" || word == "-h") {
        fmt::print("{}", kUsage);
        return 0;
      }
    return run_matrix(words);
  } catch (const support::Interrupted& stopped) {
    fmt::print(stderr, "matrix: error: {}\n", stopped.what());
    return 130;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "matrix: error: {}\n", problem.what());
    return 1;
  }
}
