// What CHERENKOV_BACKEND asks for.
#pragma once

namespace cherenkov::corsika {

enum class Wanted {
  kNothing,  // off, or unset
  kCpu,      // cpu
  kDevice,   // gpu
  kAuto      // auto: the device where it is there and pays, see kAutoSteps
};

// Anything else in CHERENKOV_BACKEND ends the program with one line on standard error.
Wanted stage_wanted();

}  // namespace cherenkov::corsika
