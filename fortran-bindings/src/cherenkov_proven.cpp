// Pulled into a program by the linker's option -u cherenkov_proven_, which `overlay build` gives where the
// stage is known or proven to do what this tree's routines do. Without it the stage stays off.
extern "C" {
extern const int cherenkov_proven_;
const int cherenkov_proven_ = 1;
}
