// SPDX-License-Identifier: MIT
// paddle_core: Paddle's programs, files and predictor in C++.
#include "bind.hpp"

#include "core/Call.hpp"

PYBIND11_MODULE(paddle_core, m) {
  py::module::import("popart_core"); // Converted and popart's errors
  m.doc() = "Paddle's programs and files on simulated IPUs.";
  // Paddle's classes of errors are Python's.
  static py::exception<paddleipu::ProgramError> invalid(m, "InvalidArgumentError",
                                                        PyExc_ValueError);
  static py::exception<paddleipu::UnimplementedError> unimplemented(m, "UnimplementedError",
                                                                    PyExc_NotImplementedError);
  static py::exception<paddleipu::FileError> damaged(m, "FileError", PyExc_ValueError);
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      std::rethrow_exception(p);
    } catch (const paddleipu::ProgramError &e) {
      PyErr_SetString(invalid.ptr(), ("(InvalidArgument) " + std::string(e.what())).c_str());
    } catch (const paddleipu::UnimplementedError &e) {
      PyErr_SetString(unimplemented.ptr(), ("(Unimplemented) " + std::string(e.what())).c_str());
    } catch (const paddleipu::FileError &e) {
      PyErr_SetString(damaged.ptr(), ("(InvalidArgument) " + std::string(e.what())).c_str());
    }
  });
  // Of this module's functions alone: popart_core's stay what they are.
  py::register_local_exception_translator([](std::exception_ptr p) {
    try {
      std::rethrow_exception(p);
    } catch (const paddleipu::ProgramError &) {
      throw;
    } catch (const paddleipu::UnimplementedError &) {
      throw;
    } catch (const paddleipu::FileError &) {
      throw;
    } catch (const popart::runtime_error &e) {
      PyErr_SetString(PyExc_RuntimeError, ("(Unavailable) " + std::string(e.what())).c_str());
    } catch (const popart::error &e) {
      PyErr_SetString(invalid.ptr(), ("(InvalidArgument) " + std::string(e.what())).c_str());
    }
  });
  bindDescriptions(m);
  bindFiles(m);
  bindConversion(m);
  bindPredictor(m);
}
