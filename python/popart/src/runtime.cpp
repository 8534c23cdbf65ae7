// SPDX-License-Identifier: MIT
// popart_core.runtime: what lies beneath all front ends (frontends/runtime), bound once.
#include "base/Folder.hpp"
#include "bind.hpp"
#include "interrupt.hpp"
#include "runtime/Cache.hpp"
#include "runtime/Devices.hpp"
#include "runtime/Fit.hpp"
#include "runtime/HostCalls.hpp"
#include "runtime/Random.hpp"
#include "runtime/Share.hpp"
#include "runtime/Weights.hpp"
#include <sys/eventfd.h>

using namespace frontend;

namespace {

// While it waits for a step of another thread, that step may call functions of Python.
using Unlocked = py::call_guard<py::gil_scoped_release>;

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
template <class... Arguments> auto called(py::function function) {
  const std::shared_ptr<py::function> held(new py::function(std::move(function)), [](auto *f) {
    const py::gil_scoped_acquire locked;
    delete f;
  });
  return [held](const Arguments &...arguments) {
    const py::gil_scoped_acquire locked;
    (*held)(arguments...);
  };
}

// A tensor of a program in the memory where it lies now.
using Form = std::pair<popart::DataType, popart::Shape>;

template <class Address>
py::list arraysAt(const std::vector<Form> &forms, const Address *addresses) {
  py::list out;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto &[type, shape] = forms[i];
    const auto elements = popart::TensorInfo(type, shape).nelms();
    out.append(elements ? py::array(dtypeOf(type), shape, addresses[i], py::none())
                        : py::array(dtypeOf(type), shape));
  }
  return out;
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

// Holds its session until that is gone.
struct OwnRandom : Random {
  py::object session;
};

struct Classes {
  py::class_<Weights> weights;
  py::class_<HostCalls> calls;
  py::class_<OwnRandom> random;
};

void bindHostCalls(py::class_<HostCalls> &calls) {
  calls.def(py::init<>(), "None.")
      .def(
          "add",
          [](HostCalls &self, const std::string &handle, py::function function,
             std::vector<Form> inputs, std::vector<Form> outputs) {
            const auto call = called<py::list, py::list>(std::move(function));
            self.add(handle, [=](const void *const *in, std::size_t, void *const *out, auto) {
              const py::gil_scoped_acquire locked;
              call(arraysAt(inputs, in), arraysAt(outputs, out));
            });
          },
          py::arg("handle"), py::arg("function"), py::arg("inputs"), py::arg("outputs"),
          "function(inputs, outputs) gets arrays where the program has them, of these types and "
          "shapes.")
      .def("clear", &HostCalls::clear, "There are none.")
      .def("forget", &HostCalls::forget, "What functions raised, before a run.")
      .def("raise_first", &HostCalls::rethrow, "What the first of them raised, after one.")
      .def("__len__", &HostCalls::size);
}

void bindRandom(py::class_<OwnRandom> &random) {
  random.def(py::init<>(), "Of no session.")
      .def(
          "gone",
          [](OwnRandom &self) {
            self.gone();
            self.session = py::object();
          },
          "There is no session any more.")
      .def("seed", &Random::seed, py::arg("seed"), Unlocked(), "They begin from here.")
      .def("loaded", &Random::loaded, Unlocked(),
           "The program is on the device: they begin, or go on.")
      .def("leaving", &Random::leaving, Unlocked(), "Another program gets the device.")
      .def("state", &Random::state, Unlocked(),
           "The seed, then the state of generators; empty if nobody knows.")
      .def("set_state", &Random::set, py::arg("state"), Unlocked(), "They go on from there.");
}

void bindSettingUp(py::module &m) {
  m.def(
      "set_replicas",
      [](popart::SessionOptions &options, std::int64_t here, std::int64_t first,
         std::optional<std::int64_t> total) {
        setReplicas(options, {here, first, total.value_or(here)});
      },
      py::arg("options"), py::arg("here"), py::arg("first") = 0, py::arg("total") = py::none(),
      "Replicas of this process, from one on, of those of all processes.");
  m.def("keep_executables", &keepExecutables, py::arg("options"), py::arg("folder"),
        "Sessions keep executables in a folder; \"\": nothing changes.");
  m.def("key_of", &keyOf, py::arg("model"), py::arg("options"), py::arg("device"),
        py::arg("optimizer") = nullptr,
        "16 digits for everything that a program depends on; model: what the front end knows.");
}

template <class S> void bindOfSession(py::module &m, Classes &classes) {
  m.def(
      "memory_advice",
      [](const S &session, const popart::DeviceInfo &d) { return memoryAdvice(session, d); },
      py::arg("session"), py::arg("device"),
      "What to say of a compiled session; \"\" if it fits, or the device is no IPU.");
  classes.calls.def(
      "connect", [](const HostCalls &self, S &session) { self.connect(session); },
      py::arg("session"), Unlocked(), "After every load.");
  classes.random.def(
      "of",
      [](OwnRandom &self, S &session) {
        self.session = py::cast(&session); // Python's own
        const py::gil_scoped_release unlocked;
        self.of(session);
      },
      py::arg("session"), "They are its from here on.");
  classes.weights.def(py::init<S &, bool>(), py::arg("session"), py::arg("changes"),
                      py::keep_alive<1, 2>());
  classes.weights.def(
      "run",
      [](Weights &self, S &session, popart::IStepIO &io, HostCalls *calls) {
        if (calls)
          calls->forget();
        self.step([&] { step(session, io); });
        if (calls)
          calls->rethrow();
      },
      py::arg("session"), py::arg("stepio"), py::arg("calls") = nullptr,
      "A step, and where the newest weights are after it. What its host calls raised is raised.");
}

void bindWeights(py::class_<Weights> &weights) {
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
}

void bindOfSessions(py::module &m) {
  Classes classes{{m, "Weights", "Where the newest weights of a session are."},
                  {m, "HostCalls", "Functions of the host that a program calls."},
                  {m, "Random", "Random numbers of a model, whatever device it is on."}};
  bindWeights(classes.weights);
  bindHostCalls(classes.calls);
  bindRandom(classes.random);
  bindOfSession<popart::TrainingSession>(m, classes);
  bindOfSession<popart::InferenceSession>(m, classes);
}

} // namespace

void bindRuntime(py::module &m) {
  auto runtime = m.def_submodule("runtime", "What lies beneath all front ends.");
  runtime.attr("_runtime_error") = m.attr("popart_runtime_error");
  bindAcquiring(runtime);
  bindSettingUp(runtime);
  bindOfSessions(runtime);
}
