// What the C interface's files share: exceptions as status codes.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "ranmar/ranmar.h"

namespace ranmar::c_api {

struct WrongForm : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the reason for ranmar_message().
ranmar_status failed(ranmar_status status, const char* what);

template <class Function>
ranmar_status guarded(Function&& function) {
  try {
    function();
    return RANMAR_OK;
  } catch (const WrongForm& e) {
    return failed(RANMAR_WRONG_FORM, e.what());
  } catch (const std::invalid_argument& e) {
    return failed(RANMAR_BAD_ARGUMENT, e.what());
  } catch (const std::out_of_range& e) {
    return failed(RANMAR_BAD_SEQUENCE, e.what());
  } catch (const std::logic_error& e) {
    return failed(RANMAR_NOT_SEEDED, e.what());
  } catch (const std::bad_alloc&) {
    return failed(RANMAR_OUT_OF_MEMORY, "out of memory");
  } catch (const DeviceError& e) {
    return failed(RANMAR_DEVICE_FAILED, e.what());
  } catch (const std::exception& e) {
    return failed(RANMAR_FAILED, e.what());
  }
}

inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(what) + " is a null pointer");
}

}  // namespace ranmar::c_api
