// SPDX-License-Identifier: MIT
// Steps on memory of the caller, by its address: inputs are read and outputs are written where they
// lie.
#include "bind.hpp"
#include <chrono>
#include <popart/stepio.hpp>

namespace {

using popart::DataType;
using popart::Shape;
using popart::TensorId;

class Memory : public popart::IArray {
public:
  Memory(DataType type, const Shape &shape)
      : type_(type), shape_(shape),
        elements_(static_cast<std::size_t>(popart::TensorInfo(type, shape).nelms())) {}
  void *address = nullptr;
  void *data() override { return address; }
  DataType dataType() const override { return type_; }
  std::size_t rank() const override { return shape_.size(); }
  std::int64_t dim(std::size_t i) const override { return shape_.at(i); }
  std::size_t nelms() const override { return elements_; }
  const Shape shape() const override { return shape_; }

private:
  DataType type_;
  Shape shape_;
  std::size_t elements_;
};

using Description = std::vector<std::tuple<TensorId, DataType, Shape>>;

struct Memories {
  std::vector<std::unique_ptr<Memory>> all;
  std::map<TensorId, popart::IArray &> named;
  explicit Memories(const Description &description) {
    for (const auto &[id, type, shape] : description) {
      all.push_back(std::make_unique<Memory>(type, shape));
      named.emplace(id, *all.back());
    }
  }
  void set(const std::vector<std::uintptr_t> &addresses) {
    if (addresses.size() != all.size())
      throw std::invalid_argument("A step got another number of tensors than it was made for.");
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i]->address = reinterpret_cast<void *>(addresses[i]);
  }
};

// Inputs and outputs of one shape and type for all steps; where they lie is said before each.
struct Both {
  Memories inputs, outputs;
};
class AddressIo : private Both, public popart::StepIO {
public:
  using Times = std::map<TensorId, std::vector<double>>; // seconds, by tensor and micro-batch

  AddressIo(const Description &in, const Description &out)
      : Both{Memories(in), Memories(out)}, StepIO(inputs.named, outputs.named) {}
  void set(const std::vector<std::uintptr_t> &in, const std::vector<std::uintptr_t> &out) {
    inputs.set(in);
    outputs.set(out);
    rewind();
    for (auto *times : {&in_, &inComplete_, &out_, &outComplete_})
      for (auto &[id, all] : *times)
        all.clear();
  }

  popart::ConstVoidData in(TensorId id, std::int64_t elements, bool prefetch,
                           bool isBroadcast) override {
    in_[id].push_back(now());
    return StepIO::in(id, elements, prefetch, isBroadcast);
  }
  void inComplete(TensorId id, std::int64_t elements, bool isBroadcast) override {
    StepIO::inComplete(id, elements, isBroadcast);
    inComplete_[id].push_back(now());
  }
  popart::MutableVoidData out(TensorId id, std::int64_t elements) override {
    out_[id].push_back(now());
    return StepIO::out(id, elements);
  }
  void outComplete(TensorId id) override { outComplete_[id].push_back(now()); }

  std::map<std::string, std::vector<std::vector<double>>> times() const {
    const auto listed = [](const Times &times) {
      std::vector<std::vector<double>> out;
      for (const auto &[id, all] : times)
        out.push_back(all);
      return out;
    };
    return {{"input", listed(in_)},
            {"input_complete", listed(inComplete_)},
            {"output", listed(out_)},
            {"output_complete", listed(outComplete_)}};
  }

private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  Times in_, inComplete_, out_, outComplete_;
};

} // namespace

void bindAddressIo(py::module &m) {
  py::class_<AddressIo, popart::IStepIO>(m, "AddressIo", "A step on memory that others own.")
      .def(py::init<const Description &, const Description &>(), py::arg("inputs"),
           py::arg("outputs"), "Names, element types and whole shapes.")
      .def("times", &AddressIo::times, "Of the last step.")
      .def("set", &AddressIo::set, "The addresses of the next step's inputs and outputs.");
}
