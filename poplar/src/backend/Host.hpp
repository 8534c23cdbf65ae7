// SPDX-License-Identifier: MIT
// What a running program asks of the host: stream data, remote buffers, host functions and text
// output. The engine implements it; a backend calls it from the control thread only, except for
// vertexText.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace poplar::backend {

class Host {
public:
  virtual ~Host() = default;
  // One transfer to the device: data that stay valid until endRead.
  virtual const std::byte *beginRead(std::uint32_t stream, unsigned replica) = 0;
  virtual void endRead(std::uint32_t stream, unsigned replica) = 0;
  // One transfer from the device: room for the data, which endWrite hands over.
  virtual std::byte *beginWrite(std::uint32_t stream, unsigned replica) = 0;
  virtual void endWrite(std::uint32_t stream, unsigned replica) = 0;
  // First slot of a remote buffer; slots follow each other.
  virtual std::byte *remoteBuffer(std::uint32_t buffer, unsigned replica) = 0;
  virtual void callFunction(std::uint32_t function, unsigned replica,
                            std::span<const void *const> inputs,
                            std::span<void *const> outputs) = 0;
  virtual void tensorText(std::string_view text) = 0; // PrintTensor
  virtual void vertexText(std::string_view text) = 0; // printf of vertices
};

} // namespace poplar::backend
