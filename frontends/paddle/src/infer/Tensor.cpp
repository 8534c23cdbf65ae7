// SPDX-License-Identifier: MIT
#include "infer/Tensor.hpp"

#include "base/Text.hpp"
#include "ir/hosttensor.hpp"
#include <cstring>

namespace paddle_infer {

using VarType = paddleipu::proto::VarType;

namespace {

struct Row {
  DataType ours;
  VarType::Type paddle;
};
constexpr Row rows[] = {{DataType::FLOAT32, VarType::FP32}, {DataType::INT64, VarType::INT64},
                        {DataType::INT32, VarType::INT32},  {DataType::UINT8, VarType::UINT8},
                        {DataType::INT8, VarType::INT8},    {DataType::FLOAT16, VarType::FP16},
                        {DataType::BOOL, VarType::BOOL},    {DataType::FLOAT64, VarType::FP64},
                        {DataType::INT16, VarType::INT16}};

template <class To, class From> void convert(std::vector<char> &to, const std::vector<char> &from) {
  auto *out = reinterpret_cast<To *>(to.data());
  const auto *in = reinterpret_cast<const From *>(from.data());
  for (std::size_t i = 0; i < from.size() / sizeof(From); ++i)
    out[i] = To(in[i]);
}

template <class T> constexpr DataType typeFor();
template <> constexpr DataType typeFor<float>() { return DataType::FLOAT32; }
template <> constexpr DataType typeFor<double>() { return DataType::FLOAT64; }
template <> constexpr DataType typeFor<std::int64_t>() { return DataType::INT64; }
template <> constexpr DataType typeFor<std::int32_t>() { return DataType::INT32; }
template <> constexpr DataType typeFor<std::int16_t>() { return DataType::INT16; }
template <> constexpr DataType typeFor<std::uint8_t>() { return DataType::UINT8; }
template <> constexpr DataType typeFor<std::int8_t>() { return DataType::INT8; }
template <> constexpr DataType typeFor<bool>() { return DataType::BOOL; }

} // namespace

DataType dataTypeOf(VarType::Type type) {
  for (const auto &row : rows)
    if (row.paddle == type)
      return row.ours;
  throw popart::error("A predictor has no elements of type " +
                      std::string(paddleipu::nameOf(type)) + ".");
}
std::size_t GetNumBytesOfDataType(DataType type) {
  for (const auto &row : rows)
    if (row.ours == type)
      return paddleipu::bytesOf(row.paddle);
  return 0;
}

// ---- memory

std::size_t Tensor::Memory::nelms() const { return std::size_t(popart::ir::elementsOf(dims)); }
void Tensor::Memory::resize(const std::vector<std::int64_t> &shape) {
  dims = shape;
  bytes.resize(nelms() * paddleipu::bytesOf(paddleType));
  const bool wide = paddleType == VarType::INT64 || paddleType == VarType::FP64;
  narrow.resize(wide && !input ? nelms() * 4 : 0);
}
popart::DataType Tensor::Memory::dataType() const {
  return input && paddleType != VarType::FP64 ? paddleipu::hostType(paddleType)
                                              : paddleipu::deviceType(paddleType);
}
void Tensor::Memory::widen() {
  filled = true;
  if (narrow.empty())
    return;
  if (paddleType == VarType::INT64)
    convert<std::int64_t, std::int32_t>(bytes, narrow);
  else
    convert<double, float>(bytes, narrow);
}

// ---- handles

void *Tensor::checked(DataType type, bool written) const {
  if (dataTypeOf(memory_->paddleType) != type)
    throw popart::error("\"" + memory_->tensorName + "\" has elements of type " +
                        std::string(paddleipu::nameOf(memory_->paddleType)) +
                        "; copy data of that type.");
  if (!written && !memory_->filled)
    throw popart::error("\"" + memory_->tensorName + "\" has no data yet: call " +
                        (memory_->input ? "CopyFromCpu." : "Predictor::Run."));
  if (written && !memory_->input)
    throw popart::error("\"" + memory_->tensorName +
                        "\" is an output; data is copied into inputs.");
  if (written)
    memory_->filled = true;
  return memory_->bytes.data();
}

void Tensor::Reshape(const std::vector<int> &shape) {
  if (!memory_->input)
    throw popart::error("\"" + memory_->tensorName +
                        "\" is an output, whose shape the model decides.");
  for (int d : shape)
    if (d < 0)
      throw popart::error("\"" + memory_->tensorName + "\" cannot have a dimension of " +
                          std::to_string(d) + ".");
  memory_->resize({shape.begin(), shape.end()});
}
template <class T> void Tensor::CopyFromCpu(const T *data) {
  std::memcpy(checked(typeFor<T>(), true), data, memory_->bytes.size());
}
template <class T> void Tensor::CopyToCpu(T *data) const {
  std::memcpy(data, checked(typeFor<T>(), false), memory_->bytes.size());
}
template <class T> T *Tensor::mutable_data(PlaceType) {
  return static_cast<T *>(checked(typeFor<T>(), true));
}
template <class T> T *Tensor::data(PlaceType *place, int *size) const {
  *place = PlaceType::kCPU;
  *size = int(memory_->nelms());
  return static_cast<T *>(checked(typeFor<T>(), false));
}
std::vector<int> Tensor::shape() const { return {memory_->dims.begin(), memory_->dims.end()}; }
DataType Tensor::type() const { return dataTypeOf(memory_->paddleType); }
const std::string &Tensor::name() const { return memory_->tensorName; }

#define INSTANTIATE(T)                                                                             \
  template void Tensor::CopyFromCpu<T>(const T *);                                                 \
  template void Tensor::CopyToCpu<T>(T *) const;                                                   \
  template T *Tensor::mutable_data<T>(PlaceType);                                                  \
  template T *Tensor::data<T>(PlaceType *, int *) const;
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int64_t)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int16_t)
INSTANTIATE(std::uint8_t)
INSTANTIATE(std::int8_t)
INSTANTIATE(bool)
#undef INSTANTIATE

} // namespace paddle_infer
