// What an event's steps share as a device's formulas read it, in the memory of the settings.
#pragma once

#include "corsika_runtime/cherenkov/device_steps.hpp"

namespace cherenkov::test {

using cherenkov::view_of;

// Of step i of a chunk.
inline StepArguments arguments_of(const corsika::RecordedSteps& chunk, int i) {
  const corsika::ChargedStep c = chunk.step(i);
  const corsika::IndicesOfStep n = chunk.indices(i);
  return {c.length, c.u,     c.v,     c.w,    c.begin_energy, c.end_energy, c.x_begin, c.y_begin, c.z_begin,
          c.x_end,  c.y_end, c.z_end, c.mass, c.charge,       n.begin,      n.middle,  n.end};
}

inline EventView view_of(const corsika::EventSettings& s) {
  return {s.plan,
          view_of(*s.spheres),
          s.refraction->view(),
          s.edge,
          s.bins,
          s.indices == nullptr ? IndexTableView{} : s.indices->view()};
}

inline CurvedEventView curved_view_of(const corsika::CurvedEventSettings& event, const DistanceRange* range) {
  return {event.cut_w,           event.plane,         event.axis, event.earth_radius, view_of(*event.spheres),
          event.arrival->view(), event.air->layers(), range,      event.bins};
}

}  // namespace cherenkov::test
