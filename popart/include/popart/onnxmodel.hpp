// SPDX-License-Identifier: MIT
// What a session is made of: the name of an ONNX file, or the bytes of a model. Weights are most of
// those bytes and are used where they stand if they are handed over (std::move, a temporary) or
// have an owner; otherwise they are copied. The weights of a large file stay in the file, which
// must not be written to while the session lives; a new file may take its place.
#ifndef POPART_ONNXMODEL_HPP
#define POPART_ONNXMODEL_HPP
#include <memory>
#include <string>
#include <utility>

namespace popart {

class OnnxModel {
public:
  OnnxModel(const std::string &fileOrBytes)
      : OnnxModel(fileOrBytes.data(), fileOrBytes.size(), nullptr) {}
  OnnxModel(const char *file) : OnnxModel(file, std::char_traits<char>::length(file), nullptr) {}
  OnnxModel(std::string &&fileOrBytes)
      : OnnxModel(std::make_shared<const std::string>(std::move(fileOrBytes))) {}
  explicit OnnxModel(const std::shared_ptr<const std::string> &fileOrBytes)
      : OnnxModel(fileOrBytes->data(), fileOrBytes->size(), fileOrBytes) {}
  OnnxModel(const char *data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  const char *data() const { return data_; }
  std::size_t size() const { return size_; }
  const std::shared_ptr<const void> &owner() const { return owner_; } // null: the caller

private:
  const char *data_;
  std::size_t size_;
  std::shared_ptr<const void> owner_;
};

} // namespace popart
#endif
