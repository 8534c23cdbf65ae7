// SPDX-License-Identifier: MIT
// The page and its data over HTTP. Reading only; every answer carries a strict content-security
// policy; Access.hpp says who may ask.
#pragma once
#include "Site.hpp"
#include <functional>

namespace popvision {

struct ServeOptions {
  std::string address = "127.0.0.1";
  int port = 0;      // 0: a free one
  std::string token; // empty: everybody may ask
};

// Until Ctrl-C. `ready` gets the address of the page. std::runtime_error if the port is
// taken.
void serve(const Site &site, const ServeOptions &options,
           const std::function<void(const std::string &url)> &ready);

} // namespace popvision
