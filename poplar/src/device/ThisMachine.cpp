// SPDX-License-Identifier: MIT
#include "device/ThisMachine.hpp"
#include "base/Folder.hpp"
#include "machine/Discovery.hpp"

namespace poplar::device {

std::shared_ptr<const machine::Domain> activeDomain() {
  return asPoplar([] {
    machine::ipusOfEnvironment(); // a wrong number is said before a wrong chip
    try {
      return std::make_shared<const machine::Domain>(machine::activeDomain());
    } catch (const base::FileError &e) { // of the chip's description
      throw file_load_error(e.path, e.what());
    } catch (const machine::BadVariable &) {
      throw;
    } catch (const std::invalid_argument &) {
      findChip(machine::chipOfEnvironment()); // says it, with near matches
      throw;
    }
  });
}

} // namespace poplar::device
