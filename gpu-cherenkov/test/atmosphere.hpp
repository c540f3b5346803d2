// An atmosphere of the tests' own: refractivity falls off exponentially.
#pragma once

#include <cmath>

#include "cherenkov/refraction_model.hpp"

namespace cherenkov::test {

class Atmosphere {
 public:
  static constexpr double kSeaLevel = 2.8e-4;
  static constexpr double kScale = 8e5;  // cm

  // observed: height of the detection plane, cm.
  explicit Atmosphere(double observed) : observed_(observed) {}

  [[nodiscard]] double observed() const { return observed_; }
  [[nodiscard]] static double refractivity(double height) { return kSeaLevel * std::exp(-height / kScale); }

  // The integral of n(z) - n(height) over z from the plane to `height`, cm. To first order, light at zenith
  // angle theta arrives shifted by -k tan(theta)/cos^2(theta) against a straight line.
  [[nodiscard]] double k(double height) const {
    return kScale * (refractivity(observed_) - refractivity(height)) -
           (height - observed_) * refractivity(height);
  }

  // As a table of k is used by the IACT package: the angle is taken 0.28 of the way from emission to arrival.
  // u: sine of the zenith angle at emission.
  [[nodiscard]] double shift(double height, double u) const {
    const double emitted = std::asin(u);
    const double arrived = std::asin(arriving(height, u));
    const double angle = emitted + 0.28 * (arrived - emitted);
    const double cosine = std::cos(angle);
    return -k(height) * std::sin(angle) / (cosine * cosine * cosine);
  }
  // Sine of the zenith angle at arrival.
  [[nodiscard]] double arriving(double height, double u) const {
    return u * (1. + refractivity(height)) / (1. + refractivity(observed_));
  }
  [[nodiscard]] RefractionModel::Arrival arrival(double height, double u) const {
    return {shift(height, u), arriving(height, u)};
  }

 private:
  double observed_;
};

}  // namespace cherenkov::test
