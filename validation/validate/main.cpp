// validate, which overlay validate starts: runs every check, keeps a record of each, and writes
// validation.json, the page and its pictures below --out. Ends with 1, naming each claim that fails.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "check.hpp"
#include "document.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

namespace fs = std::filesystem;
using namespace validation;

struct Options {
  bool full = false, list = false, help = false;
  std::string corsika = "standin", only;
  int jobs = 1;
  fs::path out = "build/overlay/validation", known_answers = KNOWN_ANSWERS;
};

constexpr const char* kUsage =
    "usage: overlay validate [--full] [--corsika PATH] [--out DIR] [--only PREFIX] [--jobs N] [--list] "
    "[--known-answers FILE]\n"
    "Checks every claim of validation/README.md: some minutes; --full takes a day or two and goes on where "
    "it was "
    "stopped.\n";

int jobs_of(const std::string& text) {
  int jobs = 0;
  const auto end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, jobs);
  if (problem != std::errc() || at != end || jobs < 1 || jobs > 1024)
    throw support::Error("--jobs cannot be " + text + "; give a number from 1 to 1024");
  return jobs;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw support::Error(word + " needs a value; see overlay validate --help");
      return argv[++i];
    };
    if (word == "--help" || word == "-h")
      options.help = true;
    else if (word == "--full")
      options.full = true;
    else if (word == "--list")
      options.list = true;
    else if (word == "--corsika")
      options.corsika = value();
    else if (word == "--out")
      options.out = value();
    else if (word == "--only")
      options.only = value();
    else if (word == "--jobs")
      options.jobs = jobs_of(value());
    else if (word == "--known-answers")
      options.known_answers = value();
    else
      throw support::Error(word + " is not known; see overlay validate --help");
  }
  return options;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", std::gmtime(&time));
  return text;
}

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

Setup setup_of(const Options& options) {
  Setup setup;
  setup.programs = program_folder();
  setup.scripts = VALIDATION_SCRIPTS;
  if (const char* sts = std::getenv("NIST_STS_DIR")) setup.sts = fs::absolute(sts);
  setup.known_answers = fs::absolute(options.known_answers);
  setup.out = fs::absolute(options.out);
  const bool path = options.corsika != "standin" && options.corsika.find("://") == std::string::npos;
  setup.corsika = path ? fs::absolute(options.corsika).string() : options.corsika;
  setup.full = options.full;
  setup.has_dieharder = support::find_program("dieharder").has_value();
  setup.has_practrand = support::find_program("RNG_test").has_value();
  setup.has_testu01 = fs::exists(setup.programs / "ranmar-testu01");
  return setup;
}

/// What a record was made by: the command, and the checksum of the first program in it, so that a program
/// that was built anew is run anew.
std::string made_by(const Check& check) {
  const auto begin = check.command.find('\''), end = check.command.find('\'', begin + 1);
  std::string sum = "none";
  if (begin == 0 && end != std::string::npos && fs::exists(check.command.substr(1, end - 1)))
    sum = support::sha256_of_file(check.command.substr(1, end - 1));
  return "command " + check.command + "\nprogram " + sum + "\n";
}

/// How a check ended, in its record.
std::string ended(Verdict verdict, int status) {
  return fmt::format("verdict {}\nstatus {}\n", name_of(verdict), status);
}

/// A record that --full need not make again: one of the same command and program whose claim held. Its output
/// is judged again, because limits may have changed.
bool read_record(const fs::path& file, const std::string& made, Done& done) {
  if (!fs::exists(file)) return false;
  const auto text = support::read_file(file);
  const auto held = made + ended(Verdict::kHolds, 0);
  if (!text.starts_with(held)) return false;
  const auto line = text.find('\n', held.size());
  if (line == std::string::npos || std::sscanf(text.c_str() + held.size(), "seconds %lf", &done.seconds) != 1)
    return false;
  done.outcome = judge(done.check, 0, false, text.substr(line + 1));
  done.kept = done.outcome.verdict == Verdict::kHolds;
  return done.kept;
}

Done run_check(const Check& check, const Setup& setup) {
  Done done{check, {}, 0., false};
  const auto record = setup.out / "records" / (check.name + ".txt");
  const auto made = made_by(check);
  if (setup.full && read_record(record, made, done)) return done;
  const auto begin = std::chrono::steady_clock::now();
  // A pipe's first program ends when the battery has had enough; its status counts where it fails before.
  const auto result = support::run({.argv = {"bash", "-c", "set -o pipefail; " + check.command},
                                    .cwd = setup.out,
                                    .timeout = std::chrono::seconds(check.timeout_s)});
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  done.outcome = judge(check, result.status, result.timed_out, result.output);
  if (done.outcome.verdict == Verdict::kHolds || !setup.full)
    support::write_file(record, made + ended(done.outcome.verdict, result.status) +
                                    fmt::format("seconds {:.2f}\n", done.seconds) + result.output);
  return done;
}

void report(const Done& done, std::size_t at, std::size_t all, double seconds) {
  const char* verdict = done.outcome.verdict == Verdict::kHolds     ? "holds"
                        : done.outcome.verdict == Verdict::kSkipped ? "skipped"
                                                                    : "FAILS";
  fmt::print("[{} of {}, {:.0f} s] {}: {}{}: {}\n", at, all, seconds, done.check.claim, verdict,
             done.kept ? " (kept)" : "", done.outcome.said);
  std::fflush(stdout);
}

/// Runs checks, `jobs` at a time, and reports each when it is done. Results are in the order of the checks.
std::vector<Done> run_checks(const std::vector<Check>& wanted, const Setup& setup, int jobs) {
  std::vector<Done> done(wanted.size());
  std::atomic<std::size_t> next = 0;
  std::size_t reported = 0;
  std::mutex mutex;  // of the report and of the first exception
  std::exception_ptr stopped;
  const auto begin = std::chrono::steady_clock::now();
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < wanted.size(); k = next++) {
        done[k] = run_check(wanted[k], setup);
        const std::scoped_lock lock(mutex);
        const auto time = std::chrono::steady_clock::now() - begin;
        report(done[k], ++reported, wanted.size(), std::chrono::duration<double>(time).count());
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!stopped) stopped = std::current_exception();
      next = wanted.size();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int job = 1; job < jobs; ++job) threads.emplace_back(work);
    work();
  }
  if (stopped) std::rethrow_exception(stopped);
  return done;
}

int validate(const Options& options) {
  const auto setup = setup_of(options);
  std::vector<Check> wanted;
  for (auto& check : checks(setup))
    if (check.name.starts_with(options.only)) wanted.push_back(std::move(check));
  if (wanted.empty())
    throw support::Error("--only cannot be " + options.only + "; see overlay validate --list");
  if (options.list) {
    for (const auto& check : wanted) fmt::print("{}\t{}\n\t{}\n", check.name, check.claim, check.command);
    return 0;
  }
  fs::create_directories(setup.out / "records");
  Result result;
  result.full = options.full;
  result.corsika = options.corsika;
  const auto begin = std::chrono::steady_clock::now();
  result.done = run_checks(wanted, setup, options.jobs);
  result.made = now();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto json = setup.out / "validation.json";
  support::write_file(json, to_json(result));
  std::string why;
  result.pictures = draw_pictures(json, setup.out, why);
  if (!why.empty()) fmt::print(stderr, "validate: no pictures: {}\n", why);
  const auto text = to_json(result);
  support::write_file(json, text);
  support::write_file(setup.out / "validation.html", to_page(text));
  fmt::print("{}\n{}\n", json.string(), (setup.out / "validation.html").string());
  int failed = 0;
  for (const auto& done : result.done)
    if (done.outcome.verdict == Verdict::kFails) {
      fmt::print(stderr, "validate: error: this claim fails: {}: {}; see {}\n", done.check.claim,
                 done.outcome.said, (setup.out / "validation.html").string());
      ++failed;
    }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    support::open_standard_descriptors();
    support::install_interrupt_handlers();
    const auto options = read_options(argc, argv);
    if (options.help) {
      fmt::print("{}", kUsage);
      return 0;
    }
    return validate(options);
  } catch (const support::Interrupted& stopped) {
    fmt::print(stderr, "validate: error: {}\n", stopped.what());
    return 130;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "validate: error: {}\n", problem.what());
    return 1;
  }
}
