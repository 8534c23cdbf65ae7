// SPDX-License-Identifier: MIT
// Who may ask the server. A request must bring the token that popvision made when it started: every
// user of the machine can connect to loopback, but only one has been told the token. It comes with
// the address once and as a cookie from then on.
#pragma once
#include <string>
#include <string_view>

namespace popvision {

std::string makeToken(); // 128 random bits, as digits and letters

// Browsers send the cookies of all ports of a machine to each: the name says whose it is.
std::string cookieName(int port);
// The value of a cookie in a Cookie header; empty without it.
std::string cookieOf(std::string_view header, std::string_view name);
// Takes as long whatever differs.
bool sameSecret(std::string_view a, std::string_view b);

} // namespace popvision
