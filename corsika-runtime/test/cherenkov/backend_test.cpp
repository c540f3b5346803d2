#include "corsika_runtime/cherenkov/backend.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

using cherenkov::corsika::backend_of;
using cherenkov::corsika::check_interval_of;
using cherenkov::corsika::RequestedBackend;

TEST(Backend, NamesAndNone) {
  EXPECT_EQ(backend_of(""), RequestedBackend::kCpu);
  EXPECT_EQ(backend_of("cpu"), RequestedBackend::kCpu);
  EXPECT_EQ(backend_of("off"), RequestedBackend::kOff);
  EXPECT_EQ(backend_of("gpu"), RequestedBackend::kDevice);
  EXPECT_EQ(backend_of("auto"), RequestedBackend::kCpu);
  EXPECT_EQ(backend_of("check"), RequestedBackend::kCheck);
  EXPECT_EQ(backend_of("check:100"), RequestedBackend::kCheck);
}

TEST(Backend, EveryHowManyStepsAreChecked) {
  EXPECT_EQ(check_interval_of("check"), 1U);
  EXPECT_EQ(check_interval_of("check:1"), 1U);
  EXPECT_EQ(check_interval_of("check:1000000000"), 1000000000U);
  for (const char* name :
       {"check:", "check:0", "check:-1", "check: 5", "check:5x", "check:1000000001", "cpu"}) {
    try {
      check_interval_of(name);
      FAIL() << name;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()), "CHERENKOV_BACKEND cannot be '" + std::string(name) +
                                           "'; give check or check:N, with N from 1 to 1000000000");
    }
    if (std::string(name).starts_with("check")) {
      EXPECT_THROW(backend_of(name), std::invalid_argument) << name;
    }
  }
}

TEST(Backend, HelperThreads) {
  using cherenkov::corsika::helper_threads_of;
  EXPECT_EQ(helper_threads_of(""), 0);
  EXPECT_EQ(helper_threads_of("0"), 0);
  EXPECT_EQ(helper_threads_of("1"), 1);
  for (const char* value : {"2", "-1", "01", "one", " 1"}) {
    try {
      helper_threads_of(value);
      ADD_FAILURE() << value;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(e.what(), "CHERENKOV_THREADS cannot be '" + std::string(value) + "'; give 0 or 1");
    }
  }
}

TEST(Backend, AnythingElseIsAnErrorThatSaysWhatToGive) {
  for (const char* name : {"CPU", "cpu ", "of", "cuda", "0", "checks"}) {
    try {
      backend_of(name);
      FAIL() << name;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()), "CHERENKOV_BACKEND cannot be '" + std::string(name) +
                                           "'; give off, cpu, gpu, auto, check, check-gpu or check:N");
    }
  }
}

}  // namespace
