// SPDX-License-Identifier: MIT
// Makes every allocation and every operation on files of something fail in turn. What is tried may
// fail with an exception that has a text, or bear it; the process lives, nothing is lost, and the
// same call made again succeeds with the same result, byte for byte.
//
// OPENIPU_FAULTS=all tries each one; a number so many of them, which OPENIPU_RANDOM_SEED chooses.
#pragma once
#include <functional>
#include <string>

namespace faults {

struct Subject {
  std::function<std::string()> act;           // what is tried, and what is to be the same
  std::function<void()> prepare = [] {};      // before each
  std::function<void()> afterFailure = [] {}; // what holds after an exception
  std::function<void()> afterSuccess = [] {}; // and what when it has succeeded, at once or again
  std::function<void()> afterAgain = [] {};   // what only a further call cleared
};

void survivesAllocations(const Subject &subject, unsigned trials = 100);
void survivesFiles(const Subject &subject, unsigned trials = 100);
void survives(const Subject &subject, unsigned trials = 100); // both

} // namespace faults
