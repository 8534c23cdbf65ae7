// SPDX-License-Identifier: MIT
// How PrintTensor formats the elements of a tensor. A value of zero disables the respective limit.
#pragma once

namespace poplar {

// Formats a tensor for program::PrintTensor. A limit of 0 is no limit.
class PrintTensorFmt {
public:
  // Fixed point, with an exponent, what is shorter, or as C++ prints floats.
  enum class FloatFormat { Auto = 0, Fixed = 1, Scientific = 2, None = 3 };

  unsigned summariseThreshold;               // above this many elements only the edges are printed
  unsigned edgeItems;                        // how many at each edge
  unsigned maxLineWidth;                     // characters of a line, then it is broken
  unsigned digits;                           // significant digits of floating point values
  FloatFormat floatFormat;                   // how floats are written
  char separator, openBracket, closeBracket; // between elements, and around each dimension

  PrintTensorFmt(unsigned summariseThreshold_ = 1000, unsigned edgeItems_ = 3,
                 unsigned maxLineWidth_ = 75, unsigned digits_ = 8,
                 FloatFormat floatFormat_ = FloatFormat::Auto, char separator_ = ' ',
                 char openBracket_ = '[', char closeBracket_ = ']')
      : summariseThreshold(summariseThreshold_), edgeItems(edgeItems_), maxLineWidth(maxLineWidth_),
        digits(digits_), floatFormat(floatFormat_), separator(separator_),
        openBracket(openBracket_), closeBracket(closeBracket_) {}

  // No summary, no line breaks, every digit that is needed.
  static PrintTensorFmt disableFormatting() {
    return PrintTensorFmt(0, 0, 0, 0, FloatFormat::None);
  }

  friend bool operator==(const PrintTensorFmt &a, const PrintTensorFmt &b) {
    return a.summariseThreshold == b.summariseThreshold && a.edgeItems == b.edgeItems &&
           a.maxLineWidth == b.maxLineWidth && a.digits == b.digits &&
           a.floatFormat == b.floatFormat && a.separator == b.separator &&
           a.openBracket == b.openBracket && a.closeBracket == b.closeBracket;
  }
};

} // namespace poplar
