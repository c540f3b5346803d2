// What CHERENKOV_BACKEND asks for.
#pragma once

namespace cherenkov::corsika {

// Whether the stage is asked for: CHERENKOV_BACKEND is cpu or auto. Off and unset are no. Anything else ends
// the program with one line on standard error.
bool stage_wanted();

}  // namespace cherenkov::corsika
