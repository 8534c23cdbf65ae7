// SPDX-License-Identifier: MIT
// A sparse matrix on the device. Dynamic: where the non-zero values stand is data too (metaInfo,
// made by dynamic::Partitioner), and can change while a program runs. Static: it is part of the
// graph.
#pragma once
#include <poplar/Tensor.hpp>
#include <poputil/TensorMetaData.hpp>
#include <utility>

namespace popsparse {
namespace dynamic {

class SparseTensor {
public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor &metaInfo, const poplar::Tensor &nzValues,
               const poputil::TensorMetaData &opMetaData = {})
      : metaInfo_(metaInfo), nzValues_(nzValues), opMetaData_(opMetaData) {}
  const poplar::Tensor &getMetaInfoTensor() const { return metaInfo_; } // where the values are
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; } // the values
  // What the functions that take it must know.
  const poputil::TensorMetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor metaInfo_, nzValues_;
  poputil::TensorMetaData opMetaData_;
};

} // namespace dynamic

namespace static_ {

class SparseTensor {
public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor &nzValues, const poputil::TensorMetaData &opMetaData = {})
      : nzValues_(nzValues), opMetaData_(opMetaData) {}
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; } // the values
  // What the functions that take it must know.
  const poputil::TensorMetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor nzValues_;
  poputil::TensorMetaData opMetaData_;
};

} // namespace static_
} // namespace popsparse
