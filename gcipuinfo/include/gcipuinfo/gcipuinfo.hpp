// SPDX-License-Identifier: MIT
// The simulated IPUs of a partition for programs that monitor them: attributes as texts, and
// whether all is well. It takes no IPU and disturbs nobody. Errors are std::runtime_error.
#ifndef GCIPUINFO_GCIPUINFO_HPP
#define GCIPUINFO_GCIPUINFO_HPP
#include <map>
#include <memory>
#include <string>
#include <vector>

class gcipuinfo {
public:
  // A process uses one of them only: the first that it asked for.
  enum DiscoveryMode { DiscoverActivePartitionIPUs, DiscoverAllPartitionIPUs };
  using Device = std::map<std::string, std::string>;

  // Names of attributes.
  static const char *const AverageBoardTemp,
      *const AverageDieTemp,
          *const BoardIpuIndex,
              *const BoardSerialNumber,
                  *const BoardType,
                      *const BoardVariant,
                          *const Clock,
                              *const DriverVersion,
                                  *const FirmwareVersion,
                                      *const Id,
                                          *const IpuArchitecture,
                                              *const IpuErrorState,
                                                  *const IpuPower,
                                                      *const IpuUtilisation,
                                                          *const IpuUtilisationSession,
                                                              *const IpuofHost,
                                                                  *const IpuofPartitionId,
                                                                      *const IpuofRoutingType,
                                                                          *const IpuofServerVersion,
                                                                              *const PciId,
                                                                                  *const ProcessStartTime,
                                                                                      *const Target,
                                                                                          *const TotalBoardPower,
                                                                                              *const UserExecutable,
                                                                                                  *const UserName,
                                                                                                      *const
                                                                                                          UserProcessId;

  explicit gcipuinfo(DiscoveryMode mode = DiscoverActivePartitionIPUs);
  ~gcipuinfo();
  gcipuinfo(const gcipuinfo &) = delete;
  gcipuinfo &operator=(const gcipuinfo &) = delete;

  // All IPUs, then the groups of each partition.
  std::vector<Device> getDevices();
  // One attribute of every device; "N/A" where it has none.
  std::vector<std::string> getNamedAttributeForAll(const std::string &attribute);
  void updateData();                  // looks at the machine again
  void setUpdateMode(bool automatic); // true: every call looks again
  // JSON: "{}" if all is well, else {"hosts":{"127.0.1.1":[{"error":"device","id":"2",...}]}}.
  std::string checkHealthOfDevices();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

#endif
