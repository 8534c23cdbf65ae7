// SPDX-License-Identifier: MIT
#include "Sweep.hpp"
#include "Faults.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <random>

namespace faults {
namespace {

constexpr int errors[] = {EIO, ENOSPC, EACCES, EMFILE, EINTR, shortTransfer};

unsigned seed() {
  static const unsigned chosen = [] {
    const char *given = std::getenv("OPENIPU_RANDOM_SEED");
    const auto one = given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device{}();
    std::cout << "OPENIPU_RANDOM_SEED=" << one << "\n";
    return one;
  }();
  return chosen;
}

std::uint64_t most(unsigned otherwise) {
  const char *given = std::getenv("OPENIPU_FAULTS");
  if (!given)
    return otherwise;
  return std::string(given) == "all" ? std::numeric_limits<std::uint64_t>::max()
                                     : std::strtoull(given, nullptr, 10);
}

std::string unharmed(const Subject &subject) {
  try {
    return subject.act();
  } catch (const std::exception &e) {
    ADD_FAILURE() << "without a fault: " << e.what();
    return e.what();
  }
}

std::string beginOf(const std::string &bytes) {
  return std::to_string(bytes.size()) + " bytes: " + bytes.substr(0, 200);
}

std::uint64_t operationsOf(const Subject &subject, Kind kind) {
  subject.prepare();
  arm({kind});
  unharmed(subject);
  return disarm();
}

// Whether it ended with an exception.
bool failsUnder(const Subject &subject, const Fault &fault, std::string &result) {
  std::string message;
  bool thrown = false;
  arm(fault);
  try {
    result = subject.act();
    disarm();
  } catch (const std::exception &e) {
    disarm();
    thrown = true;
    message = e.what();
  }
  EXPECT_EQ(thrown, !message.empty()) << "an error has a text";
  EXPECT_EQ(message.find("internal error"), std::string::npos) << message;
  if (std::getenv("OPENIPU_FAULTS_SHOW") && thrown)
    std::cout << text(fault) << ": " << message << "\n";
  return thrown;
}

void look(const std::function<void()> &check) {
  try {
    check();
  } catch (const std::exception &e) {
    ADD_FAILURE() << e.what();
  }
}

void tryOne(const Subject &subject, const std::string &expected, const Fault &fault) {
  subject.prepare();
  std::string result;
  const bool failed = failsUnder(subject, fault, result);
  SCOPED_TRACE(text(fault) + ", OPENIPU_RANDOM_SEED=" + std::to_string(seed()));
  if (failed) {
    look(subject.afterFailure);
  } else {
    EXPECT_TRUE(result == expected) << "another result under the fault: " << beginOf(result);
    look(subject.afterSuccess);
  }
  const auto again = unharmed(subject);
  EXPECT_TRUE(again == expected) << "another result after the fault: " << beginOf(again);
  look(subject.afterSuccess);
  look(subject.afterAgain);
  if (::testing::Test::HasFailure())
    showStack();
}

// All of them, or one in each of so many equal parts.
void sweep(const Subject &subject, Kind kind, unsigned trials) {
  subject.prepare();
  const auto expected = unharmed(subject); // what is made once in a process is made
  EXPECT_TRUE(unharmed(subject) == expected) << "the result is not the same each time";
  const auto operations = operationsOf(subject, kind);
  EXPECT_GT(operations, 0u);
  const auto parts = std::min<std::uint64_t>(operations, most(trials));
  std::mt19937 random(seed());
  for (std::uint64_t i = 0; i < parts && !::testing::Test::HasFailure(); ++i) {
    const auto first = operations * i / parts, next = operations * (i + 1) / parts;
    Fault fault{kind, 1 + first + random() % (next - first)};
    fault.error = errors[random() % std::size(errors)];
    // Without any memory at all even destructors of libraries end the process.
    fault.lasting =
        kind == Kind::File && random() % 4 == 0 && fault.error > 0 && fault.error != EINTR;
    tryOne(subject, expected, fault);
  }
}

} // namespace

void survivesAllocations(const Subject &subject, unsigned trials) {
  sweep(subject, Kind::Allocation, trials);
}
void survivesFiles(const Subject &subject, unsigned trials) { sweep(subject, Kind::File, trials); }
void survives(const Subject &subject, unsigned trials) {
  survivesAllocations(subject, trials);
  survivesFiles(subject, trials);
}

} // namespace faults
