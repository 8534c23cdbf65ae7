// SPDX-License-Identifier: MIT
#include "vipu/Serve.hpp"
#include "base/Text.hpp"
#include "machine/Attributes.hpp"
#include "machine/Error.hpp"
#include "Service.hpp"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/grpcpp.h>
#include <iostream>
#include <unistd.h>

namespace vipu {
namespace {

constexpr int largestMessage = 1 << 20; // a request is a few names

std::string hostName() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  return host;
}

// Signals that end it are blocked in all threads; this one waits for them.
sigset_t blockSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Whoever sends nonsense must not fill the log, and what goes wrong here is said in our own words.
// Who sets GRPC_VERBOSITY gets gRPC's too.
void quietLibraries() {
  google::protobuf::SetLogHandler(nullptr);
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
}

void serveUntilSignal(Store &store, bool secure, const std::string &address, unsigned port) {
  const auto signals = blockSignals();
  quietLibraries();
  Service service(store, secure, base::str(hostName(), ":", port));
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort(base::str(address, ":", port), grpc::InsecureServerCredentials(),
                           &bound);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(largestMessage);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  if (!server || bound == 0)
    throw machine::Error(base::str("The address ", address, ":", port,
                                   " cannot be listened on: is another controller running? --port "
                                   "and --address give others."));
  std::cout << "vipu-server " << machine::softwareVersion() << " listens on " << address << ":"
            << bound << (secure ? ", secure" : "") << std::endl;
  int signal = 0;
  ::sigwait(&signals, &signal);
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
}

} // namespace

int serve(int argc, char **argv) {
  CLI::App app("A controller of simulated IPU machines: vipu, vipu-admin and programs ask it for "
               "partitions.",
               "vipu-server");
  std::string address = "127.0.0.1", file, admin;
  unsigned port = 8090;
  bool secure = false;
  app.add_option("--address", address,
                 "where to listen; 127.0.0.1, this machine alone, unless it is given");
  app.add_option("--port", port, "the port (8090); 0: any free one")->check(CLI::Range(0, 65535));
  app.add_option("--state", file,
                 "the SQLite file with its state; in the runtime folder unless it is given");
  app.add_flag("--secure", secure, "everybody gives a user id and an access key");
  app.add_option("--create-admin", admin, "make this operator, print their access key, and end");
  app.set_version_flag("--version", machine::softwareVersion());
  try {
    app.parse(argc, argv);
    Store store(file.empty() ? defaultStore() : file);
    if (!admin.empty())
      std::cout << store.addUser({admin, true}) << '\n';
    else
      serveUntilSignal(store, secure, address, port);
    return 0;
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) // help, or the version
      return app.exit(e);
    std::cerr << "vipu-server: " << e.what() << "\nRun with --help for more information.\n";
    return 2;
  } catch (const std::exception &e) {
    std::cerr << "vipu-server: " << e.what() << '\n';
    return 1;
  }
}

} // namespace vipu
