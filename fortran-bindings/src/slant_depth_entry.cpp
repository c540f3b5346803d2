// THCKSI, in the place of CORSIKA's own.
#include <cstdint>
#include <new>

#include "corsika_runtime/depth/slant_depth.hpp"

extern "C" {
/// Of slant_depth.inc: calls slttab_ with CORSIKA's table.
void sltini_();

/// The table, COMMON /CRATMOSL/: PATH1, TSLANT, IENDT, MAXSLANT.
void slttab_(const double* path1, const double* tslant, const std::int32_t* iendt,
             const std::int32_t* maxslant);

/// THCKSI(ARGU): slant depth, g/cm^2, after ARGU cm along the shower axis.
double thcksi_(const double* argu);

/// The same for another thread, which has an index of its own. After the first call of thcksi_.
double cherenkov_thcksi_beside(double* argu);
}

namespace {

corsika::SlantDepth* slant_depth = nullptr;
corsika::SlantDepth* beside = nullptr;

}  // namespace

void slttab_(const double* path1, const double* tslant, const std::int32_t* iendt,
             const std::int32_t* maxslant) {
  slant_depth = new corsika::SlantDepth({path1, tslant, iendt, *maxslant});
  beside = new corsika::SlantDepth({path1, tslant, iendt, *maxslant});
}

double thcksi_(const double* argu) {
  if (slant_depth == nullptr) [[unlikely]]
    sltini_();
  return (*slant_depth)(*argu);
}

double cherenkov_thcksi_beside(double* argu) { return (*beside)(*argu); }
