// SPDX-License-Identifier: MIT
#include "Lines.hpp"
#include <cstdio>
#include <regex>
#include <utility>

namespace poprun {

namespace {

const std::regex tagPattern(R"(\[\d+,\d+\]<std(out|err|diag)>:)");

// The end of a text that may be the beginning of a tag.
std::size_t halfTag(const std::string &text) {
  constexpr std::size_t longest = 32;
  const auto at = text.rfind('[');
  const bool may = at != std::string::npos && text.size() - at < longest &&
                   text.find_first_not_of("[0123456789,]<stdouterriag>", at) == std::string::npos;
  return may ? at : text.size();
}

} // namespace

// Lines of mpirun itself have no tag and stay, as does what poprun says beside an instance.
bool Lines::isShown(const std::string &tag, const std::string &text) const {
  unsigned job = 0, rank = 0;
  return !only_ || std::sscanf(tag.c_str(), "[%u,%u]", &job, &rank) != 2 || rank == *only_ ||
         (tag.ends_with("<stderr>:") && text.starts_with("poprun: "));
}

void Lines::add(std::string_view text) {
  auto all = std::exchange(rest_, {}).append(text);
  const auto safe = halfTag(all);
  rest_ = all.substr(safe);
  all.erase(safe);
  std::size_t from = 0;
  const std::sregex_iterator end;
  for (std::sregex_iterator tag(all.begin(), all.end(), tagPattern); tag != end; ++tag) {
    take(std::string_view(all).substr(from, std::size_t(tag->position()) - from));
    tag_ = tag->str();
    from = std::size_t(tag->position() + tag->length());
  }
  take(std::string_view(all).substr(from));
}

void Lines::take(std::string_view piece) {
  while (!piece.empty()) {
    auto &line = open_[tag_];
    const auto end = piece.find('\n');
    const auto size = end == std::string_view::npos ? piece.size() : end + 1;
    line.text += piece.substr(0, size);
    piece.remove_prefix(size);
    if (end != std::string_view::npos)
      finish(line);
  }
}

void Lines::finish(Line &line) {
  onLine_(tag_ + line.text);
  if (isShown(tag_, line.text)) {
    show(tag_, line);
    cursor_.reset();
  }
  line = {};
  tag_.clear(); // the next line has its own, or is mpirun's
}

void Lines::show(const std::string &tag, Line &line) {
  const bool goesOn = line.begun && cursor_ == tag;
  show_((goesOn ? "" : (cursor_ ? "\n" : "") + tag) + line.text);
  line = {"", true};
  cursor_ = tag;
}

void Lines::flush() {
  take(std::exchange(rest_, {}));
  for (auto &[tag, line] : open_)
    if (!line.text.empty() && isShown(tag, line.text))
      show(tag, line);
}

} // namespace poprun
