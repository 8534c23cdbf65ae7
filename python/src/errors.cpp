// SPDX-License-Identifier: MIT
// C++ exceptions as Python ones, with their text.
#include "bind.hpp"
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

namespace {

py::handle popartError, internalError, runtimeError, poplarError, poplarRuntimeError,
    poplarApplicationError, poplarSystemError, poplibsError;
py::handle outOfMemory;

py::handle make(py::module &m, const char *name, py::handle base) {
  auto type = py::reinterpret_steal<py::object>(
      PyErr_NewException((std::string("popart_core.") + name).c_str(), base.ptr(), nullptr));
  m.add_object(name, type);
  return m.attr(name);
}

void raise(py::handle type, const std::exception &e) { PyErr_SetString(type.ptr(), e.what()); }

// An exception that carries what the caller may want to see beside the text.
void raiseOutOfMemory(const popart::memory_allocation_err &e) {
  py::object error = outOfMemory(py::str(e.what()));
  error.attr("_report") = e.getSummaryReport();
  error.attr("_profile") = e.getProfilePath();
  PyErr_SetObject(outOfMemory.ptr(), error.ptr());
}

} // namespace

void bindErrors(py::module &m) {
  popartError = make(m, "popart_exception", PyExc_Exception);
  internalError = make(m, "popart_internal_exception", popartError);
  runtimeError = make(m, "popart_runtime_error", popartError);
  outOfMemory = make(m, "session_outofmemory_exception", popartError);
  poplibsError = make(m, "poplibs_exception", PyExc_Exception);
  poplarError = make(m, "poplar_exception", PyExc_Exception);
  poplarRuntimeError = make(m, "poplar_runtime_error", poplarError);
  poplarApplicationError = make(m, "poplar_application_runtime_error", poplarRuntimeError);
  poplarSystemError = make(m, "poplar_system_runtime_error", poplarRuntimeError);
  make(m, "poplar_recoverable_runtime_error", poplarSystemError);
  make(m, "poplar_unrecoverable_runtime_error", poplarSystemError);
  make(m, "poplar_unknown_runtime_error", poplarSystemError);

  py::register_exception_translator([](std::exception_ptr pointer) {
    try { // derived ones first
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (const popart::memory_allocation_err &e) {
      raiseOutOfMemory(e);
    } catch (const popart::internal_error &e) {
      raise(internalError, e);
    } catch (const popart::runtime_error &e) {
      raise(runtimeError, e);
    } catch (const popart::error &e) {
      raise(popartError, e);
    } catch (const poputil::poplibs_error &e) {
      raise(poplibsError, e);
    } catch (const poplar::application_runtime_error &e) {
      raise(poplarApplicationError, e);
    } catch (const poplar::system_runtime_error &e) {
      raise(poplarSystemError, e);
    } catch (const poplar::runtime_error &e) {
      raise(poplarRuntimeError, e);
    } catch (const poplar::poplar_error &e) {
      raise(poplarError, e);
    }
  });
}
