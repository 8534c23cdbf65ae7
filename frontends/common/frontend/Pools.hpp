// SPDX-License-Identifier: MIT
// Maxima and means over windows, and over as many parts as the result has elements (adaptive). Of
// equal maxima of a window the first one has the gradient.
#pragma once
#include "frontend/Windows.hpp"

namespace frontend {

struct Pool {
  Window asked;
  Integers reached; // its paddings with what the last windows reach over the end

  explicit Pool(Window window) : asked(std::move(window)), reached(asked.pads) {}
  // Rounded up, there are so many windows along a dimension: the last may reach over the end.
  void reach(std::size_t d, std::int64_t outputs);
  bool isPadded() const { return reached != Integers(reached.size(), 0); }
  Attributes attributes() const;
  // The number of elements in every window, and of the padding that was asked for if it counts; of
  // [1, 1, output...].
  std::pair<Shape, std::vector<double>> counts(bool padding) const;
};

Value maxima(const Writing &w, Value x, const Pool &pool);
// Where they are within their channel: an operator of its own, which goes if it is not used.
Value positions(const Writing &w, Value x, const Pool &pool);
Value sums(const Writing &w, Value x, const Pool &pool);
// Of the elements of every window, or also of the padding that was asked for.
Value means(const Writing &w, Value x, const Pool &pool, bool countPadding);

// Part i of n along an axis of m covers the elements from floor(i * m / n) to
// ceil((i + 1) * m / n). Where all of these are equally long and equally far apart, they are the
// windows of a pool; else one slice each, axis by axis.
class AdaptivePool {
public:
  // Of x [batch, channels, field...]; `parts` of every dimension of the field.
  AdaptivePool(const Writing &w, Value x, const Integers &parts);
  Value means() const;
  Value maxima() const;
  Value positions() const; // of maxima, within their channel

private:
  struct Parts {
    Integers begin, end;
    std::int64_t length() const { return end[0] - begin[0]; }
    std::int64_t stride() const;
    bool areWindows() const;
  };
  template <class Reduce> Value alongAxes(bool lastFirst, Reduce reduce) const;

  const Writing &w_;
  Value x_;
  std::vector<Parts> parts_;
  bool isPool_ = true;
  Window window_; // if it is one
};

} // namespace frontend
