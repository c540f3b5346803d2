// INRTAB of option CURVED, in the place of CORSIKA's own. Its table, ways and times of refracted light
// (DISTEF, TOF), takes 10 to 20 s, and depends on the air and the observation level alone. So the first run
// keeps it in a file beside the program.
#include <gnu/libc-version.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "cerenk_entry.hpp"
#include "end_run.hpp"

extern "C" {
/// Of refraction_table.inc: calls rfttab_ with CORSIKA's variables.
void rftini_();
/// CORSIKA's own INRTAB.
void chrrtb_();
double rhof_(double* height);
// Not there without option ATMEXT.
__attribute__((weak)) double refidx_(double* height);
}

namespace {

// FNV-1a, of 64 bits.
struct Digest {
  std::uint64_t value = 0xcbf29ce484222325;

  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) value = (value ^ at[i]) * 0x100000001b3;
  }
  void add(double number) { add(&number, sizeof number); }
};

struct Table {
  double* distance;    // DISTEF
  double* time;        // TOF, as large
  std::size_t values;  // of each
  bool logs;           // what the log is asked for: CORSIKA's own routine writes it
  Digest key;          // of all that the table depends on
} table;

// Numbers, and behind them their digest.
std::vector<double> sealed(std::vector<double> numbers) {
  Digest digest;
  digest.add(numbers.data(), numbers.size() * sizeof(double));
  numbers.push_back(std::bit_cast<double>(digest.value));
  return numbers;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Adds what else decides the bits of this program's results: its file, and the C library's functions as
// this processor has them, whose variants differ in the last bit of some results.
void add_program(Digest& key) {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(program)), {});
  key.add(bytes.data(), bytes.size());
  const char* version = gnu_get_libc_version();
  key.add(version, std::strlen(version));
  for (int i = 1; i < 4096; ++i) {
    const double x = i / 4096.;
    for (const double result : {std::sin(x), std::cos(x), std::tan(x), std::asin(x)}) key.add(result);
  }
}

std::string kept_path() {
  char program[PATH_MAX] = "", tail[40];
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return "";
  std::snprintf(tail, sizeof tail, ".refraction-%016llx", static_cast<unsigned long long>(table.key.value));
  return std::string(program) + tail;
}

// What a file holds: both tables, sealed. Empty where it is not there, or is not whole.
std::vector<double> kept_in(const std::string& path) {
  std::vector<double> kept(2 * table.values + 1);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(kept.data()), static_cast<std::streamsize>(kept.size() * sizeof(double)));
  const bool is_whole = file && file.peek() == std::ifstream::traits_type::eof() &&
                        same_bits(kept, sealed({kept.begin(), kept.end() - 1}));
  return is_whole ? kept : std::vector<double>();
}

// Writes the file whole or not at all. Where it cannot, each run makes the table.
void keep(const std::string& path, const std::vector<double>& made) {
  const std::string part = path + ".part-" + std::to_string(getpid());
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(made.data()),
             static_cast<std::streamsize>(made.size() * sizeof(double)));
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) std::remove(part.c_str());
}

}  // namespace

extern "C" {
void rfttab_(double* distef, double* tof, const std::int32_t* values, const std::int32_t* iatmox,
             const double* obslev, const double* c, const double* pi, const double* etadsn,
             const std::int32_t* debug, const std::int32_t* lcerdb) {
  table = {distef, tof, static_cast<std::size_t>(*values), *debug != 0 || *lcerdb != 0, {}};
  if (table.logs) return;
  add_program(table.key);
  for (const double value : {double(*iatmox), obslev[0], c[0], c[24], *pi, *etadsn}) table.key.add(value);
  // The air, up to where the table's flattest light begins.
  constexpr int kHeights = 8192;
  for (int i = 0; i < kHeights; ++i) {
    const int low = std::min(i, kHeights / 2);
    double height = obslev[0] + 3e3 * low + 2e4 * (i - low);  // cm
    table.key.add(*iatmox >= 1 && refidx_ != nullptr ? refidx_(&height) : rhof_(&height));
  }
}

void inrtab_() {
  const auto& asked = stage_at_start();
  if (asked.is_off || !stage_is_trusted()) return chrrtb_();
  rftini_();
  if (table.logs) return chrrtb_();
  const std::string path = kept_path();
  const std::vector<double> kept = kept_in(path);
  if (!kept.empty() && asked.check_every == 0) {
    std::copy_n(kept.begin(), table.values, table.distance);
    std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(table.values), table.values, table.time);
    return;
  }
  chrrtb_();
  std::vector<double> both(table.distance, table.distance + table.values);
  both.insert(both.end(), table.time, table.time + table.values);
  const std::vector<double> made = sealed(both);
  if (kept.empty())
    keep(path, made);
  else if (!same_bits(made, kept))
    fortran_bindings::end_run("cherenkov",
                              ("check: INRTAB's table differs from " + path + "; delete it").c_str());
}
}
