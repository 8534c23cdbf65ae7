// SPDX-License-Identifier: MIT
// Rows measured by several processes at once. Rows of one program (Row::run) are one process's
// work, so that it runs once; figures come back in the order of the rows, whoever made them.
#pragma once
#include "Report.hpp"

namespace calibration {

// Calls `done` for every row as it is measured. Throws std::runtime_error with the row and its
// message when one fails.
std::vector<Measured> measureAll(const Rows &rows, unsigned processes,
                                 const std::function<void(const Measured &)> &done = {});

} // namespace calibration
