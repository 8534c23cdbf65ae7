// SPDX-License-Identifier: MIT
// popdist in Python: the context that poprun sets up.
#include <popdist/backend.hpp>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

namespace py = pybind11;

// For packages of ours. As many bytes of every instance, in their order; those of the first one.
static py::bytes allGather(const std::string &mine) {
  std::string all(mine.size() * popdist::getNumInstances(), '\0');
  {
    const py::gil_scoped_release others;
    popdist::collectives::detail::allGather(mine.data(), mine.size(), all.data(),
                                            popdist::defaultCommunicatorId);
  }
  return all;
}
static py::bytes broadcast(std::string data) {
  {
    const py::gil_scoped_release others;
    popdist::collectives::detail::broadcast(data.data(), data.size(), 0,
                                            popdist::defaultCommunicatorId);
  }
  return data;
}
// What pickle makes: everybody's, by instance.
static std::vector<py::bytes> gather(const std::string &mine) {
  std::vector<std::string> all;
  {
    const py::gil_scoped_release others;
    std::uint64_t size = mine.size();
    const auto sizes = popdist::collectives::allGather(&size, 1);
    const auto most = *std::max_element(sizes.begin(), sizes.end());
    std::string padded = mine;
    padded.resize(most);
    const auto bytes = popdist::collectives::allGather(padded.data(), most);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      all.emplace_back(bytes.data() + i * most, sizes[i]);
  }
  return {all.begin(), all.end()};
}

PYBIND11_MODULE(_core, m) {
  m.def("_gather", &gather, py::arg("mine"));
  m.def("_all_gather", &allGather, py::arg("mine"));
  m.def("_broadcast", &broadcast, py::arg("data"));
  m.def(
      "registerCommunicator",
      [](const std::set<unsigned> &instances, popdist::CommunicatorId id) {
        popdist::registerCommunicator(instances, id);
      },
      py::arg("instances"), py::arg("id"), "Some of the instances, under a number.");
  m.attr("defaultCommunicatorId") = popdist::defaultCommunicatorId;
  m.def("isPopdistEnvSet", &popdist::isPopdistEnvSet, "True if poprun started this process.");
  m.def("getInstanceIndex", &popdist::getInstanceIndex, "This instance among all, from 0.");
  m.def("getNumInstances", &popdist::getNumInstances, "Processes that share the program.");
  m.def("getLocalInstanceIndex", &popdist::getLocalInstanceIndex, "This instance on its host.");
  m.def("getNumTotalReplicas", &popdist::getNumTotalReplicas, "Replicas of all instances.");
  m.def("getNumLocalReplicas", &popdist::getNumLocalReplicas, "Replicas of this instance.");
  m.def("getReplicaIndexOffset", &popdist::getReplicaIndexOffset,
        "Index of its first replica among all.");
  m.def("getNumIpusPerReplica", &popdist::getNumIpusPerReplica, "IPUs of a replica.");
  m.def("getUniformReplicasPerInstance", &popdist::getUniformReplicasPerInstance,
        "True if every instance has as many replicas.");
  m.def("checkNumIpusPerReplica", &popdist::checkNumIpusPerReplica, py::arg("ipus_per_replica"),
        "Raises an error if poprun was told another number.");
  m.def("initializeBackend", &popdist::initializeBackend,
        "Loads Open MPI and meets the other instances; all of them call it.");
  m.def("registerBackend", &popdist::registerBackend, py::arg("file"),
        "Another library than the one on Open MPI; before the first use.");
  m.def("isBackendInitialized", &popdist::isBackendInitialized, "Whether that was done.");
  m.def("finalizeBackend", &popdist::finalizeBackend, "Waits for all instances.");
  m.def("getDeviceId", &popdist::getDeviceId, py::arg("ipus_per_replica") = 0,
        "Id of the device with this instance's IPUs.");
}
