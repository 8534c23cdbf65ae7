// SPDX-License-Identifier: MIT
// An array of the caller's, as StepIO sees it.
#ifndef POPART_IARRAY_HPP
#define POPART_IARRAY_HPP
#include <popart/tensorinfo.hpp>

namespace popart {

class IArray {
public:
  virtual ~IArray() {}
  virtual void *data() = 0;
  virtual DataType dataType() const = 0;                 // of its elements
  virtual std::size_t rank() const = 0;                  // the number of dimensions
  virtual std::int64_t dim(std::size_t index) const = 0; // the size of one dimension
  virtual std::size_t nelms() const = 0;                 // elements in all
  virtual const Shape shape() const = 0;                 // the sizes of all dimensions
};

} // namespace popart
#endif
