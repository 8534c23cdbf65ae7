// SPDX-License-Identifier: MIT
#include "Records.hpp"

namespace popvision::view {

#define RECORD(name) void writeFields(Json &json, const name &value) {
#define FIELD(type, name, ...) json(#name, value.name);
#define OPTIONAL(type, name)                                                                       \
  if (value.name)                                                                                  \
    json(#name, *value.name);
#define END(name) }
#define VIEW(...)
#define VIEW_OF(...)
#define VIEW_OF_SEVERAL(...)
#include "AllViews.def"
#include "NoViews.def"

} // namespace popvision::view
