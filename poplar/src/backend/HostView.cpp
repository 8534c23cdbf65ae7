// SPDX-License-Identifier: MIT
#include "backend/HostView.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <cstring>

namespace poplar::backend {

HostView::HostView(const tensor::View &view, const executable::Image &image, Backend &backend)
    : type(view.type), shape(view.shape), elements(view.numElements()) {
  Transfer transfer{packingMoves(view, image), {}};
  transfer.fromHost = reversed(transfer.toHost);
  place = backend.place(transfer);
}

HostScalar::HostScalar(const tensor::View &view, const executable::Image &image, Backend &backend)
    : type(view.type) {
  OPENIPU_CHECK(view.numElements() == 1,
                base::str("a control value has ", view.numElements(), " elements"));
  place = backend.place({packingMoves(view, image), {}});
}

std::int64_t HostScalar::value(Backend &backend, unsigned replica) const {
  std::byte bytes[8];
  backend.read(place, replica, bytes);
  auto load = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  switch (type) {
  case TypeId::Bool:
  case TypeId::UnsignedChar:
  case TypeId::Quarter:
  case TypeId::QuarterMetadata:
    return load(std::uint8_t());
  case TypeId::Char:
  case TypeId::SignedChar:
    return load(std::int8_t());
  case TypeId::Short:
    return load(std::int16_t());
  case TypeId::UnsignedShort:
    return load(std::uint16_t());
  case TypeId::Int:
    return load(std::int32_t());
  case TypeId::UnsignedInt:
    return load(std::uint32_t());
  case TypeId::Half:
    return (load(std::uint16_t()) & 0x7fff) != 0;
  case TypeId::Float:
    return load(float()) != 0;
  case TypeId::Double:
    return load(double()) != 0;
  default:
    return load(std::int64_t());
  }
}

} // namespace poplar::backend
