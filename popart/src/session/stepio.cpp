// SPDX-License-Identifier: MIT
#include <popart/stepio.hpp>

#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart {

StepIO::StepIO(std::map<TensorId, IArray &> inputs, std::map<TensorId, IArray &> outputs) {
  for (auto &[id, array] : inputs)
    inputs_[id] = {&array, 0};
  for (auto &[id, array] : outputs)
    outputs_[id] = {&array, 0};
}

StepIO::Cursor &StepIO::find(std::map<TensorId, Cursor> &all, const TensorId &id,
                             const char *what) {
  auto it = all.find(id);
  if (it != all.end())
    return it->second;
  std::vector<std::string> known;
  for (const auto &[name, cursor] : all)
    known.push_back(name);
  throw runtime_error(
      base::str("No ", what, " array was given for \"", id, "\".", base::didYouMean(id, known)));
}

namespace {
char *at(IArray &array, std::int64_t element) {
  return static_cast<char *>(array.data()) +
         static_cast<std::size_t>(element) * bytesOf(array.dataType());
}
void advance(std::int64_t &position, std::int64_t elements, std::size_t all) {
  position += elements;
  if (position + elements > static_cast<std::int64_t>(all))
    position = 0; // the next step begins anew
}
} // namespace

ConstVoidData StepIO::in(TensorId id, std::int64_t elements, bool prefetch, bool) {
  if (prefetch)
    return {};
  auto &cursor = find(inputs_, id, "input");
  return {at(*cursor.array, cursor.at), {cursor.array->dataType(), {elements}}};
}
void StepIO::inComplete(TensorId id, std::int64_t elements, bool) {
  auto &cursor = find(inputs_, id, "input");
  advance(cursor.at, elements, cursor.array->nelms());
}
MutableVoidData StepIO::out(TensorId id, std::int64_t elements) {
  auto &cursor = find(outputs_, id, "output");
  MutableVoidData data(at(*cursor.array, cursor.at), {cursor.array->dataType(), {elements}});
  advance(cursor.at, elements, cursor.array->nelms());
  return data;
}
void StepIO::rewind() {
  for (auto *all : {&inputs_, &outputs_})
    for (auto &[id, cursor] : *all)
      cursor.at = 0;
}

void StepIO::assertNumElements(const std::map<TensorId, StepTensor> &inputs,
                               const std::map<TensorId, StepTensor> &anchors) const {
  const auto check = [](const auto &arrays, const auto &wanted, const char *what) {
    for (const auto &[id, tensor] : wanted) {
      auto it = arrays.find(id);
      if (it == arrays.end())
        throw runtime_error(
            base::str("No ", what, " array was given for \"", id, "\" (", tensor.info, ")."));
      const auto need = tensor.info.nelms() * tensor.buffers;
      const auto given = static_cast<std::int64_t>(it->second.array->nelms());
      if (given != need)
        throw runtime_error(base::str("The ", what, " array of \"", id, "\" has ", given,
                                      " elements, but one step needs ", need, ": ",
                                      tensor.info.nelms(), " of the tensor ", tensor.info,
                                      " times ", tensor.factors, "."));
    }
  };
  check(inputs_, inputs, "input");
  check(outputs_, anchors, "output");
}

MutableVoidData WeightsIO::weight(TensorId id) const {
  auto it = weights_.find(id);
  if (it == weights_.end())
    throw runtime_error("No array was given for the weight \"{}\".", id);
  return it->second;
}
void WeightsIO::insert(TensorId id, MutableVoidData data) {
  if (!weights_.emplace(id, data).second)
    throw runtime_error("The weight \"{}\" was given twice.", id);
}

} // namespace popart
