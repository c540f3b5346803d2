// What an event's steps share as a device's formulas read it, in the memory of the settings.
#pragma once

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "curved_verdict.hpp"
#include "step_verdict.hpp"

namespace cherenkov::test {

using cherenkov::view_of;

inline corsika::EventView view_of(const corsika::EventSettings& s) {
  return {s.plan,
          view_of(*s.spheres),
          s.refraction->view(),
          s.edge,
          s.bins,
          s.indices == nullptr ? corsika::IndexTableView{} : s.indices->view()};
}

inline corsika::CurvedEventView curved_view_of(const corsika::CurvedEventSettings& event,
                                               const corsika::DistanceRange* range) {
  return {event.cut_w,           event.plane,         event.axis, event.earth_radius, view_of(*event.spheres),
          event.arrival->view(), event.air->layers(), range,      event.bins};
}

}  // namespace cherenkov::test
