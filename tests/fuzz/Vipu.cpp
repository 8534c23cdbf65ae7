// SPDX-License-Identifier: MIT
// Requests to a controller, as they come over gRPC: a byte that chooses the mode, then calls, each
// a byte for the method, two for the length, and the message. Whatever comes, the controller
// answers with a status that is not INTERNAL, its record can be written and read, and who has no
// key changes nothing.
#include "Fuzz.hpp"
#include "Messages.hpp"
#include "Service.hpp"
#include <cstdlib>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/test/server_context_test_spouse.h>
#include <stdexcept>

namespace {

using namespace vipu;

// IPUs that somebody holds are looked up in the runtime folder: an empty one.
void prepare() {
  static const bool done = [] {
    char folder[] = "/tmp/fuzz-vipu-XXXXXX";
    ::setenv("OPENIPU_RUNTIME_DIR", ::mkdtemp(folder), 1);
    ::setenv("OPENIPU_NUM_IPUS", "8", 1);
    google::protobuf::SetLogHandler(nullptr); // what is no UTF-8 is refused, without a line each
    return true;
  }();
  static_cast<void>(done);
}

class Bytes {
public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }
  unsigned byte() {
    const auto value = empty() ? 0u : unsigned(static_cast<unsigned char>(left_[0]));
    left_.remove_prefix(empty() ? 0 : 1);
    return value;
  }
  std::string_view block() {
    const std::size_t size = byte() * 256 + byte();
    const auto taken = left_.substr(0, size);
    left_.remove_prefix(taken.size());
    return taken;
  }

private:
  std::string_view left_;
};

class Calls {
public:
  Calls(Service &service, grpc::ServerContext &context) : service_(service), context_(context) {}

  // True if the message is one and the controller did what it asks.
  bool call(unsigned method, std::string_view bytes) {
    switch (method % 15) {
    case 0:
      return with(&Service::CreateAgent, bytes);
    case 1:
      return with(&Service::RemoveAgent, bytes);
    case 2:
      return with(&Service::CreateCluster, bytes);
    case 3:
      return with(&Service::RemoveCluster, bytes);
    case 4:
      return with(&Service::CreateAllocation, bytes);
    case 5:
      return with(&Service::RemoveAllocation, bytes);
    case 6:
      return with(&Service::CreatePartition, bytes);
    case 7:
      return with(&Service::ResetPartition, bytes);
    case 8:
      return with(&Service::RemovePartition, bytes);
    case 9:
      return with(&Service::GetPartitionIpuofConfig, bytes);
    case 10:
      return with(&Service::CreateUser, bytes);
    case 11:
      return with(&Service::RemoveUser, bytes);
    case 12:
      return with(&Service::ListUsers, bytes);
    case 13:
      return with(&Service::GetState, bytes);
    default:
      return with(&Service::GetVersion, bytes);
    }
  }
  unsigned done() const {
    return done_;
  } // calls that needed no more than to be asked are not these

private:
  template <class Request, class Reply>
  bool with(grpc::Status (Service::*method)(grpc::ServerContext *, const Request *, Reply *),
            std::string_view bytes) {
    Request request;
    Reply reply;
    if (!request.ParseFromArray(bytes.data(), int(bytes.size())))
      return false;
    const auto status = (service_.*method)(&context_, &request, &reply);
    if (status.error_code() == grpc::StatusCode::INTERNAL)
      throw std::logic_error(status.error_message());
    if (status.error_message().size() > 4096) // more does not fit into the header of an answer
      throw std::logic_error("an answer of " + std::to_string(status.error_message().size()));
    done_ += status.ok() && !std::is_same_v<Reply, api::VersionReply>;
    return status.ok();
  }
  Service &service_;
  grpc::ServerContext &context_;
  unsigned done_ = 0;
};

void checkRecord(Store &store) {
  const auto state = store.state();
  if (machine::parseState(machine::textOf(state), "again") != state)
    throw std::logic_error("the record changes when it is written and read");
  for (const auto &stored : state.partitions)
    machine::parseConfiguration(machine::configurationOf(state.domain(stored, 0)), "configuration");
}

template <class Message> std::string call(unsigned method, const Message &message) {
  const auto bytes = message.SerializeAsString();
  return std::string{char(method), char(bytes.size() / 256), char(bytes.size() % 256)} + bytes;
}
api::Name named(const char *id) {
  api::Name name;
  name.set_id(id);
  return name;
}
template <class Request> auto with(Request request) { return toMessage(request); }

} // namespace

bool fuzz::accepts(std::string_view input) {
  prepare();
  Store store(":memory:");
  Bytes bytes(input);
  const bool secure = bytes.byte() & 1;
  Service service(store, secure, "fuzz:8090");
  grpc::ServerContext context;
  grpc::testing::ServerContextTestSpouse inside(&context);
  if (secure) {
    inside.AddClientMetadata("vipu-user-id", std::string(bytes.block()));
    inside.AddClientMetadata("vipu-access-key", std::string(bytes.block()));
  }
  const auto before = store.state();
  Calls calls(service, context);
  bool good = true;
  for (unsigned i = 0; i < 32 && !bytes.empty(); ++i) {
    const auto method = bytes.byte();
    good &= calls.call(method, bytes.block());
  }
  if (secure && (calls.done() || store.state() != before))
    throw std::logic_error("somebody without a key changed the record");
  checkRecord(store);
  return good;
}

std::vector<std::string> fuzz::validInputs() {
  const auto agents = call(0, with(AgentRequest{"ag03", "10.9.0.3", "M2000"})) +
                      call(0, with(AgentRequest{"ag04", "10.9.0.4", "BOW-2000"}));
  const auto cluster = call(2, with(ClusterRequest{"c1", {"ag01", "ag02"}, 1, "looped"})) +
                       call(4, with(AllocationRequest{"a1", "c1", {"ag02"}}));
  PartitionRequest partition;
  partition.name = "demo";
  partition.size = 4;
  partition.allocation = "a1";
  auto fixed = partition;
  fixed.name = "fixed";
  fixed.allocation = "";
  fixed.index = 0;
  fixed.gcds = 2;
  fixed.gatewayRouting = "ring";
  api::Name second = named("fixed");
  second.set_gcd_id(1);
  const auto made = call(6, with(partition)) + call(6, with(fixed)) + call(9, second);
  const auto undone = call(7, named("demo")) + call(8, named("demo")) + call(5, named("a1")) +
                      call(3, named("c1")) + call(13, api::Empty());
  api::UserSpec user;
  user.set_id("alice");
  user.set_admin(true);
  const std::string open(1, '\0');
  return {open + agents + call(1, named("ag04")), open + cluster + made + undone,
          open + call(10, user) + call(12, api::Empty()) + call(11, named("alice")),
          std::string("\1\0\4root\0\3key", 12) + call(14, api::Empty())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
