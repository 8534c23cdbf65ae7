// SPDX-License-Identifier: MIT
// From the path of a request to an answer. No file is ever named by a request: reports and traces
// are numbers in the order of the command line.
#pragma once
#include "HostViews.hpp"
#include "Site.hpp"
#include <map>

namespace popvision {

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

using Query = std::map<std::string, std::string>;

// 404 for what does not exist, 400 for a wrong number, 422 for a report that cannot be read. The
// body of an error is {"error": text}.
Answer answer(const Site &site, const std::string &path, const Query &query);

// The views of a report that want nothing but its number.
std::vector<std::string> plainViews();
HostTraces hostTraces(const Site &site);

} // namespace popvision
