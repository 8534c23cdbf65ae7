// SPDX-License-Identifier: MIT
// The page and its data over HTTP. Reading only; every answer carries a strict content-security
// policy; requests for another host's name are refused, so that no web page elsewhere can reach in.
#pragma once
#include "Site.hpp"
#include <functional>

namespace popvision {

struct ServeOptions {
  std::string address = "127.0.0.1";
  int port = 0; // 0: a free one
};

// Until the process ends. `ready` gets the address of the page. std::runtime_error if the port is
// taken.
void serve(const Site &site, const ServeOptions &options,
           const std::function<void(const std::string &url)> &ready);

// Whether a request's Host header names the machine that it came to.
bool isOwnHost(const std::string &header, const std::string &address);

} // namespace popvision
