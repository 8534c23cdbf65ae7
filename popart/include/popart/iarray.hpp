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
  virtual DataType dataType() const = 0;
  virtual std::size_t rank() const = 0;
  virtual std::int64_t dim(std::size_t index) const = 0;
  virtual std::size_t nelms() const = 0;
  virtual const Shape shape() const = 0;
};

} // namespace popart
#endif
