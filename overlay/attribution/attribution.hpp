// Categories of CPU time (overlay/data/categories.json), CPU samples of a run counted into them by what
// binutils say of programs and libraries, functions (nm) and source lines (addr2line); and gprof's flat
// profile. Runs these tools, reads what the sampler and gprof wrote, the profiled programs and
// preprocessed sources; writes nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace overlay {

/// A function and a place in the sources; the caller of an inlined function is the next frame.
struct Frame {
  std::string function;
  std::string file;
};

/// Source lines by address, innermost frame first.
using SourceLines = std::map<std::uint64_t, std::vector<Frame>>;

/// Reads what `addr2line -a -f -i` prints, without frames whose file is not known.
SourceLines parse_addr2line(const std::string& text);

/// Where in the code one sample was taken, as far as symbols and line tables tell.
struct Place {
  std::string object;         ///< file name of the program or library, without folders
  std::string symbol;         ///< function in the symbol table; may be empty
  std::vector<Frame> frames;  ///< innermost first; empty without a line table
};

/// A part of the program that time is counted into: an object of overlay/data/categories.json. A sample is
/// the first category's that has a shell wildcard for one of
/// - symbols: the function's plain name (plain_name()), or its C++ name;
/// - files: the path of the source of the innermost or any inlined frame;
/// - objects: the name of the program or library.
/// The patched program accelerates it (accelerated), or where the Cherenkov stage took part
/// (accelerated_with); its share in stock gives the gain by Amdahl's law. helper_threads: CPU time of all
/// threads but the main one belongs here. not_draws: members whose calls are not counted as draws.
struct ProfileCategory {
  std::string name, title;
  bool accelerated = false;
  std::string accelerated_with;  ///< accelerated only while this part of the patch is on
  bool helper_threads = false;
  std::set<std::string> not_draws;
  std::vector<std::string> symbols, files, objects;

  bool holds_symbol(const std::string& symbol) const;
  bool holds(const Place& place) const;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfileCategory, name, title, accelerated, accelerated_with,
                                                helper_threads, not_draws, symbols, files, objects)

/// All categories, in the order in which they are tried.
using Categories = std::vector<ProfileCategory>;
/// The project's own.
Categories read_categories();
/// The first category that holds the place; the last one holds any.
const ProfileCategory& category_of(const Categories& categories, const Place& place);
/// The category called "generator".
const ProfileCategory& generator_of(const Categories& categories);

/// A function's plain name: without what the compiler appends (.constprop.0, .cold, ...) and without
/// Fortran's trailing underscore, in lower case.
std::string plain_name(const std::string& symbol);

/// The C++ name behind a mangled one, else the symbol itself.
std::string demangled(const std::string& symbol);

/// What libcpu_sampler.so wrote about one run.
struct CpuSamples {
  std::uint64_t samples = 0;      ///< of the main thread
  std::uint64_t lost = 0;         ///< taken, but the table was full
  std::uint64_t cpu_ns = 0;       ///< the whole process
  std::uint64_t main_cpu_ns = 0;  ///< its main thread
  /// By path of the program or library ("linux-vdso.so.1" and the like; empty: the program itself; unmapped:
  /// none) and address in its file.
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> counts{};
};

/// Reads the file. Throws support::Error where it is missing, cut short, or does not add up.
CpuSamples read_cpu_samples(const std::filesystem::path& file);

/// CPU samples counted over any number of runs of one build.
struct Attribution {
  using Counts = std::map<std::string, std::uint64_t>;
  Counts categories;
  Counts symbols;  ///< symbol, or [object] where it has none
  std::uint64_t samples = 0, lost = 0;
  std::uint64_t cpu_ns = 0, other_threads_ns = 0;
  int runs = 0;
  bool lines = false;  ///< whether a line table could be read for the program
};

/// Counts one run's samples in. Throws support::Error where nm cannot read a sampled program or library: it
/// is none, or binutils are missing.
void attribute(const CpuSamples& samples, const std::filesystem::path& program, const Categories& categories,
               Attribution& into);

/// The same as a member of report.json's `sampler`. The share of a category, 0 to 1, is
/// samples(category) / samples * main / (main + others), where main and others are the CPU times of the main
/// thread and of all other threads. To a category that owns helper threads (ProfileCategory)
/// others / (main + others) is added.
nlohmann::json samples_json(Attribution sampled, const Categories& categories);

/// gprof's flat profile, as it is, read from what `gprof -b -p` prints: rows of name, self_s, share and
/// calls, most time of its own first; calls are null where the routine was not compiled with -pg. It counts
/// no time inside libraries, so its shares are not shares of CPU time.
nlohmann::json parse_gprof(const std::string& text);

/// Runs gprof on a program and its gmon.out. Throws support::Error where gprof or the file is missing.
nlohmann::json read_gprof(const std::filesystem::path& program, const std::filesystem::path& gmon);

/// A category's share of such rows' time, and the calls of those of its routines that draw: all but
/// ProfileCategory::not_draws.
std::pair<double, std::uint64_t> gprof_of(const nlohmann::json& rows, const ProfileCategory& category);

}  // namespace overlay
