// SPDX-License-Identifier: MIT
#include "Deflate.hpp"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace popvision {

namespace {

constexpr std::size_t window = 32768, leastMatch = 4, longestMatch = 258;
constexpr unsigned hashBits = 16, tries = 48;

// Codes of RFC 1951 with their extra bits: a length or distance belongs to the last one that is not
// above it.
struct Code {
  unsigned from, extraBits;
};
std::vector<Code> codes(unsigned first, unsigned count, unsigned perSize) {
  std::vector<Code> all;
  for (unsigned i = 0, from = first; i < count; ++i) {
    const unsigned extra = i < 2 * perSize ? 0 : i / perSize - 1;
    all.push_back({from, extra});
    from += 1u << extra;
  }
  return all;
}
unsigned codeOf(const std::vector<Code> &all, unsigned value) {
  const auto after = std::upper_bound(all.begin(), all.end(), value,
                                      [](unsigned v, const Code &code) { return v < code.from; });
  return unsigned(after - all.begin()) - 1;
}

class Writer {
public:
  Writer() : lengths_(codes(3, 28, 4)), distances_(codes(1, 30, 2)) {
    lengths_.push_back({unsigned(longestMatch), 0});
  }
  void bits(std::uint32_t value, unsigned count) { // the lowest first
    held_ |= std::uint64_t(value) << used_;
    for (used_ += count; used_ >= 8; used_ -= 8, held_ >>= 8)
      out_ += char(held_ & 0xff);
  }
  void symbol(unsigned s) {
    if (s < 144)
      code(0x30 + s, 8);
    else if (s < 256)
      code(0x190 + s - 144, 9);
    else if (s < 280)
      code(s - 256, 7);
    else
      code(0xc0 + s - 280, 8);
  }
  void match(unsigned length, unsigned distance) {
    const auto l = codeOf(lengths_, length), d = codeOf(distances_, distance);
    symbol(257 + l);
    bits(length - lengths_[l].from, lengths_[l].extraBits);
    code(d, 5);
    bits(distance - distances_[d].from, distances_[d].extraBits);
  }
  std::string take() {
    bits(0, (8 - used_) % 8);
    return std::move(out_);
  }

private:
  void code(std::uint32_t value, unsigned count) { // codes go in with the highest bit first
    std::uint32_t turned = 0;
    for (unsigned i = 0; i < count; ++i)
      turned |= (value >> i & 1) << (count - 1 - i);
    bits(turned, count);
  }
  std::vector<Code> lengths_, distances_;
  std::string out_;
  std::uint64_t held_ = 0;
  unsigned used_ = 0;
};

// Where the same text stood before, the longest of the last few places.
class Finder {
public:
  explicit Finder(std::string_view data)
      : data_(data), last_(std::size_t(1) << hashBits, none), before_(window, none) {}
  std::pair<std::size_t, std::size_t> longest(std::size_t at) const { // length, distance
    std::pair<std::size_t, std::size_t> best{0, 0};
    if (at + leastMatch > data_.size())
      return best;
    const auto most = std::min(longestMatch, data_.size() - at);
    auto place = last_[hash(at)];
    for (unsigned i = 0; i < tries && place != none && at - place <= window; ++i) {
      std::size_t length = 0;
      while (length < most && data_[place + length] == data_[at + length])
        ++length;
      if (length > best.first)
        best = {length, at - place};
      if (length == most)
        break;
      const auto next = before_[place % window];
      if (next == none || next >= place)
        break;
      place = next;
    }
    return best.first < leastMatch ? std::pair<std::size_t, std::size_t>{0, 0} : best;
  }
  void add(std::size_t at) {
    if (at + leastMatch > data_.size())
      return;
    auto &last = last_[hash(at)];
    before_[at % window] = last;
    last = at;
  }

private:
  static constexpr std::size_t none = SIZE_MAX;
  std::size_t hash(std::size_t at) const {
    std::uint32_t word;
    std::memcpy(&word, data_.data() + at, sizeof word);
    return word * 2654435761u >> (32 - hashBits);
  }
  std::string_view data_;
  std::vector<std::size_t> last_, before_;
};

std::uint32_t adler(std::string_view data) {
  std::uint32_t a = 1, b = 0;
  for (const unsigned char c : data) {
    a = (a + c) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

} // namespace

std::string deflated(std::string_view data) {
  Writer out;
  out.bits(0x0178, 16); // zlib's header
  out.bits(3, 3);       // the last block, fixed codes
  Finder finder(data);
  for (std::size_t at = 0; at < data.size();) {
    const auto [length, distance] = finder.longest(at);
    if (length)
      out.match(unsigned(length), unsigned(distance));
    else
      out.symbol(static_cast<unsigned char>(data[at]));
    for (const auto end = at + std::max<std::size_t>(1, length); at < end; ++at)
      finder.add(at);
  }
  out.symbol(256);
  auto text = out.take();
  const auto sum = adler(data);
  for (int shift = 24; shift >= 0; shift -= 8)
    text += char(sum >> shift & 0xff);
  return text;
}

std::string base64(std::string_view data) {
  constexpr const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(data.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < data.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < data.size() ? static_cast<unsigned char>(data[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > data.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

} // namespace popvision
