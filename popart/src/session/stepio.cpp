// SPDX-License-Identifier: MIT
#include <popart/stepio.hpp>

#include "base/Text.hpp"
#include "session/convert.hpp"
#include "session/log.hpp"
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
// The next elements of an array, which has them even when no one has asserted it.
char *next(const TensorId &id, IArray &array, std::int64_t at, std::int64_t elements,
           const char *what) {
  if (at + elements > static_cast<std::int64_t>(array.nelms()))
    throw runtime_error(base::str("Unexpected number of ", what, " elements: the array of \"", id,
                                  "\" has ", array.nelms(),
                                  ", but one micro-batch of one replica has ", elements, "."));
  return static_cast<char *>(array.data()) +
         static_cast<std::size_t>(at) * bytesOf(array.dataType());
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
  return {next(id, *cursor.array, cursor.at, elements, "input"),
          {cursor.array->dataType(), {elements}}};
}
void StepIO::inComplete(TensorId id, std::int64_t elements, bool) {
  auto &cursor = find(inputs_, id, "input");
  advance(cursor.at, elements, cursor.array->nelms());
}
MutableVoidData StepIO::out(TensorId id, std::int64_t elements) {
  auto &cursor = find(outputs_, id, "output");
  MutableVoidData data(next(id, *cursor.array, cursor.at, elements, "output"),
                       {cursor.array->dataType(), {elements}});
  advance(cursor.at, elements, cursor.array->nelms());
  return data;
}
void StepIO::rewind() {
  for (auto *all : {&inputs_, &outputs_})
    for (auto &[id, cursor] : *all)
      cursor.at = 0;
}

namespace {

void checkType(const TensorId &id, const StepTensor &tensor, const IArray &array,
               const char *what) {
  const auto given = array.dataType(), wanted = tensor.info.dataType();
  const bool bytes = *what == 'o' && wanted == DataType::BOOL && given == DataType::UINT8;
  if (!bytes && !session::convertible(wanted, given))
    throw runtime_error(base::str("The ", what, " array of \"", id, "\" is of type ", nameOf(given),
                                  ", but the tensor is ", tensor.info, ". Make it an array of ",
                                  lowerCaseNameOf(wanted), "."));
}
void checkCount(const TensorId &id, const StepTensor &tensor, const IArray &array,
                const char *what) {
  const auto need = tensor.info.nelms() * tensor.buffers;
  const auto given = static_cast<std::int64_t>(array.nelms());
  if (given != need)
    throw runtime_error(base::str("Unexpected number of ", what, " elements: the array of \"", id,
                                  "\" has ", given, ", but one step needs ", need, ": ",
                                  tensor.info.nelms(), " of the tensor ", tensor.info, " times ",
                                  tensor.factors, "."));
  if (!session::sameOrder(tensor.info.shape(), array.shape()))
    throw runtime_error(base::str("The ", what, " array of \"", id, "\" has the shape ",
                                  base::list(array.shape()), ", but the tensor is ", tensor.info,
                                  ". Transpose or reshape it."));
}
[[noreturn]] void noInput(const TensorId &id, const std::map<TensorId, StepTensor> &inputs) {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : inputs)
    names.push_back(name);
  throw runtime_error(base::str("The tensor '", id,
                                "' has been provided as one of the inputs to the stepIO, but it "
                                "is no input of the model. Leave it out.",
                                base::didYouMean(id, names)));
}
// An array is missing; one that was given under a name like it may be meant for it.
[[noreturn]] void missing(const TensorId &id, const TensorInfo &info, const char *what,
                          const std::vector<std::string> &unknown) {
  throw runtime_error(base::str("No ", what, " array was given for \"", id, "\" (", info, ").",
                                unknown.empty()
                                    ? ""
                                    : base::str(" There is one for \"", unknown.front(),
                                                *what == 'i' ? "\", which is no input of the "
                                                               "model."
                                                             : "\", which is no anchor of the "
                                                               "session.")));
}

} // namespace

void StepIO::assertNumElements(const std::map<TensorId, StepTensor> &inputs,
                               const std::map<TensorId, StepTensor> &anchors) const {
  const auto check = [](const auto &arrays, const auto &wanted, const char *what) {
    std::vector<std::string> unknown; // which nobody reads
    for (const auto &[id, cursor] : arrays) {
      auto it = wanted.find(id);
      if (it == wanted.end())
        unknown.push_back(id);
      if (it == wanted.end() || it->second.buffers == 0)
        continue;
      checkType(id, it->second, *cursor.array, what);
      checkCount(id, it->second, *cursor.array, what);
    }
    for (const auto &[id, tensor] : wanted)
      if (tensor.buffers && !arrays.count(id))
        missing(id, tensor.info, what, unknown);
  };
  check(inputs_, inputs, "input");
  for (const auto &[id, cursor] : inputs_)
    if (!inputs.count(id))
      noInput(id, inputs);
  check(outputs_, anchors, "output");
}

void StepIO::warn(const std::map<TensorId, StepTensor> &inputs) const {
  for (const auto &[id, cursor] : inputs_) {
    const auto &tensor = inputs.at(id);
    if (tensor.buffers == 0)
      session::log().warn("The model does not use its input \"", id, "\".");
    else if (cursor.array->dataType() == DataType::INT64 &&
             tensor.info.dataType() == DataType::INT32)
      session::log().warn("The INT64 values of the input \"", id, "\" are converted to INT32.");
  }
}

MutableVoidData WeightsIO::weight(TensorId id) const {
  auto it = weights_.find(id);
  if (it == weights_.end())
    throw runtime_error("No array was given for the weight \"{}\".", id);
  return it->second;
}
std::vector<TensorId> WeightsIO::ids() const {
  std::vector<TensorId> out;
  for (const auto &[id, data] : weights_)
    out.push_back(id);
  return out;
}
void WeightsIO::insert(TensorId id, MutableVoidData data) {
  if (!weights_.emplace(id, data).second)
    throw runtime_error("The weight \"{}\" was given twice.", id);
}

} // namespace popart
