// SPDX-License-Identifier: MIT
// Two passes: every element that will be shown becomes text in one common format, then the
// brackets, line breaks and ellipses are laid out around texts of equal width.
#include "backend/PrintTensor.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/TypeConversion.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace poplar::backend {
namespace {

using executable::PrintFormat;
enum FloatFormat : std::uint8_t { Auto, Fixed, Scientific, None };

bool isFloat(TypeId type) {
  return type == TypeId::Half || type == TypeId::Float || type == TypeId::Double ||
         type == TypeId::Quarter;
}

template <class T> T load(const void *data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + i * sizeof(T), sizeof(T));
  return value;
}

double floatAt(TypeId type, const void *data, std::size_t i, unsigned char metadata) {
  auto *at = static_cast<const char *>(data) + i * sizeOf(type);
  float value = 0;
  switch (type) {
  case TypeId::Float:
    return load<float>(data, i);
  case TypeId::Double:
    return load<double>(data, i);
  case TypeId::Half:
    convertFromDeviceType(HALF, at, gccs::ArrayRef<float>(&value, 1));
    break;
  default:
    convertFromDeviceType(QUARTER, QuarterMetadata(metadata), at, gccs::ArrayRef<float>(&value, 1));
  }
  return value;
}

std::string integerAt(TypeId type, const void *data, std::size_t i) {
  switch (type) {
  case TypeId::Bool:
    return load<std::uint8_t>(data, i) ? "1" : "0";
  case TypeId::Char:
  case TypeId::SignedChar:
    return std::to_string(load<std::int8_t>(data, i));
  case TypeId::Short:
    return std::to_string(load<std::int16_t>(data, i));
  case TypeId::UnsignedShort:
    return std::to_string(load<std::uint16_t>(data, i));
  case TypeId::Int:
    return std::to_string(load<std::int32_t>(data, i));
  case TypeId::UnsignedInt:
    return std::to_string(load<std::uint32_t>(data, i));
  case TypeId::Long:
  case TypeId::LongLong:
    return std::to_string(load<std::int64_t>(data, i));
  case TypeId::UnsignedLong:
  case TypeId::UnsignedLongLong:
    return std::to_string(load<std::uint64_t>(data, i));
  default:
    return std::to_string(load<std::uint8_t>(data, i));
  }
}

std::string printed(const char *format, int precision, double value) {
  char text[400]; // %f of the largest double has 309 digits
  std::snprintf(text, sizeof text, format, precision, value);
  return text;
}

// One format for all values: fixed with the digits that the largest one leaves, unless the values
// span too far.
struct FloatStyle {
  const char *format;
  int precision;

  FloatStyle(const std::vector<double> &values, const PrintFormat &wanted) {
    double largest = 0, smallest = INFINITY;
    for (auto value : values)
      if (std::isfinite(value) && value != 0) {
        largest = std::max(largest, std::fabs(value));
        smallest = std::min(smallest, std::fabs(value));
      }
    const int digits =
        wanted.digits ? int(wanted.digits) : 9; // 9 digits tell every float from its neighbours
    const int whole = largest >= 1 ? int(std::floor(std::log10(largest))) + 1 : 1;
    bool wide = largest > 0 && (whole > digits || smallest < 1e-4 || largest / smallest > 1e3);
    if (wanted.floatFormat == None)
      *this = {"%.*g", digits};
    else if (wanted.floatFormat == Scientific || (wanted.floatFormat == Auto && wide))
      *this = {"%.*e", digits - 1};
    else
      *this = {"%.*f", std::max(0, digits - whole)};
  }
  FloatStyle(const char *f, int p) : format(f), precision(p) {}
  std::string operator()(double value) const {
    return std::isfinite(value) ? printed(format, precision, value) : printed("%.*f", 0, value);
  }
};

class Layout {
public:
  Layout(const std::vector<std::size_t> &shape, const PrintFormat &format)
      : shape_(shape), format_(format) {
    std::size_t elements = 1;
    for (auto extent : shape)
      elements *= extent;
    summarised_ =
        format.summariseThreshold && format.edgeItems && elements > format.summariseThreshold;
  }

  // Calls visit(element) for each element shown, in order.
  template <class Visit>
  void eachShown(const Visit &visit, std::size_t dim = 0, std::size_t at = 0) const {
    if (dim == shape_.size())
      return visit(at);
    for (std::size_t i = 0; i < shape_[dim]; ++i) {
      i = skipTo(dim, i);
      eachShown(visit, dim + 1, at * shape_[dim] + i);
    }
  }

  std::string layOut(const std::vector<std::string> &texts) {
    width_ = 0;
    for (const auto &text : texts)
      width_ = std::max(width_, text.size());
    next_ = texts.begin();
    out_.clear();
    write(0);
    return out_;
  }

private:
  bool cut(std::size_t dim) const { return summarised_ && shape_[dim] > 2 * format_.edgeItems; }
  std::size_t skipTo(std::size_t dim, std::size_t i) const {
    return cut(dim) && i == format_.edgeItems ? shape_[dim] - format_.edgeItems : i;
  }
  std::string element() {
    const auto &text = *next_++;
    return std::string(width_ - text.size(), ' ') + text;
  }

  void write(std::size_t dim) {
    if (dim == shape_.size())
      out_ += *next_++;
    else if (dim + 1 == shape_.size())
      writeLine(dim);
    else
      writeNested(dim);
  }

  void writeLine(std::size_t dim) {
    std::size_t column = dim + 1;
    out_ += format_.openBracket;
    auto put = [&](const std::string &text, bool last) {
      const auto needed = text.size() + 1;
      if (format_.maxLineWidth && column + needed > format_.maxLineWidth &&
          out_.back() == format_.separator) {
        out_ += '\n' + std::string(dim + 2, ' ');
        column = dim + 2;
      }
      out_ += text;
      if (!last)
        out_ += format_.separator;
      column += needed;
    };
    for (std::size_t i = 0; i < shape_[dim]; ++i) {
      if (skipTo(dim, i) != i) {
        put("...", false);
        i = skipTo(dim, i);
      }
      put(element(), i + 1 == shape_[dim]);
    }
    out_ += format_.closeBracket;
  }

  void writeNested(std::size_t dim) {
    const std::string indent(dim + 1, ' ');
    out_ += format_.openBracket;
    out_ += '\n';
    for (std::size_t i = 0; i < shape_[dim]; ++i) {
      if (skipTo(dim, i) != i) {
        out_ += indent + "...\n";
        i = skipTo(dim, i);
      }
      out_ += indent;
      write(dim + 1);
      out_ += '\n'; // which separates rows
    }
    out_ += std::string(dim, ' ') + format_.closeBracket;
  }

  const std::vector<std::size_t> &shape_;
  const PrintFormat &format_;
  bool summarised_;
  std::size_t width_ = 0;
  std::vector<std::string>::const_iterator next_;
  std::string out_;
};

} // namespace

std::string formatTensor(TypeId type, const std::vector<std::size_t> &shape, const void *data,
                         const PrintFormat &format, unsigned char quarterMetadata) {
  Layout layout(shape, format);
  std::vector<std::string> texts;
  if (isFloat(type)) {
    std::vector<double> values;
    layout.eachShown(
        [&](std::size_t i) { values.push_back(floatAt(type, data, i, quarterMetadata)); });
    FloatStyle style(values, format);
    for (auto value : values)
      texts.push_back(style(value));
  } else {
    layout.eachShown([&](std::size_t i) { texts.push_back(integerAt(type, data, i)); });
  }
  return layout.layOut(texts);
}

std::string printedTensor(const std::string &title, TypeId type,
                          const std::vector<std::size_t> &shape, const void *data,
                          const PrintFormat &format, unsigned char quarterMetadata) {
  auto value = formatTensor(type, shape, data, format, quarterMetadata);
  return (title.empty() ? value : title + ": " + value) + "\n";
}

} // namespace poplar::backend
