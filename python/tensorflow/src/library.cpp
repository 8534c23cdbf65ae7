// SPDX-License-Identifier: MIT
#include "library.hpp"

#include <dlfcn.h>
#include <stdexcept>

namespace {

// What custom_ops.cpu_user_op calls, on the host's memory.
using Callback = void (*)(const std::vector<const void *> &data,
                          const std::vector<std::uint32_t> &elements,
                          const std::vector<void *> &outputs, const std::string &attributes,
                          const std::string &name);
constexpr std::int32_t level = 5;

// Libraries stay open: programs have pointers into them.
void *libraryOf(const std::string &path) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw py::value_error("cpu_user_op: the library cannot be loaded: " + std::string(::dlerror()) +
                          ".");
  const auto *found = static_cast<const std::int32_t *>(::dlsym(library, "custom_op_api_level"));
  if (!found || *found != level)
    throw py::value_error("cpu_user_op: the library \"" + path + "\" has custom_op_api_level " +
                          (found ? std::to_string(*found) : "missing") + "; it must be " +
                          std::to_string(level) + ".");
  return library;
}

// The address of a function, or 0.
std::uintptr_t functionOf(const std::string &path, const std::string &name) {
  return reinterpret_cast<std::uintptr_t>(::dlsym(libraryOf(path), name.c_str()));
}

template <class To> To address(std::uintptr_t number) { return reinterpret_cast<To>(number); }

void call(std::uintptr_t function, const std::vector<std::uintptr_t> &inputs,
          const std::vector<std::uint32_t> &elements, const std::vector<std::uintptr_t> &outputs,
          const std::string &attributes, const std::string &name) {
  std::vector<const void *> data;
  std::vector<void *> results;
  for (auto each : inputs)
    data.push_back(address<const void *>(each));
  for (auto each : outputs)
    results.push_back(address<void *>(each));
  address<Callback>(function)(data, elements, results, attributes, name);
}

} // namespace

void bindLibrary(py::module &m) {
  m.def("user_function", functionOf, "The address of a function of a shared library, or 0.");
  m.def("call_user_function", call, "Calls it on addresses of the host's memory.");
}
