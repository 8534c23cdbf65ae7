// SPDX-License-Identifier: MIT
// The public Executable: a handle onto an Image, and its file.
#include "poplar/Executable.hpp"
#include "Access.hpp"
#include "device/TargetData.hpp"
#include "executable/Image.hpp"
#include "executable/Serialise.hpp"
#include "openipu/TargetDifferences.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Target.hpp"
#include <istream>
#include <sstream>

namespace poplar {

Executable::Executable() = default;
Executable::~Executable() = default;
Executable::Executable(Executable &&) noexcept = default;
Executable &Executable::operator=(Executable &&) noexcept = default;
Executable::Executable(std::shared_ptr<const executable::Image> image) : image_(std::move(image)) {}

void Executable::serialize(std::ostream &out) const {
  if (!image_)
    throw poplar_error(
        "Executable::serialize: the executable is empty. Make it with compileGraph.");
  std::istringstream text(image_->target);
  if (Target target(text); target.getTargetType() != TargetType::IPU)
    throw poplar_error(
        "Executable::serialize: only executables for an IPU target can be saved; this one is for " +
        toString(target.getTargetType()) +
        ". Compile it for Target::createIPUTarget or for a device of DeviceManager.");
  executable::write(*image_, out);
}

Executable Executable::deserialize(std::istream &in, bool checkPackageHash) {
  return Executable(
      std::make_shared<const executable::Image>(executable::read(in, checkPackageHash)));
}
Executable Executable::deserialize(std::unique_ptr<std::istream> in, bool checkPackageHash) {
  if (!in)
    throw poplar_error("Executable::deserialize: no stream is given.");
  return deserialize(*in, checkPackageHash);
}

} // namespace poplar

namespace poplar::openipu {

std::string targetDifferences(const poplar::Executable &executable, const poplar::Target &target) {
  const auto &image = poplar::Access::image(executable);
  if (!image)
    throw poplar::poplar_error("The executable is empty. Make it with compileGraph.");
  return poplar::device::differences(poplar::device::parseTarget(image->target),
                                     poplar::device::dataOf(target));
}

} // namespace poplar::openipu
