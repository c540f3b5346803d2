// INRTAB of option CURVED, in the place of CORSIKA's own: its table, the ways and times of refracted light
// (DISTEF, TOF), takes 10 to 20 s, and depends on the air and the observation level alone.
#include <cstdint>
#include <cstring>
#include <vector>

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/kept_table.hpp"
#include "end_run.hpp"

extern "C" {
/// Of refraction_table.inc: calls rfttab_ with CORSIKA's variables.
void rftini_();
/// CORSIKA's own INRTAB.
void chrrtb_();
double rhof_(double* height);
// Not there without option ATMEXT.
__attribute__((weak)) double refidx_(double* height);
// Linked where this tree is known or proven (cherenkov_proven.cpp).
__attribute__((weak)) extern const int cherenkov_proven_;
}

namespace {

struct Table {
  double* distance;    // DISTEF
  double* time;        // TOF, as large
  std::size_t values;  // of each
  bool logs;           // what the log is asked for: CORSIKA's own routine writes it
  cherenkov::corsika::TableKey key;
} table;

}  // namespace

extern "C" {
void rfttab_(double* distef, double* tof, const std::int32_t* values, const std::int32_t* iatmox,
             const double* obslev, const double* c, const double* pi, const double* etadsn,
             const std::int32_t* debug, const std::int32_t* lcerdb) {
  table = {distef, tof, static_cast<std::size_t>(*values), *debug != 0 || *lcerdb != 0,
           cherenkov::corsika::TableKey::of_program()};
  table.key.add(*iatmox);
  for (const double value : {obslev[0], c[0], c[24], *pi, *etadsn}) table.key.add(value);
  // The air, up to where the table's flattest light begins.
  constexpr int kHeights = 8192;
  for (int i = 0; i < kHeights; ++i) {
    double height = obslev[0] + (i < kHeights / 2 ? 3e3 : 2e4) * i;  // cm
    table.key.add(*iatmox >= 1 && refidx_ != nullptr ? refidx_(&height) : rhof_(&height));
  }
}

void inrtab_() {
  const auto& asked = stage_at_start();
  const bool proven = &cherenkov_proven_ != nullptr && cherenkov_proven_ != 0;
  if (asked.is_off || !(proven || asked.unproven)) return chrrtb_();
  rftini_();
  if (table.logs) return chrrtb_();
  const std::string path = cherenkov::corsika::kept_table_path("refraction", table.key);
  std::vector<double> kept(2 * table.values), made(kept.size());
  const std::size_t bytes = table.values * sizeof(double);
  const bool is_kept = cherenkov::corsika::read_kept_table(path, kept);
  if (is_kept && asked.check_every == 0) {
    std::memcpy(table.distance, kept.data(), bytes);
    std::memcpy(table.time, kept.data() + table.values, bytes);
    return;
  }
  chrrtb_();
  std::memcpy(made.data(), table.distance, bytes);
  std::memcpy(made.data() + table.values, table.time, bytes);
  if (!is_kept) return cherenkov::corsika::keep_table(path, made);
  if (std::memcmp(made.data(), kept.data(), 2 * bytes) != 0)
    fortran_bindings::end_run("cherenkov",
                              ("check: INRTAB's table differs from " + path + "; delete it").c_str());
}
}
