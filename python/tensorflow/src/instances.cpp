// SPDX-License-Identifier: MIT
#include "instances.hpp"

#include <popdist/collectives.hpp>
#include <popdist/context.hpp>

namespace {

py::bytes allGather(const std::string &data) {
  std::string all(data.size() * popdist::getNumInstances(), '\0');
  {
    const py::gil_scoped_release others;
    popdist::collectives::detail::allGather(data.data(), data.size(), all.data(),
                                            popdist::defaultCommunicatorId);
  }
  return all;
}

py::bytes broadcast(std::string data) {
  {
    const py::gil_scoped_release others;
    popdist::collectives::detail::broadcast(data.data(), data.size(), 0,
                                            popdist::defaultCommunicatorId);
  }
  return data;
}

} // namespace

void bindInstances(py::module &m) {
  m.def("all_gather", allGather, "Bytes of every instance that poprun started, in their order.");
  m.def("broadcast", broadcast, "Those of the first instance.");
}
