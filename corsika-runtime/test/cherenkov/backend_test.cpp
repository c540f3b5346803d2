#include "corsika_runtime/cherenkov/backend.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

using cherenkov::corsika::backend_of;
using cherenkov::corsika::RequestedBackend;

TEST(Backend, NamesAndNone) {
  EXPECT_EQ(backend_of(""), RequestedBackend::kCpu);
  EXPECT_EQ(backend_of("cpu"), RequestedBackend::kCpu);
  EXPECT_EQ(backend_of("off"), RequestedBackend::kOff);
  EXPECT_EQ(backend_of("gpu"), RequestedBackend::kDevice);
  EXPECT_EQ(backend_of("auto"), RequestedBackend::kAuto);
}

TEST(Backend, AnythingElseIsAnErrorThatSaysWhatToGive) {
  for (const char* name : {"CPU", "cpu ", "of", "cuda", "0", "check"}) {
    try {
      backend_of(name);
      FAIL() << name;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()),
                "CHERENKOV_BACKEND cannot be '" + std::string(name) + "'; give off, cpu, gpu or auto");
    }
  }
}

}  // namespace
