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
  using Device = std::map<std::string, std::string>; // attributes of a device: name and value

  // Names of attributes.
  static const char *const AverageBoardTemp;
  static const char *const AverageDieTemp;
  static const char *const BoardIpuIndex;
  static const char *const BoardSerialNumber;
  static const char *const BoardType;
  static const char *const BoardVariant;
  static const char *const Clock;
  static const char *const DriverVersion;
  static const char *const FirmwareVersion;
  static const char *const Id;
  static const char *const IpuArchitecture;
  static const char *const IpuErrorState;
  static const char *const IpuPower;
  static const char *const IpuUtilisation;
  static const char *const IpuUtilisationSession;
  static const char *const IpuofHost;
  static const char *const IpuofPartitionId;
  static const char *const IpuofRoutingType;
  static const char *const IpuofServerVersion;
  static const char *const PciId;
  static const char *const ProcessStartTime;
  static const char *const Target;
  static const char *const TotalBoardPower;
  static const char *const UserExecutable;
  static const char *const UserName;
  static const char *const UserProcessId;

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
  // JSON: an array with a record for each error that a program has met, oldest first. Ours: the
  // vendor's name for it is not public.
  std::string getEventRecords();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

#endif
