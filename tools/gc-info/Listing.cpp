// SPDX-License-Identifier: MIT
#include "Listing.hpp"
#include "base/Text.hpp"

namespace gcinfo {
namespace {

using base::str;
using machine::Domain;
using machine::Group;

// "[7]", with blanks in front where other ids have more digits.
std::string bracketed(unsigned id, std::size_t digits) {
  const auto text = std::to_string(id);
  return std::string(digits > text.size() ? digits - text.size() : 0, ' ') + "[" + text + "]";
}

class Printer {
public:
  Printer(const Domain &domain, unsigned firstId, std::size_t digits)
      : domain_(domain), firstId_(firstId), digits_(digits) {}

  std::string device(const Group &group) const {
    const bool single = group.size == 1 && domain_.partition.reconfigurable;
    std::string text = str("-+- Id: ", bracketed(firstId_ + group.id, digits_), ", ");
    if (single)
      return text + kind() + place(domain_.ipus[group.first]) + "\n";
    text += domain_.isFabric() ? "target: [Multi IPU]\n" : "type: [Multi IPU]\n";
    for (unsigned i = 0; i < group.size; ++i)
      text += member(group, i);
    return text;
  }

private:
  std::string kind() const {
    return domain_.isFabric() ? "target: [Fabric], " : "type:      [PCIe], ";
  }
  std::string place(const machine::Ipu &ipu) const {
    return domain_.isFabric() ? str("IPU-M host: [", ipu.host, "], IPU#: [", ipu.index, "]")
                              : str("PCI Domain: [", ipu.pciId, "]");
  }
  std::string member(const Group &group, unsigned i) const {
    const unsigned place = group.first + i;
    return str(
        domain_.isFabric() ? " |--- Id: " : " |--- PCIe Id: ", bracketed(firstId_ + place, digits_),
        ", DNC Id: ", bracketed(i, std::to_string(group.size - 1).size()), ", ",
        this->place(domain_.ipus[place]), "\n");
  }
  const Domain &domain_;
  unsigned firstId_;
  std::size_t digits_;
};

std::size_t digitsOfIds(const std::vector<Domain> &domains) {
  std::size_t ids = 0;
  for (const auto &domain : domains)
    ids += domain.groups().size();
  return std::to_string(ids ? ids - 1 : 0).size();
}

} // namespace

std::string listing(const std::vector<Domain> &domains) {
  std::string text = "Graphcore device listing:\n";
  unsigned firstId = 0;
  for (const auto &domain : domains) {
    const Printer printer(domain, firstId, digitsOfIds(domains));
    text += str("Partition: ", domain.partition.name,
                &domain == &domains.front() ? " [active]\n" : "\n");
    for (const auto &group : domain.groups())
      text += printer.device(group);
    firstId += unsigned(domain.groups().size());
  }
  return text;
}

gctool::Json listingAsJson(const std::vector<Domain> &domains) {
  auto partitions = gctool::Json::array();
  unsigned firstId = 0;
  for (const auto &domain : domains) {
    auto devices = gctool::Json::array();
    for (const auto &group : domain.groups()) {
      gctool::Json device = {{"id", std::to_string(firstId + group.id)},
                             {"target", domain.isFabric() ? "Fabric" : "PCIe"}};
      for (unsigned i = 0; i < group.size; ++i) {
        const auto &ipu = domain.ipus[group.first + i];
        device["ipus"].push_back({{"id", std::to_string(firstId + group.first + i)},
                                  {"dnc id", std::to_string(i)},
                                  {"ipuof host", ipu.host},
                                  {"pci id", ipu.pciId},
                                  {"board ipu index", std::to_string(ipu.index)}});
      }
      devices.push_back(std::move(device));
    }
    firstId += unsigned(domain.groups().size());
    partitions.push_back({{"partition", domain.partition.name},
                          {"active", &domain == &domains.front() ? "1" : "0"},
                          {"devices", std::move(devices)}});
  }
  return {{"partitions", std::move(partitions)}};
}

} // namespace gcinfo
