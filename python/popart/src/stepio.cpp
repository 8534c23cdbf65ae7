// SPDX-License-Identifier: MIT
#include "stepio.hpp"
#include "bind.hpp"

using popart::TensorId;

namespace {

class NumpyArray : public popart::IArray {
public:
  explicit NumpyArray(const py::array &given) : array(given) {}
  void *data() override { return array.writableData().data; }
  popart::DataType dataType() const override { return array.info().dataType(); }
  std::size_t rank() const override { return std::size_t(array.info().rank()); }
  std::int64_t dim(std::size_t i) const override { return array.info().dim(int(i)); }
  std::size_t nelms() const override { return std::size_t(array.info().nelms()); }
  const popart::Shape shape() const override { return array.info().shape(); }

  PlainArray array;
};
using NumpyArrays = std::map<TensorId, std::unique_ptr<NumpyArray>>;

struct BothArrays {
  NumpyArrays inputs, outputs;
  static std::map<TensorId, popart::IArray &> references(const NumpyArrays &all) {
    std::map<TensorId, popart::IArray &> out;
    for (const auto &[id, array] : all)
      out.emplace(id, *array);
    return out;
  }
  static NumpyArrays wrap(const Arrays &all, bool writable) {
    NumpyArrays out;
    for (const auto &[id, given] : all) {
      out[id] = std::make_unique<NumpyArray>(given.array);
      if (writable)
        out[id]->array.requireWritable("The array given for the anchor", id);
    }
    return out;
  }
};

class PyStepIO : private BothArrays, public popart::StepIO, public NumpyIo {
public:
  PyStepIO(const Arrays &in, const Arrays &out)
      : BothArrays{wrap(in, false), wrap(out, true)},
        StepIO(references(inputs), references(outputs)) {}
  void begin() override {
    for (auto &[id, input] : inputs)
      input->array.refresh();
    for (auto &[id, output] : outputs) // it may have become so since
      output->array.requireWritable("The array given for the anchor", id);
  }
  void end() override {
    for (auto &[id, output] : outputs)
      output->array.writeBack();
  }
  std::string text() const {
    const auto list = [](const NumpyArrays &all) {
      std::string out;
      for (const auto &[id, array] : all)
        out += (out.empty() ? "" : ", ") + shown(id) + ": " + shown(array->array.info());
      return "{" + out + "}";
    };
    return "PyStepIO(inputs=" + list(inputs) + ", outputs=" + list(outputs) + ")";
  }
};

// Every call of the user's functions takes the interpreter's lock.
class PyStepIOCallback : public popart::IStepIO {
public:
  PyStepIOCallback(py::function in, py::function inDone, py::function out, py::function outDone)
      : in_(in), inDone_(inDone), out_(out), outDone_(outDone) {}

  popart::ConstVoidData in(TensorId id, std::int64_t, bool prefetch, bool) override {
    const py::gil_scoped_acquire lock;
    const py::object given = in_(id, prefetch);
    const auto array = given.is_none() ? py::array() : py::array::ensure(given);
    if (!array || given.is_none() || array.dtype().kind() == 'O') { // what numpy makes of None
      if (prefetch)
        return {};
      throw popart::runtime_error("The input callback returned {} for \"{}\", which is no array.",
                                  shown(given), id);
    }
    held_[id] = PlainArray(array); // until it is consumed
    return held_[id].data();
  }
  void inComplete(TensorId id, std::int64_t, bool) override {
    const py::gil_scoped_acquire lock;
    held_.erase(id);
    inDone_(id);
  }
  popart::MutableVoidData out(TensorId id, std::int64_t) override {
    const py::gil_scoped_acquire lock;
    const py::object given = out_(id);
    if (!py::isinstance<py::array>(given))
      throw popart::runtime_error("The output callback returned {} for \"{}\", which is no array.",
                                  shown(given), id);
    auto &array = heldOut_[id] = PlainArray(given);
    array.requireWritable("The array that the output callback returned for", id);
    return array.writableData();
  }
  void outComplete(TensorId id) override {
    const py::gil_scoped_acquire lock;
    heldOut_[id].writeBack();
    heldOut_.erase(id);
    outDone_(id);
  }
  void assertNumElements(const std::map<TensorId, popart::StepTensor> &,
                         const std::map<TensorId, popart::StepTensor> &) const override {}

private:
  py::function in_, inDone_, out_, outDone_;
  std::map<TensorId, PlainArray> held_, heldOut_;
};

} // namespace

PyWeightsIO::PyWeightsIO(const Arrays &weights) {
  for (const auto &[id, given] : weights) {
    arrays_[id] = PlainArray(given.array);
    insert(id, arrays_[id].writableData());
  }
}
void PyWeightsIO::requireWritable() const {
  for (const auto &[id, array] : arrays_)
    array.requireWritable("readWeights: the array given for the weight", id);
}
void PyWeightsIO::refresh() {
  for (auto &[id, array] : arrays_)
    array.refresh();
}
void PyWeightsIO::writeBack() {
  for (auto &[id, array] : arrays_)
    array.writeBack();
}

void bindStepIo(py::module &m) {
  py::class_<popart::IStepIO>(m, "IStepIO", "Where a step's inputs come from and its anchors go.")
      .def("enableRuntimeAsserts", &popart::IStepIO::enableRuntimeAsserts, py::arg("enable"),
           "Whether names, types and sizes are checked before every step; they are by default.");
  py::class_<PyStepIO, popart::IStepIO>(
      m, "PyStepIO",
      "The arrays of a step, by tensor: inputs for all its micro-batches, and arrays for the "
      "anchors, for example those of Session.initAnchorArrays(). May serve many steps.")
      .def(py::init<const Arrays &, const Arrays &>(), py::arg("inputs"), py::arg("outputs"),
           "Arrays for inputs and anchors, by tensor.")
      .def("__repr__", &PyStepIO::text);
  py::class_<PyStepIOCallback, popart::IStepIO>(
      m, "PyStepIOCallback",
      "Functions that bring inputs and take anchors, one micro-batch of one replica at a time. "
      "They may ask the session things, but not run it.")
      .def(py::init<py::function, py::function, py::function, py::function>(),
           py::arg("input_callback"), py::arg("input_complete_callback"),
           py::arg("output_callback"), py::arg("output_complete_callback"),
           "input_callback(id, is_prefetch) gives an array, or None if it is a prefetch and there "
           "is nothing yet; output_callback(id) gives the array to fill; the others tell that "
           "the array was used.");
  py::class_<popart::IWeightsIO>(m, "IWeightsIO", "Where weights are read from and written to.");
  py::class_<PyWeightsIO, popart::IWeightsIO>(
      m, "PyWeightsIO", "Arrays for readWeights, which fills them, and writeWeights, by weight.")
      .def(py::init<const Arrays &>(), py::arg("weights"), "Arrays by weight.");
}
