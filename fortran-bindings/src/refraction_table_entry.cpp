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

struct Table {
  double* distance;    // DISTEF
  double* time;        // TOF, as large
  std::size_t values;  // of each
  bool logs;           // what the log is asked for: CORSIKA's own routine writes it
  std::string key;     // all that the table depends on
} table;

template <class T>
void append(std::string& bytes, const T* values, std::size_t count = 1) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Bytes, and behind them their hash.
std::string sealed(std::string bytes) {
  const std::size_t hash = std::hash<std::string>()(bytes);
  append(bytes, &hash);
  return bytes;
}

// Adds what else decides the bits of this program's results: its file, and the C library's functions as
// this processor has them, whose variants differ in the last bit of some results.
void add_program(std::string& key) {
  key += contents("/proc/self/exe") + gnu_get_libc_version();
  for (int i = 1; i < 4096; ++i) {
    const double x = i / 4096.;
    for (const double result : {std::sin(x), std::cos(x), std::tan(x), std::asin(x)}) append(key, &result);
  }
}

std::string kept_path() {
  char program[PATH_MAX] = "", tail[40];
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return "";
  std::snprintf(tail, sizeof tail, ".refraction-%016zx", std::hash<std::string>()(table.key));
  return std::string(program) + tail;
}

// What a file holds: both tables, sealed. Empty where it is not there, or is not whole.
std::string kept_in(const std::string& path) {
  const std::size_t size = 2 * table.values * sizeof(double);
  std::string kept = contents(path);
  return kept.size() > size && kept == sealed(kept.substr(0, size)) ? kept : "";
}

// Writes the file whole or not at all. Where it cannot, each run makes the table.
void keep(const std::string& path, const std::string& made) {
  const std::string part = path + ".part-" + std::to_string(getpid());
  std::ofstream file(part, std::ios::binary);
  file << made;
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
  for (const double value : {double(*iatmox), obslev[0], c[0], c[24], *pi, *etadsn})
    append(table.key, &value);
  // The air, up to where the table's flattest light begins.
  constexpr int kHeights = 8192;
  for (int i = 0; i < kHeights; ++i) {
    const int low = std::min(i, kHeights / 2);
    double height = obslev[0] + 3e3 * low + 2e4 * (i - low);  // cm
    const double air = *iatmox >= 1 && refidx_ != nullptr ? refidx_(&height) : rhof_(&height);
    append(table.key, &air);
  }
}

void inrtab_() {
  const auto& asked = stage_at_start();
  if (asked.is_off || !stage_is_trusted()) return chrrtb_();
  rftini_();
  if (table.logs) return chrrtb_();
  const std::string path = kept_path();
  const std::string kept = kept_in(path);
  if (!kept.empty() && asked.check_every == 0) {
    const std::size_t size = table.values * sizeof(double);
    std::memcpy(table.distance, kept.data(), size);
    std::memcpy(table.time, kept.data() + size, size);
    return;
  }
  chrrtb_();
  std::string both;
  append(both, table.distance, table.values);
  append(both, table.time, table.values);
  const std::string made = sealed(both);
  if (kept.empty())
    keep(path, made);
  else if (made != kept)
    fortran_bindings::end_run("cherenkov",
                              ("check: INRTAB's table differs from " + path + "; delete it").c_str());
}
}
