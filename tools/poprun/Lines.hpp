// SPDX-License-Identifier: MIT
// What instances print, put together again. mpirun passes on what it happens to read, a piece of
// one instance behind a piece of another, and writes "[1,3]<stdout>:" before each piece and each
// line of instance 3. Here lines come out whole; what has no end yet waits for it, until flush().
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace poprun {

class Lines {
public:
  using Sink = std::function<void(const std::string &)>;
  // `only`: lines of other instances are left out. `onLine` sees all of them, shown or not.
  Lines(std::optional<unsigned> only, Sink show, Sink onLine)
      : only_(only), show_(std::move(show)), onLine_(std::move(onLine)) {}

  void add(std::string_view text);
  // Shows what there is: a progress bar or a question has no end of line.
  void flush();

private:
  struct Line {
    std::string text;   // that is not shown yet
    bool begun = false; // what was before it is
  };
  void take(std::string_view piece);
  void finish(Line &line);
  void show(const std::string &tag, Line &line);
  bool isShown(const std::string &tag, const std::string &text) const;

  std::optional<unsigned> only_;
  Sink show_, onLine_;
  std::string tag_, rest_;            // of the piece that comes; what may be half of a tag
  std::map<std::string, Line> open_;  // by tag
  std::optional<std::string> cursor_; // behind a line of this tag that has no end yet
};

} // namespace poprun
