// SPDX-License-Identifier: MIT
#include "codelet/VectorMembers.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

namespace poplar::codelet {
namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

unsigned numberAt(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The word in the quotes behind `phrase`.
std::string_view quotedBehind(std::string_view text, std::string_view phrase) {
  const auto at = text.find(phrase);
  if (at == text.npos)
    return {};
  auto begin = at + phrase.size();
  while (begin < text.size() && !isWord(text[begin]))
    ++begin;
  auto end = begin;
  while (end < text.size() && isWord(text[end]))
    ++end;
  return text.substr(begin, end - begin);
}

struct Complaint {
  unsigned line = 0, column = 0; // from 1
  std::string_view member;
  unsigned lanes = 0; // of the vector; 0: it is about something else
};

Complaint parse(std::string_view row) {
  Complaint c;
  for (std::string_view phrase : {"request for member ", "has no member named "})
    if (const auto name = quotedBehind(row, phrase); !name.empty())
      c.member = name;
  if (c.member.empty())
    return c;
  for (std::string_view type : {"__vector(", "HalfVector<"})
    if (const auto at = row.find(type); at != row.npos)
      c.lanes = numberAt(row.substr(at + type.size()));
  const auto error = row.find(": error:");
  const auto colon = error == row.npos ? row.npos : row.rfind(':', error - 1);
  const auto before = colon == row.npos || colon == 0 ? row.npos : row.rfind(':', colon - 1);
  if (before == row.npos)
    return {};
  c.line = numberAt(row.substr(before + 1));
  c.column = numberAt(row.substr(colon + 1));
  return c;
}

std::optional<unsigned> laneOf(std::string_view member) {
  static constexpr std::string_view names[] = {"xyzw", "rgba"};
  if (member.size() == 1)
    for (const auto letters : names)
      if (const auto at = letters.find(member[0]); at != letters.npos)
        return unsigned(at);
  if (member.size() == 2 && member[0] == 's' && std::isxdigit(member[1]))
    return unsigned(std::isdigit(member[1]) ? member[1] - '0' : std::tolower(member[1]) - 'a' + 10);
  return std::nullopt;
}

template <class Visit> void forRows(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    visit(begin, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// `.x` becomes `[0]` and `->x` becomes `[0][0]`.
bool replaceAt(std::string &text, std::size_t at, const Complaint &c) {
  const auto lane = laneOf(c.member);
  if (!lane || *lane >= c.lanes || text.compare(at, c.member.size(), c.member) != 0)
    return false;
  const auto before = at == 0 ? text.npos : text.find_last_not_of(" \t\n", at - 1);
  if (before == text.npos)
    return false;
  const bool arrow = before > 0 && text[before] == '>' && text[before - 1] == '-';
  if (!arrow && text[before] != '.')
    return false;
  text.replace(at, c.member.size(), base::str("[", *lane, "]"));
  text.replace(arrow ? before - 1 : before, arrow ? 2 : 1, arrow ? "[0]" : " ");
  return true;
}

} // namespace

std::string withoutLineMarkers(std::string text) {
  forRows(text, [&](std::size_t begin, std::string_view row) {
    if (row.substr(0, 2) == "# ")
      std::fill_n(text.begin() + std::ptrdiff_t(begin), row.size(), ' ');
  });
  return text;
}

bool namesMember(std::string_view complaints) {
  return complaints.find("request for member ") != complaints.npos ||
         complaints.find("has no member named ") != complaints.npos;
}

bool namesVectorMember(std::string_view complaints) {
  bool found = false;
  forRows(complaints,
          [&](std::size_t, std::string_view row) { found = found || parse(row).lanes != 0; });
  return found;
}

bool replaceVectorMembers(std::string &text, std::string_view complaints) {
  std::vector<Complaint> wanted;
  forRows(complaints, [&](std::size_t, std::string_view row) {
    if (const auto c = parse(row); c.lanes != 0)
      wanted.push_back(c);
  });
  std::vector<std::size_t> lines;
  forRows(text, [&](std::size_t begin, std::string_view) { lines.push_back(begin); });
  // From the end, so that places before it stay; a template may be complained about twice.
  std::sort(wanted.begin(), wanted.end(), [](const Complaint &a, const Complaint &b) {
    return std::pair(a.line, a.column) > std::pair(b.line, b.column);
  });
  bool any = false;
  for (const auto &c : wanted)
    if (c.line > 0 && c.line <= lines.size() && c.column > 0)
      any = replaceAt(text, lines[c.line - 1] + c.column - 1, c) || any;
  return any;
}

} // namespace poplar::codelet
