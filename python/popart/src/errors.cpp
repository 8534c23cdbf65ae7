// SPDX-License-Identifier: MIT
// C++ exceptions as Python ones, with their text.
#include "bind.hpp"
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>
#include <string_view>
#include <typeinfo>

namespace {

py::handle popartError, internalError, runtimeError, poplarError, poplarRuntimeError,
    poplarApplicationError, poplarSystemError, poplarRecoverable, poplarUnrecoverable,
    poplarUnknown, poplibsError;
py::handle outOfMemory;

py::handle make(py::module &m, const char *name, py::handle base, const char *doc) {
  auto type = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      (std::string("popart_core.") + name).c_str(), doc, base.ptr(), nullptr));
  m.add_object(name, type);
  return m.attr(name);
}

void raise(py::handle type, const std::string &text) { // which may quote what is no UTF-8
  const auto message = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), py::ssize_t(text.size()), "backslashreplace"));
  PyErr_SetObject(type.ptr(), message.ptr());
}
// std::logic_error and its like, as compilers name them.
bool isStandard(const std::exception &e) {
  const std::string_view name = typeid(e).name();
  return name.starts_with("St") || name.starts_with("NSt");
}
void raise(py::handle type, const std::exception &e) { raise(type, std::string(e.what())); }

// An exception that carries what the caller may want to see beside the text.
void raiseOutOfMemory(const popart::memory_allocation_err &e) {
  py::object error = outOfMemory(py::str(e.what()));
  error.attr("_report") = e.getSummaryReport();
  error.attr("_profile") = e.getProfilePath();
  PyErr_SetObject(outOfMemory.ptr(), error.ptr());
}

void raiseRecoverable(const poplar::recoverable_runtime_error &e) {
  py::object error = poplarRecoverable(py::str(e.what()));
  error.attr("recoveryAction") = py::cast(e.getRecoveryAction());
  PyErr_SetObject(poplarRecoverable.ptr(), error.ptr());
}

// Raises each exception from C++, so that a program can try what it does then. Hooks have the names
// of C++'s classes, with the library's where several have one of that name.
void bindHooks(py::module &m) {
  const auto text = py::arg("message");
#define HOOK(name, type)                                                                           \
  m.def(                                                                                           \
      "_throw_" name, [](const std::string &message) { throw type(message); }, text,               \
      "Raises this exception of C++.")
  HOOK("popart_error", popart::error);
  HOOK("popart_internal_error", popart::internal_error);
  HOOK("popart_runtime_error", popart::runtime_error);
  HOOK("poplibs_error", poputil::poplibs_error);
  HOOK("poplar_error", poplar::poplar_error);
  HOOK("poplar_runtime_error", poplar::runtime_error);
  HOOK("application_runtime_error", poplar::application_runtime_error);
  HOOK("system_runtime_error", poplar::system_runtime_error);
  HOOK("unrecoverable_runtime_error", poplar::unrecoverable_runtime_error);
  HOOK("unknown_runtime_error", poplar::unknown_runtime_error);
#undef HOOK
  m.def(
      "_throw_recoverable_runtime_error",
      [](const std::string &message, poplar::RecoveryAction action) {
        throw poplar::recoverable_runtime_error(action, message);
      },
      text, py::arg("recoveryAction") = poplar::RecoveryAction::IPU_RESET,
      "Raises this exception of C++.");
}

} // namespace

void bindErrors(py::module &m) {
  py::enum_<poplar::RecoveryAction>(m, "RecoveryAction", "What brings a device back.")
      .value("IPU_RESET", poplar::RecoveryAction::IPU_RESET)
      .value("LINK_RESET", poplar::RecoveryAction::LINK_RESET)
      .value("PARTITION_RESET", poplar::RecoveryAction::PARTITION_RESET)
      .value("FULL_RESET", poplar::RecoveryAction::FULL_RESET);
  popartError = make(m, "popart_exception", PyExc_Exception, "The model or a call is wrong.");
  internalError = make(m, "popart_internal_exception", popartError, "A mistake of PopART itself.");
  runtimeError = make(m, "popart_runtime_error", popartError, "Running a session went wrong.");
  outOfMemory = make(m, "session_outofmemory_exception", popartError,
                     "The program does not fit the tiles' memory.");
  poplibsError =
      make(m, "poplibs_exception", PyExc_Exception, "A library of operators refused a call.");
  poplarError = make(m, "poplar_exception", PyExc_Exception, "Poplar refused a call.");
  poplarRuntimeError =
      make(m, "poplar_runtime_error", poplarError, "Running a program went wrong.");
  poplarApplicationError =
      make(m, "poplar_application_runtime_error", poplarRuntimeError,
           "The program itself went wrong, for example by a floating-point exception.");
  poplarSystemError =
      make(m, "poplar_system_runtime_error", poplarRuntimeError, "The device went wrong.");
  poplarRecoverable = make(m, "poplar_recoverable_runtime_error", poplarSystemError,
                           "The device went wrong and can be reset: recoveryAction says how.");
  poplarUnrecoverable = make(m, "poplar_unrecoverable_runtime_error", poplarSystemError,
                             "The device went wrong for good.");
  poplarUnknown = make(m, "poplar_unknown_runtime_error", poplarSystemError,
                       "The device went wrong in an unknown way.");
  bindHooks(m);

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
    } catch (const poplar::recoverable_runtime_error &e) {
      raiseRecoverable(e);
    } catch (const poplar::unrecoverable_runtime_error &e) {
      raise(poplarUnrecoverable, e);
    } catch (const poplar::unknown_runtime_error &e) {
      raise(poplarUnknown, e);
    } catch (const poplar::system_runtime_error &e) {
      raise(poplarSystemError, e);
    } catch (const poplar::runtime_error &e) {
      raise(poplarRuntimeError, e);
    } catch (const poplar::poplar_error &e) {
      raise(poplarError, e);
    }
  });
  // Other modules throw those too, and mean something else by them: of this one's functions alone.
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (const popart::error &) {
      throw;
    } catch (const poputil::poplibs_error &) {
      throw;
    } catch (const poplar::poplar_error &) {
      throw;
    } catch (const py::cast_error &e) { // a value that was looked at only in the function
      raise(PyExc_TypeError, e);
    } catch (const py::builtin_exception &) { // those that pybind11 knows
      throw;
    } catch (const py::error_already_set &) {
      throw;
    } catch (const std::bad_alloc &) {
      raise(popartError, "The host's memory is not enough for it.");
    } catch (const std::length_error &) {
      raise(popartError, "A size was asked for that no memory holds.");
    } catch (const std::exception &e) { // of the standard library: ours should have said more
      if (!isStandard(e))
        throw; // torch's, which translates them itself
      raise(internalError, std::string("An unexpected error: ") + e.what());
    }
  });
}
