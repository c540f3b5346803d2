// What an event's steps share as a device's formulas read it, in the memory of the settings.
#pragma once

#include <algorithm>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "curved_verdict.hpp"
#include "step_verdict.hpp"

namespace cherenkov::test {

inline corsika::SpheresView view_of(const Spheres& s) {
  return {s.x().data(), s.y().data(), s.z().data(), s.tested_radius().data(), static_cast<int>(s.x().size()),
          s.top()};
}

inline corsika::EventView view_of(const corsika::EventSettings& s) {
  const RefractionModel& r = *s.refraction;
  return {s.plan,
          view_of(*s.spheres),
          r.k().data(),
          r.error().data(),
          static_cast<int>(r.k().size()),
          r.low(),
          r.per_cm(),
          s.edge,
          s.bins,
          s.indices == nullptr ? corsika::IndexTableView{} : s.indices->view()};
}

inline corsika::CurvedEventView curved_view_of(const corsika::CurvedEventSettings& event,
                                               const corsika::DistanceRange* range) {
  corsika::CurvedEventView view{event.cut_w,
                                event.plane,
                                event.axis,
                                event.earth_radius,
                                view_of(*event.spheres),
                                event.arrival->view(),
                                {},
                                {},
                                range,
                                event.bins};
  std::copy(event.air->boundary().begin(), event.air->boundary().end(), view.boundary);
  std::copy(event.air->per_cm().begin(), event.air->per_cm().end(), view.per_cm);
  return view;
}

}  // namespace cherenkov::test
