// SPDX-License-Identifier: MIT
// From the C++ type of a class member, as DWARF spells it, to a Field: direction, shape, element
// type, layouts and the bytes it takes on the device.
#pragma once
#include "codelet/Module.hpp"
#include <map>
#include <optional>
#include <string>

namespace poplar::codelet {

// Underlying types of the enumerations of a source, by qualified name.
using EnumTypes = std::map<std::string, TypeId, std::less<>>;

// The element type with that canonical spelling.
std::optional<TypeId> elementType(std::string_view spelling, const EnumTypes &enums);

// Fills everything but name and host offsets. Returns false for a type that no field can have.
bool describeField(const std::string &spelling, const EnumTypes &enums, Field &field);

// What the user should write instead of a type that describeField refused.
std::string fieldRemedy(const std::string &spelling);

// Sets deviceOffset of each field and returns the bytes of the vertex state.
std::uint32_t layOutDeviceState(std::vector<Field> &fields);

} // namespace poplar::codelet
