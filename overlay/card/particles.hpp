// Particles by name: those that cards begin showers with.
#pragma once

#include <string>

namespace overlay {

/// CORSIKA's code of a particle, a name ("gamma", "iron", in any case) or a code. Throws support::Error where
/// no release has such a primary.
std::string particle_code(const std::string& text);

/// The name of a code, or the code where it has none.
std::string particle_name(const std::string& code);

}  // namespace overlay
