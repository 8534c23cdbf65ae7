// SPDX-License-Identifier: MIT
#include "Terminal.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace demo {

bool isTerminal() {
  static const bool yes = isatty(STDOUT_FILENO);
  return yes;
}

static std::string paint(const char *code, const std::string &text) {
  return isTerminal() ? base::str("\033[", code, "m", text, "\033[0m") : text;
}
std::string bold(const std::string &text) { return paint("1", text); }
std::string good(const std::string &text) { return paint("1;32", text); }
std::string bad(const std::string &text) { return paint("1;31", text); }
std::string dim(const std::string &text) { return paint("2", text); }

std::string bar(double fraction, unsigned width) {
  const auto filled = static_cast<unsigned>(std::clamp(fraction, 0.0, 1.0) * width + 0.5);
  std::string out;
  for (unsigned i = 0; i < width; ++i)
    out += i < filled ? "█" : "░";
  return out;
}

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Progress::Progress(std::string label, std::string unit)
    : label_(std::move(label)), unit_(std::move(unit)) {}

void Progress::at(long done, long total) {
  total_ = std::max(total, 1L);
  const double now = time_.seconds();
  if (!isTerminal() || (now - lastDraw_ < 0.1 && done < total))
    return;
  lastDraw_ = now;
  draw(done, total_, "");
}

void Progress::finish(const std::string &note) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.2f s", time_.seconds());
  draw(total_, total_, base::str(seconds, note.empty() ? "" : "  ", note));
  std::puts("");
}

void Progress::draw(long done, long total, const std::string &note) {
  if (isTerminal())
    std::printf("\r\033[K");
  std::printf("  %-10s %s %s / %s %s  %s", label_.c_str(), bar(double(done) / total, 30).c_str(),
              base::thousands(done).c_str(), base::thousands(total).c_str(), unit_.c_str(),
              note.c_str());
  std::fflush(stdout);
}

} // namespace demo
