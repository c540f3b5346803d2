// INRTAB of option CURVED, in the place of CORSIKA's own. Its table, ways and times of refracted light
// (DISTEF, TOF), takes 10 to 20 s, and depends on the air and the observation level alone. So the first run
// keeps it in a file beside the program.
#include <gnu/libc-version.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cerenk_entry.hpp"
#include "end_run.hpp"

/// CORSIKA's variables, by its names: the table, and what it depends on.
struct RefractionTable {
  double *distef, *tof;
  const double *obslev, *c, *pi, *etadsn;
  const std::int32_t *debug, *lcerdb;
  std::int64_t values;  // of each of the two
  std::int64_t iatmox;  // 0 without option ATMEXT
};

extern "C" {
/// Of refraction_table.inc.
void rftini_(RefractionTable* table);
/// CORSIKA's own INRTAB.
void chrrtb_();
// Not there without option ATMEXT.
__attribute__((weak)) double refidx_(double* height);
}

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Bytes, and behind them their hash.
std::string sealed(const std::string& bytes) {
  return bytes + std::to_string(std::hash<std::string>()(bytes));
}

// The file of a table: beside the program, named by all that the table depends on, also by what else decides
// the bits of this program's results: its file, and the C library's functions as this processor has them,
// whose variants differ in the last bit of some results.
std::string path_for(const RefractionTable& table) {
  const std::string program = "/proc/self/exe";
  std::string key = contents(program) + gnu_get_libc_version();
  const auto add = [&key](std::initializer_list<double> values) {
    key.append(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(double));
  };
  for (int i = 1; i < 4096; ++i) {
    const double x = i / 4096.;
    add({std::sin(x), std::cos(x), std::tan(x), std::asin(x)});
  }
  add({double(table.iatmox), *table.obslev, table.c[0], table.c[24], *table.pi, *table.etadsn});
  // The air, up to where the table's flattest light begins.
  constexpr int kHeights = 8192;
  for (int i = 0; i < kHeights; ++i) {
    const int low = std::min(i, kHeights / 2);
    double height = *table.obslev + 3e3 * low + 2e4 * (i - low);  // cm
    add({table.iatmox >= 1 && refidx_ != nullptr ? refidx_(&height) : rhof_(&height)});
  }
  char tail[40];
  std::snprintf(tail, sizeof tail, ".refraction-%016zx", std::hash<std::string>()(key));
  std::error_code none;
  const std::filesystem::path file = std::filesystem::read_symlink(program, none);
  return file.empty() ? "" : file.string() + tail;
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

extern "C" void inrtab_() {
  const auto& asked = cherenkov::corsika::requested_stage();
  if (asked.is_off || !stage_is_trusted()) return chrrtb_();
  RefractionTable table;
  rftini_(&table);
  if (*table.debug != 0 || *table.lcerdb != 0) return chrrtb_();  // which writes lines into the log
  const std::string path = path_for(table);
  const std::size_t size = static_cast<std::size_t>(table.values) * sizeof(double);
  // Both tables, sealed. Empty where the file is not there, or is not whole.
  std::string kept = contents(path);
  if (kept != sealed(kept.substr(0, 2 * size))) kept.clear();
  if (!kept.empty() && asked.check_every == 0) {
    std::memcpy(table.distef, kept.data(), size);
    std::memcpy(table.tof, kept.data() + size, size);
    return;
  }
  chrrtb_();
  std::string both(reinterpret_cast<const char*>(table.distef), size);
  const std::string made = sealed(both.append(reinterpret_cast<const char*>(table.tof), size));
  if (kept.empty())
    keep(path, made);
  else if (made != kept)
    fortran_bindings::end_run("cherenkov",
                              ("check: INRTAB's table differs from " + path + "; delete it").c_str());
}
