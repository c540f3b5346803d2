// THCKSI, in the place of CORSIKA's own, where that one gives the same bits.
#include "corsika_runtime/depth/slant_depth.hpp"
#include "corsika_runtime/message.hpp"

extern "C" {
/// Of slant_depth.inc: calls slttab_ with CORSIKA's table.
void sltini_();
/// CORSIKA's own THCKSI.
double chrthk_(const double* argu);
}

namespace {

cherenkov::corsika::SlantTable table;
bool is_checked = false, is_ours = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local cherenkov::corsika::SlantDepth* slant_depth =
    nullptr;  // one a thread, with its own index

// Each thread's first call; every call while CORSIKA's own THCKSI is used, as it is before the table is
// filled.
[[gnu::noinline, gnu::cold]] double first_depth(double argu) {
  if (table.first == nullptr) sltini_();
  if (!is_checked && *table.first >= 1 && *table.first < table.last) {
    is_checked = true;
    is_ours = cherenkov::corsika::SlantDepth(table).is_as(chrthk_);
    if (!is_ours)
      corsika_runtime::say(
          "cherenkov: THCKSI of this tree gives other depths than the library's, so CORSIKA's own is called");
  }
  if (!is_ours) return chrthk_(&argu);
  slant_depth = new cherenkov::corsika::SlantDepth(table);
  return (*slant_depth)(argu);
}

}  // namespace

extern "C" {
/// The table, COMMON /CRATMOSL/: PATH1, TSLANT, IENDT, MAXSLANT.
void slttab_(const double* path1, const double* tslant, const std::int32_t* iendt,
             const std::int32_t* maxslant) {
  table = {path1, tslant, iendt, *maxslant};
}

/// THCKSI(ARGU): slant depth, g/cm^2, after ARGU cm along the shower axis. Where cherenkov_thcksi_is_ours(),
/// for any thread.
double thcksi_(const double* argu) {
  return slant_depth != nullptr ? (*slant_depth)(*argu) : first_depth(*argu);
}

/// Whether it is the library's. After the first call of thcksi_.
int cherenkov_thcksi_is_ours() { return is_ours ? 1 : 0; }
}
