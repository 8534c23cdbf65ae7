// SPDX-License-Identifier: MIT
// A compiled program. It can be written to a file and loaded by another process.
#pragma once
#include <iosfwd>
#include <memory>
#include <poplar/StringRef.hpp>

namespace poplar {

namespace openipu {
struct Access;
struct Image;
} // namespace openipu

class Executable {
public:
  Executable();
  ~Executable();
  Executable(Executable &&) noexcept;
  Executable &operator=(Executable &&) noexcept;

  // The same program gives the same bytes. Throws poplar_error for CPU and IPU_MODEL targets.
  void serialize(std::ostream &out) const;
  // Throws poplar_error for a truncated or foreign file, and, if asked to check, for one of another
  // version.
  static Executable deserialize(std::istream &in, bool checkPackageHash = true);
  static Executable deserialize(std::unique_ptr<std::istream> in, bool checkPackageHash = true);

private:
  friend struct openipu::Access;
  explicit Executable(std::shared_ptr<const openipu::Image> image);
  std::shared_ptr<const openipu::Image> image_;
};

} // namespace poplar
