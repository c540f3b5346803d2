// choose_on_host: the choice of a batch on the CPU, with the functions that choose for single steps.
#include "cherenkov/batch.hpp"

#include <algorithm>

#include "cherenkov/bunches.hpp"

namespace cherenkov {

void choose_on_host(std::span<const StepSegment> segments, std::span<const double> numbers,
                    std::uint64_t first_position, const ArrayGeometry& geometry,
                    std::vector<CandidateBunch>& chosen) {
  alignas(64) double path[kPaddedBunches];
  alignas(64) double azimuth[kPaddedBunches] = {};
  int indices[kPaddedBunches];
  BunchYields light{};
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const StepSegment& segment = segments[s];
    const Step& step = segment.step;
    if (!geometry.spheres.touched_by(
            ring_of(step, geometry.plane, segment.cone, segment.ground_slack, segment.uncertainty.slope)))
      continue;
    for (int done = 0; done < segment.bunches; done += kMaxBunches) {
      const int here = std::min(segment.bunches - done, kMaxBunches);
      const int begin = segment.first + done;
      // A product in place of CORSIKA's sum: far within what choose() is good to.
      for (int i = 0; i < kPaddedBunches; ++i)
        path[i] = step.before.path + (begin + std::min(i, here - 1) + 1) * step.between.path;
      std::copy_n(
          numbers.begin() + static_cast<std::ptrdiff_t>(segment.first_azimuth_number - first_position) + done,
          here, azimuth);
      emit(step, path, here, light);
      const int count = choose(step, begin, here, light, azimuth, geometry.plane, segment.refraction_k,
                               geometry.ground, indices, {&geometry.spheres, segment.uncertainty});
      for (int c = 0; c < count; ++c)
        chosen.push_back({azimuth[indices[c]], begin + indices[c], static_cast<std::int32_t>(s)});
    }
  }
}

}  // namespace cherenkov
