// The time of arrival of light that goes straight, each operation in CERENK's order. Compiled with
// -ffp-contract=off.
#include "corsika_runtime/cherenkov/unrefracted_timing.hpp"

#include <algorithm>
#include <cmath>

namespace cherenkov::corsika {

double UnrefractedTiming::arrival(const Way& way, double height, double w) const {
  double depth = 0.;
  if (way.bunches > 3) {
    double from_height = way.begin;
    double to_height = way.end;
    const double from = std::max(1e-3, depth_of(&from_height));
    depth = from * std::exp(std::log(depth_of(&to_height) / from) / way.length * way.path);
  } else {
    depth = depth_of(&height);
  }
  return (way.time + (index_per_density * (depth_at_plane - depth) / w + way.away) / light_speed) * 1e9;
}

}  // namespace cherenkov::corsika
