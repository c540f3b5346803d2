#include "cherenkov/batch.hpp"

#include <algorithm>

#include "cherenkov/bunches.hpp"

namespace cherenkov {

void choose_on_host(std::span<const Stretch> stretches, std::span<const double> numbers, std::uint64_t first,
                    const Scene& scene, std::vector<Chosen>& chosen) {
  alignas(64) double path[kPaddedBunches];
  alignas(64) double azimuth[kPaddedBunches] = {};
  int indices[kPaddedBunches];
  Light light{};
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const Stretch& stretch = stretches[s];
    const Step& step = stretch.step;
    if (!scene.spheres.touched_by(
            ring_of(step, scene.plane, stretch.cone, stretch.slack, stretch.doubt.slope)))
      continue;
    for (int done = 0; done < stretch.bunches; done += kMostBunches) {
      const int here = std::min(stretch.bunches - done, kMostBunches);
      const int begin = stretch.first + done;
      // A product in place of CORSIKA's sum: far within what choose() is good to.
      for (int i = 0; i < kPaddedBunches; ++i)
        path[i] = step.before.path + (begin + std::min(i, here - 1) + 1) * step.between.path;
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(stretch.azimuth - first) + done, here,
                  azimuth);
      emit(step, path, here, light);
      const int count = choose(step, begin, here, light, azimuth, scene.plane, stretch.bend_k, scene.ground,
                               indices, {&scene.spheres, stretch.doubt});
      for (int c = 0; c < count; ++c)
        chosen.push_back({azimuth[indices[c]], begin + indices[c], static_cast<std::int32_t>(s)});
    }
  }
}

}  // namespace cherenkov
