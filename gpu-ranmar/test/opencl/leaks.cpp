// For the leak sanitizer: what PoCL and its compiler keep until the process ends. None of it is allocated by
// this project.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpocl\nleak:libLLVM\nleak:libclang\n"; }
