// SPDX-License-Identifier: MIT
// The devices of the partition that this process uses.
#include "poplar/DeviceManager.hpp"
#include "base/Text.hpp"
#include "device/DeviceData.hpp"
#include "device/TargetData.hpp"
#include "device/ThisMachine.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/IPUModel.hpp"

namespace poplar {
namespace {

using device::activeDomain;
using machine::Domain;
using machine::Group;

Group groupOf(const Domain &domain, unsigned id) {
  const auto all = domain.groups();
  if (id >= all.size())
    throw poplar_error(base::str("There is no device ", id, ": partition ", domain.partition.name,
                                 " of ", domain.ipus.size(), " IPUs has devices 0 to ",
                                 all.size() - 1, ". OPENIPU_NUM_IPUS sets the number of IPUs."));
  return all[id];
}

// Makes devices that share the partition, the parsed chip and the options.
class Maker {
public:
  explicit Maker(const OptionFlags &opts)
      : domain_(activeDomain()), chip_(device::findChip(domain_->partition.chip)), opts_(opts) {}

  const Domain &domain() const { return *domain_; }
  Device operator()(const Group &group) const {
    device::TargetData target;
    target.system = arch::systemOf(chip_, group.size);
    target.systemName = chip_.name;
    device::applyOptions(target, opts_);
    return device::DeviceAccess::make(
        {group.id, device::TargetAccess::make(std::move(target)),
         std::make_shared<machine::Lease>(domain_->numbersOf(group), group.id), domain_, group});
  }

private:
  std::shared_ptr<const Domain> domain_;
  arch::Chip chip_;
  const OptionFlags &opts_;
};

} // namespace

std::size_t DeviceManager::getNumDevices() const { return activeDomain()->groups().size(); }

std::vector<Device> DeviceManager::getDevices(const OptionFlags &opts) const {
  const Maker make(opts);
  std::vector<Device> devices;
  for (const auto &group : make.domain().groups())
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
    IPUModel model(machine::chipOfEnvironment().c_str());
    model.numIPUs = requiredNumIPUs;
    devices.push_back(model.createDevice(opts));
  } else {
    const Maker make(opts);
    for (const auto &group : make.domain().groups())
      if (group.size == requiredNumIPUs)
        devices.push_back(make(group));
  }
  return devices;
}

Device DeviceManager::getDevice(unsigned deviceId, const OptionFlags &opts) const {
  const Maker make(opts);
  return make(groupOf(make.domain(), deviceId));
}

std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned deviceId,
                                                       unsigned numChildIPUs) const {
  const auto domain = activeDomain();
  const auto parent = groupOf(*domain, deviceId);
  std::vector<unsigned> ids;
  for (const auto &group : domain->groups())
    if (group.size == numChildIPUs && group.first >= parent.first &&
        group.first + group.size <= parent.first + parent.size)
      ids.push_back(group.id);
  return ids;
}

} // namespace poplar
