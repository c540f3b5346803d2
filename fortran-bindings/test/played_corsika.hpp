// CORSIKA's routines, by their names, played by one package for the life of a test program; and where they
// fail.
#pragma once

#include "package.hpp"

namespace cherenkov::test {

// The entry keeps one stage, and so one package, for the life of the program.
Package& staged();

// What fails when the stage calls it.
enum class Fails { kNothing, kCounters, kDraws, kCollect };
extern Fails fails;

}  // namespace cherenkov::test
