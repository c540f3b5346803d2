// The table of DISTIP, and ranges of shifts.
#include "corsika_runtime/cherenkov/curved_arrival.hpp"

#include <algorithm>
#include <numbers>
#include <stdexcept>

namespace cherenkov::corsika {
namespace {

constexpr double kPerAngle = 4. * 180. / std::numbers::pi;  // corners per radian
constexpr double kLargestAngle = 352.;                      // in quarters of a degree

double angle_of(int corner) { return static_cast<double>(corner) / kPerAngle; }

}  // namespace

CurvedArrival CurvedArrival::measured(double plane_height, Distance distance) {
  CurvedArrival arrival;
  arrival.plane_ = plane_height;
  if (!(plane_height >= 0. && plane_height < (View::kHeights - 2) * View::kCell_cm))
    throw std::runtime_error("the detection plane is outside of CORSIKA's table of distances");
  arrival.distance_.resize(static_cast<std::size_t>(View::kAngles) * View::kHeights);
  for (int a = 0; a < View::kAngles; ++a) {
    for (int h = 0; h < View::kHeights; ++h) {
      double cosine = std::cos(angle_of(a)), height = h * View::kCell_cm;
      arrival.distance_[place(a, h)] = height <= plane_height ? 0. : distance(&cosine, &height);
    }
  }
  arrival.check(distance);
  arrival.find_ranges();
  arrival.find_angles();
  return arrival;
}

void CurvedArrival::check(Distance distance) const {
  constexpr int kPlaces = 4096;
  constexpr double kTolerance = 1e-9, kLeast_cm = 1e-2;
  for (int i = 0; i < kPlaces; ++i) {
    // Places that fill the table evenly: multiples of irrational numbers.
    const double a = std::fmod(i * 0.7548776662466927, 1.) * kLargestAngle;
    const double lowest = plane_ / View::kCell_cm;
    const double h = lowest + std::fmod(i * 0.5698402909980532, 1.) * (View::kHeights - 1.001 - lowest);
    const int a0 = static_cast<int>(a), h0 = static_cast<int>(h);
    const double from = std::max(static_cast<double>(h0), lowest);
    const double part = (h - from) / (h0 + 1 - from);
    const auto at = [&](int angle) {
      return corner(angle, h0) + part * (corner(angle, h0 + 1) - corner(angle, h0));
    };
    const double expected = at(a0) + (a - a0) * (at(a0 + 1) - at(a0));
    double cosine = std::cos(a / kPerAngle), height = h * View::kCell_cm;
    const double found = distance(&cosine, &height);
    // An angle from a cosine near 1 is not well known.
    const double angle_rounding = height * 1e-15 / std::max(1e-8, std::sin(a / kPerAngle));
    if (!(std::fabs(found - expected) <= kLeast_cm + kTolerance * expected + angle_rounding))
      throw std::runtime_error("CORSIKA's table of distances is not interpolated as the stage knows it");
  }
}

void CurvedArrival::find_ranges() {
  ranges_.resize(distance_.size());
  std::vector<double> shifts(View::kAngles);
  for (int h = 0; h < View::kHeights; ++h) {
    const double above = std::max(0., h * View::kCell_cm - plane_);
    for (int a = 0; a < View::kAngles; ++a)
      shifts[static_cast<std::size_t>(a)] = corner(a, h) - above * std::tan(angle_of(a));
    for (int a = 0; a < View::kAngles; ++a) {
      const auto begin = shifts.begin() + std::max(0, a - View::kHalfWindow);
      const auto end = shifts.begin() + std::min(View::kAngles, a + View::kHalfWindow + 1);
      const auto [low, high] = std::minmax_element(begin, end);
      ranges_[place(a, h)] = {*low, *high};
    }
  }
}

void CurvedArrival::find_angles() {
  const auto corners = [](int cell) {
    const double s = static_cast<double>(cell) / View::kCosines;
    return std::acos(std::max(0., 1. - s * s)) * kPerAngle;
  };
  for (int cell = 0; cell <= View::kCosines; ++cell) {
    const auto k = static_cast<std::size_t>(cell);
    first_[k] = static_cast<std::int16_t>(std::max(0., corners(cell) - View::kIndexRounding));
    const double largest = corners(cell + 1) + View::kIndexRounding;
    last_[k] =
        static_cast<std::int16_t>(largest < kLargestAngle ? static_cast<int>(largest) + 1 : View::kAngles);
  }
  // tan'' = 2 tan / cos^2, at the far end of a light's last cell.
  constexpr double kStep = 1. / kPerAngle;
  for (int a = 0; a < View::kAngles; ++a) {
    const double tangent = std::tan(angle_of(a));
    chord_[static_cast<std::size_t>(a)] = (kStep * kStep / 8.) * 2. * tangent * (1. + tangent * tangent);
  }
}

}  // namespace cherenkov::corsika
