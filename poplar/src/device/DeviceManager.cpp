// SPDX-License-Identifier: MIT
// The devices of the simulated machine: single IPUs, then aligned groups of 2, 4, 8, ... of them.
#include "poplar/DeviceManager.hpp"
#include "base/Text.hpp"
#include "device/DeviceData.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/IPUModel.hpp"
#include <numeric>

namespace poplar {
namespace {

struct Group {
  unsigned id, first, size;
};

std::vector<Group> groups() {
  const unsigned ipus = device::machineIpus();
  std::vector<Group> all;
  for (unsigned size = 1; size <= ipus; size *= 2)
    for (unsigned first = 0; first + size <= ipus; first += size)
      all.push_back({static_cast<unsigned>(all.size()), first, size});
  return all;
}

Group groupOf(unsigned id) {
  const auto all = groups();
  if (id >= all.size())
    throw poplar_error(base::str("There is no device ", id, ": a machine of ",
                                 device::machineIpus(), " IPUs has devices 0 to ", all.size() - 1,
                                 ". OPENIPU_NUM_IPUS sets the number of IPUs."));
  return all[id];
}

// Makes devices that share the parsed chip and options.
class Maker {
public:
  explicit Maker(const OptionFlags &opts)
      : chip_(device::findChip(device::machineChip())), opts_(opts) {}

  Device operator()(const Group &group) const {
    device::TargetData target;
    target.system = arch::systemOf(chip_, group.size);
    target.systemName = chip_.name;
    device::applyOptions(target, opts_);
    std::vector<unsigned> ipus(group.size);
    std::iota(ipus.begin(), ipus.end(), group.first);
    return device::DeviceAccess::make({group.id, device::TargetAccess::make(std::move(target)),
                                       std::make_shared<device::Lease>(std::move(ipus))});
  }

private:
  arch::Chip chip_;
  const OptionFlags &opts_;
};

} // namespace

std::size_t DeviceManager::getNumDevices() const { return groups().size(); }

std::vector<Device> DeviceManager::getDevices(const OptionFlags &opts) const {
  const Maker make(opts);
  std::vector<Device> devices;
  for (const auto &group : groups())
    devices.push_back(make(group));
  return devices;
}

std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned requiredNumIPUs,
                                              const OptionFlags &opts) const {
  std::vector<Device> devices;
  if (requiredNumIPUs == 0)
    return devices;
  if (type == TargetType::CPU) {
    devices.push_back(Device::createCPUDevice(requiredNumIPUs));
  } else if (type == TargetType::IPU_MODEL) {
    IPUModel model(device::machineChip().c_str());
    model.numIPUs = requiredNumIPUs;
    devices.push_back(model.createDevice(opts));
  } else {
    const Maker make(opts);
    for (const auto &group : groups())
      if (group.size == requiredNumIPUs)
        devices.push_back(make(group));
  }
  return devices;
}

Device DeviceManager::getDevice(unsigned deviceId, const OptionFlags &opts) const {
  return Maker(opts)(groupOf(deviceId));
}

std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned deviceId,
                                                       unsigned numChildIPUs) const {
  const auto parent = groupOf(deviceId);
  std::vector<unsigned> ids;
  for (const auto &group : groups())
    if (group.size == numChildIPUs && group.first >= parent.first &&
        group.first + group.size <= parent.first + parent.size)
      ids.push_back(group.id);
  return ids;
}

} // namespace poplar
