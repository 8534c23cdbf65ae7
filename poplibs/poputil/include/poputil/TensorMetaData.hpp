// SPDX-License-Identifier: MIT
// Something a library keeps beside a tensor for its own later calls; users only carry it along.
#pragma once
#include <memory>

namespace poputil {

// The base of what a library remembers about a tensor.
struct TensorMetaDataBase {
  virtual ~TensorMetaDataBase() = default;
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0; // a copy of the derived object
};

class TensorMetaData {
public:
  TensorMetaData() = default;
  explicit TensorMetaData(std::unique_ptr<TensorMetaDataBase> data) : data_(std::move(data)) {}
  TensorMetaData(const TensorMetaData &other)
      : data_(other.data_ ? other.data_->clone() : nullptr) {}
  TensorMetaData(TensorMetaData &&) = default;
  TensorMetaData &operator=(const TensorMetaData &other) {
    data_ = other.data_ ? other.data_->clone() : nullptr;
    return *this;
  }
  TensorMetaData &operator=(TensorMetaData &&) = default;

  // Null if nothing is kept.
  const TensorMetaDataBase *getData() const { return data_.get(); }

private:
  std::unique_ptr<TensorMetaDataBase> data_;
};

} // namespace poputil
