// The exact energy and specific heat of the two-dimensional Ising model on a finite square lattice with
// periodic borders. Computes only.
#pragma once

namespace validation {

/// Per spin, with coupling J = 1 and Boltzmann's constant 1.
struct Exact {
  double energy = 0.;
  double specific_heat = 0.;
};

/// Tc = 2 / ln(1 + sqrt 2) (Onsager 1944).
double critical_temperature();

/// A lattice of size x size spins, size 2 to 1024, at a temperature above 0; Kaufman (1949), in the form of
/// Ferdinand and Fisher (1969), eq. 2.6. Relative error below 1e-7. Throws std::invalid_argument out of
/// range.
Exact exact_ising(int size, double temperature);

}  // namespace validation
