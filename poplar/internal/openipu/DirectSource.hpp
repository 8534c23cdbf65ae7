// SPDX-License-Identifier: MIT
// A stream callback whose data lie ready in memory: they are read there and need not be copied to a
// buffer of the stream first, nor be asked for ahead.
#pragma once
#include "poplar/StreamCallback.hpp"

namespace poplar::openipu {

class DirectSource : public poplar::StreamCallback {
public:
  // The data of the next transfer, valid until `complete`; null: not this time, `fetch` has them.
  virtual const void *data() = 0;
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
