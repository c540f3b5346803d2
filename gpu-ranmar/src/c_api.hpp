// What the C interface's files share: exceptions as status codes, and the reason kept for ranmar_message().
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "ranmar/generator.hpp"
#include "ranmar/ranmar.h"
#include "ranmar/refills.hpp"

namespace ranmar::c_api {

struct WrongForm : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Keeps the reason for ranmar_message(), cut at 511 bytes.
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
  } catch (const cuda::Error& e) {
    return failed(RANMAR_DEVICE_FAILED, e.what());
  } catch (const std::exception& e) {
    return failed(RANMAR_FAILED, e.what());
  } catch (...) {
    return failed(RANMAR_FAILED, "an unknown exception");
  }
}

/// Calls `function` with the type that belongs to a form: Form48() and so on.
template <class Function>
auto with_form(ranmar_form form, Function&& function) {
  if (form == RANMAR_48_BIT) return function(Form48());
  if (form == RANMAR_24_BIT) return function(Form24());
  if (form == RANMAR_EXTENDED_48_BIT) return function(FormExtended48());
  throw std::invalid_argument("form is not 48, 24 or 148");
}

/// Throws: a function for numbers of type Real was called for a form that makes others.
template <class Real>
[[noreturn]] void refuse_form() {
  throw WrongForm(std::is_same_v<Real, double> ? "the 24-bit form makes floats: call the function for floats"
                                               : "this form makes doubles: call the function for doubles");
}

inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(what) + " is a null pointer");
}

/// guarded() of a function for an object, which must not be null.
template <class Function>
ranmar_status guarded(const void* object, const char* what, Function&& function) noexcept {
  return guarded([&] {
    require(object, what);
    function();
  });
}

}  // namespace ranmar::c_api
