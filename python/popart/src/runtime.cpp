// SPDX-License-Identifier: MIT
// popart_core.runtime: what lies beneath all front ends (frontends/runtime), bound once.
#include "base/Folder.hpp"
#include "bind.hpp"
#include "interrupt.hpp"
#include "runtime/Devices.hpp"
#include "runtime/Fit.hpp"
#include "runtime/Weights.hpp"
#include <sys/eventfd.h>

using namespace frontend;

namespace {

// Calls `wait(wake)`, without Python's lock, until it has something, or a signal came that Python
// does not let pass. Ctrl-C between the look at signals and the wait makes `wake` readable.
template <class Wait> auto waiting(const Wait &wait) {
  const base::Descriptor wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  const Interruptible guard(wake.get());
  for (;;) {
    if (PyErr_CheckSignals())
      throw py::error_already_set();
    auto result = [&] {
      const py::gil_scoped_release unlocked;
      return wait(wake.get());
    }();
    if (result)
      return result;
    eventfd_t count;
    eventfd_read(wake.get(), &count);
  }
}

// A function of Python that somebody calls, or drops, who may not have Python's lock.
Sharing::GiveUp called(py::function function) {
  const std::shared_ptr<py::function> held(new py::function(std::move(function)), [](auto *f) {
    const py::gil_scoped_acquire locked;
    delete f;
  });
  return [held] {
    const py::gil_scoped_acquire locked;
    (*held)();
  };
}

void bindAcquiring(py::module &m) {
  const auto unavailable =
      py::register_exception<Unavailable>(m, "Unavailable", m.attr("_runtime_error"));
  py::register_exception<InUse>(m, "InUse", unavailable);
  m.def(
      "acquire",
      [](int ipus, std::optional<int> id, popart::SyncPattern pattern,
         popart::DeviceConnectionType connection, bool wait) {
        const Wanted wanted{ipus, id, pattern, connection};
        return wait ? waiting([&](int wake) { return acquireWhenFree(wanted, wake); })
                    : acquire(wanted);
      },
      py::arg("ipus"), py::arg("id") = py::none(), py::arg("pattern") = popart::SyncPattern::Full,
      py::arg("connection") = popart::DeviceConnectionType::Always, py::arg("wait") = false,
      "A device, or Unavailable. Others of this process make room for it.");
  m.def(
      "attach",
      [](popart::DeviceInfo &device, bool wait) {
        if (!wait)
          return attach(device);
        waiting([&](int wake) { return attachWhenFree(device, wake); });
      },
      py::arg("device"), py::arg("wait") = false, "Attaches a device again, or InUse.");
  m.def("ipu_model", &ipuModel, py::arg("ipus"), py::arg("version") = "ipu2",
        py::arg("tiles_per_ipu") = 0, py::arg("compile_ipu_code") = true,
        "A model of IPUs. 0 tiles: all that such an IPU has.");
  m.def("offline", &offline, py::arg("ipus"), py::arg("version") = "ipu2",
        "What is compiled for, where nothing runs: no IPU is needed.");
  m.def("any_acquired", &anyAcquired, "Whether this process has had a device.");
  m.def("is_on", &isOn, py::arg("variable"),
        "Whether a variable of the environment is set, and neither empty nor 0.");
  m.def(
      "share", [](py::function give) { return Sharing::add(called(std::move(give))); },
      py::arg("give_up"), "Called when somebody of this process finds no free IPU, until unshare.");
  m.def("unshare", &Sharing::remove, py::arg("member"), "What share returned.");
  // Models that nobody uses any more may wait to be collected, and hold theirs.
  Sharing::add(called(py::module_::import("gc").attr("collect")));
}

template <class S> void bindOfSession(py::module &m, py::class_<Weights> &weights) {
  m.def(
      "memory_advice",
      [](const S &session, const popart::DeviceInfo &d) { return memoryAdvice(session, d); },
      py::arg("session"), py::arg("device"),
      "What to say of a compiled session; \"\" if it fits, or the device is no IPU.");
  weights.def(py::init<S &, bool>(), py::arg("session"), py::arg("changes"),
              py::keep_alive<1, 2>());
  weights.def(
      "run",
      [](Weights &self, S &session, popart::IStepIO &io) { self.step([&] { step(session, io); }); },
      py::arg("session"), py::arg("stepio"), "A step, and where the newest weights are after it.");
}

void bindWeights(py::module &m) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<Weights> weights(m, "Weights", "Where the newest weights of a session are.");
  weights
      .def_property_readonly(
          "newer_on_device",
          [](const Weights &self) { return self.newest() == Weights::Newest::Device; },
          "The host's are old.")
      .def_property_readonly(
          "newer_on_host",
          [](const Weights &self) { return self.newest() == Weights::Newest::Host; },
          "The device's are old.")
      .def_property_readonly("version", &Weights::version, "Counts changes.")
      .def("send", &Weights::send, Unlocked(), "The host's go to the device.")
      .def("fetch", &Weights::fetch, py::arg("always") = false, Unlocked(),
           "Whether the device had newer ones, which the host has now.")
      .def("replaced", &Weights::replaced, "The host has new ones, or the device has none.")
      .def("loss", &Weights::loss, "What to say after a failed step.");
  bindOfSession<popart::TrainingSession>(m, weights);
  bindOfSession<popart::InferenceSession>(m, weights);
}

} // namespace

void bindRuntime(py::module &m) {
  auto runtime = m.def_submodule("runtime", "What lies beneath all front ends.");
  runtime.attr("_runtime_error") = m.attr("popart_runtime_error");
  bindAcquiring(runtime);
  bindWeights(runtime);
}
