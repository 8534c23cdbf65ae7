// SPDX-License-Identifier: MIT
#include "ir/hosttensor.hpp"

#include "base/CheckedSize.hpp"
#include "base/Fork.hpp"
#include "base/Half.hpp"
#include "base/Text.hpp"
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <popart/error.hpp>
#include <sys/mman.h>

namespace popart::ir {

namespace {

struct Bfloat16 {
  std::uint16_t bits;
  operator float() const {
    std::uint32_t wide = std::uint32_t(bits) << 16;
    float f;
    std::memcpy(&f, &wide, 4);
    return f;
  }
  static Bfloat16 from(float f) { // to nearest, ties to even
    std::uint32_t wide;
    std::memcpy(&wide, &f, 4);
    if (std::isnan(f))
      return {static_cast<std::uint16_t>((wide >> 16) | 0x40)};
    return {static_cast<std::uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16)};
  }
};

struct Half {
  std::uint16_t bits;
  operator float() const { return base::halfToFloat(bits); }
  static Half from(double value) { // to nearest, ties to even
    auto narrow = static_cast<float>(value);
    auto pattern = std::bit_cast<std::uint32_t>(narrow);
    const double passed = narrow;
    // Rounding twice: between two floats the odd one tells halves on which side the value lies.
    if (passed != value && !std::isnan(value) && pattern % 2 == 0)
      pattern += std::abs(passed) < std::abs(value) ? 1u : ~0u;
    return {base::floatToHalf(std::bit_cast<float>(pattern))};
  }
};

template <class T> struct Type { using type = T; };

// Calls with the C++ type that stores elements of `type`.
template <class F> auto visit(DataType type, F &&f) {
  switch (type) {
  case DataType::UINT8:
    return f(Type<std::uint8_t>());
  case DataType::INT8:
    return f(Type<std::int8_t>());
  case DataType::UINT16:
    return f(Type<std::uint16_t>());
  case DataType::INT16:
    return f(Type<std::int16_t>());
  case DataType::INT32:
    return f(Type<std::int32_t>());
  case DataType::INT64:
    return f(Type<std::int64_t>());
  case DataType::UINT32:
    return f(Type<std::uint32_t>());
  case DataType::UINT64:
    return f(Type<std::uint64_t>());
  case DataType::BOOL:
    return f(Type<bool>());
  case DataType::FLOAT:
    return f(Type<float>());
  case DataType::FLOAT16:
    return f(Type<Half>());
  case DataType::BFLOAT16:
    return f(Type<Bfloat16>());
  case DataType::DOUBLE:
    return f(Type<double>());
  default:
    throw error("Values of type {} cannot be read or written on the host.", nameOf(type));
  }
}

// Reals beyond 32 or 64 bits become the most or the least there is; narrower types wrap.
template <class To> To saturated(double value) {
  if constexpr (sizeof(To) < 4)
    return static_cast<To>(saturated<std::int64_t>(value));
  using Limits = std::numeric_limits<To>;
  if (value >= static_cast<double>(Limits::max()))
    return Limits::max();
  return value <= static_cast<double>(Limits::min()) ? Limits::min()
         : std::isnan(value)                         ? To(0)
                                                     : static_cast<To>(value);
}

template <class To, class From> To converted(From value) {
  if constexpr (std::is_same_v<To, Bfloat16>)
    return Bfloat16::from(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, Half>)
    return Half::from(static_cast<double>(value));
  else if constexpr (std::is_same_v<To, bool>)
    return value != From(0);
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return saturated<To>(static_cast<double>(value));
  else
    return static_cast<To>(value);
}

// What one number type cannot hold of another is an error, never a wrapped value.
template <class To, class From> void checkFits(From value, DataType to) {
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && std::is_integral_v<From>)
    if (!std::in_range<To>(value))
      throw error("The value {} does not fit in {}.", value, nameOf(to));
}
template <class To> void checkFits(bool, DataType) {}

template <class Out> std::vector<Out> read(const HostTensor &t) {
  std::vector<Out> out(static_cast<std::size_t>(t.elements()));
  visit(t.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < out.size(); ++i) {
      T value;
      std::memcpy(&value, static_cast<const char *>(t.data()) + i * sizeof(T), sizeof(T));
      if constexpr (std::is_same_v<T, Bfloat16> || std::is_same_v<T, Half>)
        out[i] = static_cast<Out>(static_cast<float>(value));
      else
        out[i] = static_cast<Out>(value);
    }
  });
  return out;
}

template <class In> HostTensor write(const TensorInfo &info, std::span<const In> values) {
  if (static_cast<std::int64_t>(values.size()) != info.nelms())
    throw internal_error("HostTensor: {} values for {}.", values.size(), info);
  std::vector<char> bytes(static_cast<std::size_t>(info.nbytes()));
  visit(info.dataType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        if constexpr (std::is_integral_v<In>)
          checkFits<T>(values[i], info.dataType());
      const T value = converted<T>(values[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return HostTensor(info, std::move(bytes));
}

} // namespace

HostTensor::HostTensor(TensorInfo info, std::vector<char> bytes) : info_(std::move(info)) {
  if (static_cast<std::int64_t>(bytes.size()) != info_.nbytes())
    throw internal_error("HostTensor: {} bytes for {}.", bytes.size(), info_);
  auto kept = std::make_shared<const std::vector<char>>(std::move(bytes));
  data_ = kept->empty() ? reinterpret_cast<const char *>(kept.get()) : kept->data();
  owner_ = std::move(kept);
}
HostTensor::HostTensor(TensorInfo info, const void *data, std::shared_ptr<const void> owner)
    : info_(std::move(info)), data_(static_cast<const char *>(data)), owner_(std::move(owner)) {}

HostTensor HostTensor::scalar(DataType type, double value) { return filled({type, {}}, value); }
// One stretch of zeros for everybody: pages that are only read are all the same page, so that the
// state of an optimiser takes no memory before it is on the device.
static std::shared_ptr<const void> zeros(std::size_t size) {
  static base::ForkMutex lock;
  static std::shared_ptr<const void> longest;
  static std::size_t length = 0;
  const std::lock_guard hold(lock);
  if (size <= length)
    return longest;
  void *p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return nullptr;
  ::madvise(p, size, MADV_HUGEPAGE);
  length = size;
  return longest = std::shared_ptr<const void>(p, [size](void *q) { ::munmap(q, size); });
}

HostTensor HostTensor::filled(const TensorInfo &info, double value) {
  constexpr std::size_t worthwhile = 1 << 16;
  const auto size = static_cast<std::size_t>(info.nbytes());
  if (value == 0 && !std::signbit(value) && size >= worthwhile)
    if (auto shared = zeros(size))
      return HostTensor(info, shared.get(), shared);
  const std::vector<double> values(static_cast<std::size_t>(info.nelms()), value);
  return fromDoubles(info, values);
}
HostTensor HostTensor::fromDoubles(const TensorInfo &info, std::span<const double> values) {
  return write<double>(info, values);
}
HostTensor HostTensor::fromIntegers(const TensorInfo &info, std::span<const std::int64_t> values) {
  return write<std::int64_t>(info, values);
}

std::vector<double> HostTensor::doubles() const { return read<double>(*this); }
std::vector<std::int64_t> HostTensor::integers() const { return read<std::int64_t>(*this); }

HostTensor HostTensor::as(DataType type) const {
  if (type == info_.dataType())
    return *this;
  const TensorInfo info(type, info_.shape());
  if (isFloatingPoint(info_.dataType()))
    return fromDoubles(info, doubles());
  return fromIntegers(info, integers());
}
HostTensor HostTensor::reshaped(const Shape &shape) const {
  if (elementsOf(shape) != elements())
    throw error("A constant of shape {} cannot be reshaped to {}.", text(info_.shape()),
                text(shape));
  return HostTensor(TensorInfo(info_.dataType(), shape), data_, owner_);
}

std::string text(const Shape &shape) { return base::list(shape); }
std::int64_t elementsOf(const Shape &shape) {
  const auto elements = base::checkedElements(shape, std::numeric_limits<std::int64_t>::max());
  if (!elements)
    throw error("A tensor cannot have the shape {}.", text(shape));
  return std::int64_t(*elements);
}

} // namespace popart::ir
