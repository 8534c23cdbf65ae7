// SPDX-License-Identifier: MIT
#include "base/ProgressLine.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace base {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// ---- the line

void ProgressLine::begin(const Activity::Text &text, Time now) {
  std::lock_guard lock(mutex_);
  if (activities_.empty())
    start_ = now;
  activities_.push_back(&text);
}

void ProgressLine::end(const Activity::Text &text) {
  std::lock_guard lock(mutex_);
  activities_.erase(std::find(activities_.begin(), activities_.end(), &text));
  if (activities_.empty())
    erase();
}

void ProgressLine::tick(Time now) {
  std::lock_guard lock(mutex_);
  if (activities_.empty() || now - start_ < seconds(1))
    return;
  auto text = str((*activities_.back())(), ", ",
                  std::chrono::duration_cast<seconds>(now - start_).count(), " s");
  text.resize(std::min<std::size_t>(text.size(), columns_ - 1)); // a full line would wrap
  write_("\r\033[K" + text);
  visible_ = true;
}

void ProgressLine::hide() {
  std::lock_guard lock(mutex_);
  erase();
}

void ProgressLine::erase() {
  if (visible_)
    write_("\r\033[K");
  visible_ = false;
}

// ---- of this process

namespace {

bool isWanted() {
  const char *given = std::getenv("OPENIPU_PROGRESS"), *terminal = std::getenv("TERM");
  const std::string_view setting = given && *given ? given : "auto";
  if (setting != "auto" && setting != "off")
    sayOnce(str("OPENIPU_PROGRESS is \"", setting, "\". Use auto or off."));
  return setting == "auto" && terminal && *terminal && std::string_view(terminal) != "dumb" &&
         isatty(STDERR_FILENO);
}

unsigned columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

void writeToTerminal(const std::string &bytes) {
  if (::write(STDERR_FILENO, bytes.data(), bytes.size()) < 0) {
    // Nobody is there to be told.
  }
}

// Lives as long as the process, like the thread that moves it. A forked child has no such thread,
// and shows nothing.
struct Shown {
  ProgressLine line{writeToTerminal, columns()};
  const pid_t process = getpid();

  Shown() {
    std::thread([this] {
      for (;; std::this_thread::sleep_for(milliseconds(250)))
        line.tick(Clock::now());
    }).detach();
  }
};

// Null where no line is wanted.
Shown *shown() {
  static Shown *const instance = isWanted() ? new Shown : nullptr;
  return instance;
}

bool isShown() { return shown() && shown()->process == getpid(); }

} // namespace

Activity::Activity(Text text) : text_(std::move(text)), shown_(isShown()) {
  if (shown_)
    shown()->line.begin(text_, Clock::now());
}
Activity::Activity(const char *text) : Activity([text] { return std::string(text); }) {}
Activity::~Activity() {
  if (shown_ && isShown())
    shown()->line.end(text_);
}

void hideProgress() {
  if (isShown())
    shown()->line.hide();
}

} // namespace base
