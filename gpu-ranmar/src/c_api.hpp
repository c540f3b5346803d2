// What the C interface's files share: exceptions as status codes, and the reason kept for ranmar_message().
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "ranmar/error.hpp"
#include "ranmar/ranmar.h"

namespace ranmar::c_api {

struct WrongForm : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the reason for ranmar_message(), cut where it is longer than a line.
ranmar_status failed(ranmar_status status, const char* what) noexcept;

/// Calls `function` and makes a status of what it throws. Nothing passes: the caller may be C or Fortran.
template <class Function>
ranmar_status guarded(Function&& function) noexcept {
  try {
    function();
    return RANMAR_OK;
  } catch (const WrongForm& e) {
    return failed(RANMAR_WRONG_FORM, e.what());
  } catch (const BadSequence& e) {
    return failed(RANMAR_BAD_SEQUENCE, e.what());
  } catch (const NotSeeded& e) {
    return failed(RANMAR_NOT_SEEDED, e.what());
  } catch (const std::invalid_argument& e) {
    return failed(RANMAR_BAD_ARGUMENT, e.what());
  } catch (const std::bad_alloc&) {
    return failed(RANMAR_OUT_OF_MEMORY, "out of memory");
  } catch (const DeviceError& e) {
    return failed(RANMAR_DEVICE_FAILED, e.what());
  } catch (const std::exception& e) {
    return failed(RANMAR_FAILED, e.what());
  } catch (...) {
    return failed(RANMAR_FAILED, "an unknown exception");
  }
}

inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(what) + " is a null pointer");
}

}  // namespace ranmar::c_api
