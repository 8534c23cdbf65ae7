// SPDX-License-Identifier: MIT
// Step input and output with numpy arrays, which are read and written where they lie.
#include "bind.hpp"
#include <popart/stepio.hpp>

namespace {

using popart::TensorId;

class NumpyArray : public popart::IArray {
public:
  NumpyArray(py::array array, const TensorId &id, bool writable)
      : array_(std::move(array)), info_(infoOf(array_)) {
    if (!(array_.flags() & py::array::c_style))
      throw popart::runtime_error("The array given for \"{}\" is not C-contiguous. Use "
                                  "numpy.ascontiguousarray.",
                                  id);
    if (writable && !array_.writeable())
      throw popart::runtime_error("The array given for the anchor \"{}\" is read-only.", id);
    data_ = const_cast<void *>(array_.data());
  }
  void *data() override { return data_; }
  popart::DataType dataType() const override { return info_.dataType(); }
  std::size_t rank() const override { return std::size_t(info_.rank()); }
  std::int64_t dim(std::size_t i) const override { return info_.dim(int(i)); }
  std::size_t nelms() const override { return std::size_t(info_.nelms()); }
  const popart::Shape shape() const override { return info_.shape(); }

private:
  py::array array_;
  popart::TensorInfo info_;
  void *data_;
};

struct Arrays {
  std::map<TensorId, std::unique_ptr<NumpyArray>> inputs, outputs;
  static std::map<TensorId, popart::IArray &>
  references(const std::map<TensorId, std::unique_ptr<NumpyArray>> &all) {
    std::map<TensorId, popart::IArray &> out;
    for (const auto &[id, array] : all)
      out.emplace(id, *array);
    return out;
  }
  static std::map<TensorId, std::unique_ptr<NumpyArray>>
  wrap(const std::map<TensorId, py::array> &all, bool writable) {
    std::map<TensorId, std::unique_ptr<NumpyArray>> out;
    for (const auto &[id, array] : all)
      out[id] = std::make_unique<NumpyArray>(array, id, writable);
    return out;
  }
};

class PyStepIO : private Arrays, public popart::StepIO {
public:
  PyStepIO(const std::map<TensorId, py::array> &in, const std::map<TensorId, py::array> &out)
      : Arrays{wrap(in, false), wrap(out, true)}, StepIO(references(inputs), references(outputs)) {}
};

// Every call of the user's functions takes the interpreter's lock.
class PyStepIOCallback : public popart::IStepIO {
public:
  PyStepIOCallback(py::function in, py::function inDone, py::function out, py::function outDone)
      : in_(in), inDone_(inDone), out_(out), outDone_(outDone) {}

  popart::ConstVoidData in(TensorId id, std::int64_t, bool prefetch, bool) override {
    py::gil_scoped_acquire lock;
    py::array array = contiguous(py::array::ensure(in_(id, prefetch)));
    if (!array || array.ndim() == 0) { // what numpy makes of None
      if (prefetch)
        return {};
      throw popart::runtime_error(
          "The input callback returned no data for \"{}\". A scalar must be "
          "returned as an array of one dimension.",
          id);
    }
    held_[id] = array; // until it is consumed
    return {array.data(), infoOf(array)};
  }
  void inComplete(TensorId id, std::int64_t, bool) override {
    py::gil_scoped_acquire lock;
    held_.erase(id);
    inDone_(id);
  }
  popart::MutableVoidData out(TensorId id, std::int64_t) override {
    py::gil_scoped_acquire lock;
    py::array array = out_(id);
    if (!(array.flags() & py::array::c_style) || !array.writeable())
      throw popart::runtime_error(
          "The output callback's array for \"{}\" must be C-contiguous and writable.", id);
    heldOut_[id] = array;
    return {array.mutable_data(), infoOf(array)};
  }
  void outComplete(TensorId id) override {
    py::gil_scoped_acquire lock;
    outDone_(id);
    heldOut_.erase(id);
  }
  void assertNumElements(const std::map<TensorId, popart::StepTensor> &,
                         const std::map<TensorId, popart::StepTensor> &) const override {}

private:
  py::function in_, inDone_, out_, outDone_;
  std::map<TensorId, py::array> held_, heldOut_;
};

class PyWeightsIO : public popart::WeightsIO {
public:
  explicit PyWeightsIO(const std::map<TensorId, py::array> &weights) : arrays_(weights) {
    for (auto &[id, array] : arrays_) {
      if (!(array.flags() & py::array::c_style))
        throw popart::runtime_error("The array given for the weight \"{}\" is not C-contiguous.",
                                    id);
      insert(id, {const_cast<void *>(array.data()), infoOf(array)});
    }
  }

private:
  std::map<TensorId, py::array> arrays_;
};

} // namespace

void bindStepIo(py::module &m) {
  py::class_<popart::IStepIO>(m, "IStepIO")
      .def("enableRuntimeAsserts", &popart::IStepIO::enableRuntimeAsserts);
  py::class_<PyStepIO, popart::IStepIO>(m, "PyStepIO")
      .def(py::init<const std::map<TensorId, py::array> &, const std::map<TensorId, py::array> &>(),
           py::arg("inputs"), py::arg("outputs"));
  py::class_<PyStepIOCallback, popart::IStepIO>(m, "PyStepIOCallback")
      .def(py::init<py::function, py::function, py::function, py::function>(),
           py::arg("input_callback"), py::arg("input_complete_callback"),
           py::arg("output_callback"), py::arg("output_complete_callback"));
  py::class_<popart::IWeightsIO>(m, "IWeightsIO");
  py::class_<PyWeightsIO, popart::IWeightsIO>(m, "PyWeightsIO")
      .def(py::init<const std::map<TensorId, py::array> &>());
}
