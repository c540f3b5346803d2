// The time of arrival of light that goes straight, each operation in CERENK's order. Compiled with
// -ffp-contract=off.
#include "corsika_runtime/cherenkov/unrefracted_timing.hpp"

#include <algorithm>
#include <cmath>

namespace cherenkov::corsika {

double UnrefractedTiming::arrival(int bunches, const Step::Point& at, double w, double away) const {
  double depth = 0.;
  if (bunches > 3) {
    double from_height = begin;
    double to_height = end;
    const double from = std::max(1e-3, depth_of(&from_height));
    depth = from * std::exp(std::log(depth_of(&to_height) / from) / length * at.path);
  } else {
    double height = at.z;
    depth = depth_of(&height);
  }
  return (at.time + (index_per_density * (depth_at_plane - depth) / w + away) / light_speed) * 1e9;
}

}  // namespace cherenkov::corsika
