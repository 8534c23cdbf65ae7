// SPDX-License-Identifier: MIT
// Reading and writing chips as text. The list of fields is ChipFields.hpp; here are units, lines
// and complaints.
#include "arch/ChipText.hpp"
#include "base/Text.hpp"
#include "ChipFields.hpp"
#include <charconv>
#include <istream>
#include <limits>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace arch {
namespace {

struct Scale {
  const char *name;
  double factor;
  double divisor = 1; // 15 / 1e9 is 15 ns exactly as a program writes it; 15 * 1e-9 is not
  double apply(double value) const { return value * factor / divisor; }
};

std::vector<Scale> scalesOf(Unit unit) {
  switch (unit) {
  case Unit::Bytes:
    return {{"MiB", 1048576}, {"KiB", 1024}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}};
  case Unit::Hertz:
    return {{"GHz", 1e9}, {"MHz", 1e6}, {"Hz", 1}};
  case Unit::Seconds:
    return {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1}};
  case Unit::BytesPerSecond:
    return {{"GiB/s", 1073741824}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"B/s", 1}};
  case Unit::Watts:
    return {{"W", 1}};
  case Unit::Text:
  case Unit::Flag:
  case Unit::Number:
    break;
  }
  return {{"", 1}};
}

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The spelling that reads back exactly, and one that may after scaling.
std::vector<std::string> spellings(double value) {
  char exact[40], brief[40];
  return {{exact, std::to_chars(exact, exact + sizeof exact, value).ptr},
          {brief,
           std::to_chars(brief, brief + sizeof brief, value, std::chars_format::general, 12).ptr}};
}

struct Complaint : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

double parseScaled(const std::string &text, Unit unit) {
  double value = 0;
  const char *begin = text.data(), *end = begin + text.size();
  auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || !(value >= 0) || value > std::numeric_limits<double>::max())
    throw Complaint("give a number of zero or more.");
  const auto given = trimmed({rest, end});
  std::vector<std::string> names;
  for (const auto &scale : scalesOf(unit)) {
    if (given == scale.name)
      return scale.apply(value);
    names.push_back(scale.name);
  }
  if (given.empty())
    return value; // the last word of the unit list is always the plain unit
  throw Complaint(
      unit == Unit::Number
          ? base::str("\"", given, "\" after the number, but this field has no unit.")
          : base::str("unknown unit \"", given, "\". Use one of ", base::list(names, ", "), "."));
}

template <class T> void assign(T &member, const std::string &text, Unit unit, Least least) {
  const double value = parseScaled(text, unit);
  if (least == Least::AboveZero && value == 0)
    throw Complaint("it must be more than zero.");
  if constexpr (std::is_integral_v<T>)
    if (value != std::floor(value) || value > double(std::numeric_limits<T>::max() / 2))
      throw Complaint(
          base::str("give a whole number up to ", std::numeric_limits<T>::max() / 2, "."));
  member = static_cast<T>(value);
}
void assign(bool &member, const std::string &text, Unit, Least) {
  if (text != "yes" && text != "no")
    throw Complaint("say yes or no.");
  member = text == "yes";
}
void assign(std::string &member, const std::string &text, Unit, Least) {
  if (text.empty())
    throw Complaint("it must not be empty.");
  member = text;
}

// False when no field has this key.
bool setField(Chip &chip, const std::string &key, const std::string &value) {
  bool found = false;
  forEachField(chip, [&](const char *name, auto &member, Unit unit, Least least) {
    if (key != name)
      return;
    found = true;
    try {
      assign(member, value, unit, least);
    } catch (const Complaint &wrong) {
      throw Complaint(base::str("`", key, " = ", value, "`: ", wrong.what()));
    }
  });
  return found;
}

std::vector<std::string> fieldNames() {
  std::vector<std::string> names = {"base"};
  Chip chip;
  forEachField(chip, [&](const char *name, auto &, Unit, Least) { names.push_back(name); });
  return names;
}

class Parser {
public:
  Chip parse(std::istream &text) {
    chip_.name = "custom";
    std::string line;
    while (std::getline(text, line)) {
      ++line_;
      readLine(trimmed(line.substr(0, line.find('#'))));
    }
    fitRegions();
    return chip_;
  }
  unsigned line() const { return line_; }

private:
  void readLine(const std::string &line) {
    if (line.empty())
      return;
    const auto equals = line.find('=');
    if (equals == std::string::npos)
      throw Complaint(base::str("\"", line, "\" is not of the form `key = value`."));
    const auto key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (!seen_.insert(key).second)
      throw Complaint(base::str("\"", key, "\" is given twice."));
    try {
      if (key == "base")
        startFrom(value);
      else if (!setField(chip_, key, value))
        throw Complaint(
            base::str("Unknown field \"", key, "\".", base::didYouMean(key, fieldNames())));
    } catch (const Complaint &) {
      throw;
    } catch (const std::invalid_argument &unknownChip) {
      throw Complaint(unknownChip.what());
    }
  }
  void startFrom(const std::string &name) {
    if (seen_.size() > 1)
      throw Complaint("`base` must be the first field.");
    chip_ = chipByName(name);
    chip_.name = "custom";
  }
  // The two regions fill the tile's memory. A new size keeps their proportion, in whole elements.
  void fitRegions() {
    auto &m = chip_.memory;
    const bool plain = seen_.count("memory.plain"), interleaved = seen_.count("memory.interleaved");
    if (!plain && !interleaved && seen_.count("memory"))
      m.plainBytes = std::min<std::uint64_t>(
          chip_.bytesPerTile, std::uint64_t(double(chip_.bytesPerTile) * m.plainBytes /
                                            (m.plainBytes + m.interleavedBytes)) /
                                  m.plainElementBytes * m.plainElementBytes);
    if (!interleaved && m.plainBytes <= chip_.bytesPerTile)
      m.interleavedBytes = chip_.bytesPerTile - m.plainBytes;
    if (interleaved && !plain && m.interleavedBytes <= chip_.bytesPerTile)
      m.plainBytes = chip_.bytesPerTile - m.interleavedBytes;
    if (m.plainBytes + m.interleavedBytes != chip_.bytesPerTile)
      throw Complaint(base::str("memory.plain (", m.plainBytes, " B) and memory.interleaved (",
                                m.interleavedBytes, " B) do not add up to memory (",
                                chip_.bytesPerTile, " B). Leave one of them out."));
  }

  Chip chip_ = chipByName("ipu2");
  std::set<std::string> seen_;
  unsigned line_ = 0;
};

// The shortest text that reads back as the same value.
template <class T> std::string valueText(const T &value, Unit unit) {
  std::string best;
  for (const auto &scale : scalesOf(unit))
    for (const auto &digits : spellings(double(value) * scale.divisor / scale.factor)) {
      const auto text = digits + (*scale.name ? " " : "") + scale.name;
      if (scale.apply(parseScaled(digits, Unit::Number)) == double(value) &&
          (best.empty() || text.size() < best.size()))
        best = text;
    }
  return best;
}
std::string valueText(const bool &value, Unit) { return value ? "yes" : "no"; }
std::string valueText(const std::string &value, Unit) { return value; }

} // namespace

Chip parseChip(std::istream &text, std::string_view source) {
  Parser parser;
  try {
    return parser.parse(text);
  } catch (const Complaint &complaint) {
    throw std::invalid_argument(base::str(source, ":", parser.line(), ": ", complaint.what()));
  }
}

std::string describe(const Chip &chip) {
  std::string text;
  forEachField(chip, [&](const char *name, const auto &member, Unit unit, Least) {
    text += base::str(name, " = ", valueText(member, unit), "\n");
  });
  return text;
}

} // namespace arch
