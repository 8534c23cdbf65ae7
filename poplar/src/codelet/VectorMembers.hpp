// SPDX-License-Identifier: MIT
// clang's vectors have members x, y, z, w (also r, g, b, a and s0, s1 ...), g++'s have elements
// only. Which expressions are vectors is the compiler's knowledge: its complaints say where a
// member is asked of one, and there v.x becomes v[0].
#pragma once
#include <string>
#include <string_view>

namespace poplar::codelet {

// Lines stay; complaints about the result count the lines of the text itself.
std::string withoutLineMarkers(std::string text);

// Whether one of the complaints is about a member that something has not; and about one of a
// vector, which the compiler says of types that are not declared in headers of the system.
bool namesMember(std::string_view complaints);
bool namesVectorMember(std::string_view complaints);

// At every place that the complaints about withoutLineMarkers(text) name. False: at none.
bool replaceVectorMembers(std::string &text, std::string_view complaints);

} // namespace poplar::codelet
