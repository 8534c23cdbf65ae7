// SPDX-License-Identifier: MIT
#include "vipu/Commands.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "machine/Attributes.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include "vipu/Connect.hpp"
#include "vipu/Show.hpp"
#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <iostream>

namespace vipu {
namespace {

// One run of the command: what was given, and what is to be done.
class Line {
public:
  explicit Line(Role role);
  int run(int argc, char **argv);

private:
  CLI::App *word(const char *name, const char *text);
  CLI::App *thing(CLI::App *word, const char *name, const char *text, bool named = true);
  void createThings(CLI::App *create);
  void listThings(CLI::App *list);
  void getThings(CLI::App *get);
  void removeThings(CLI::App *remove);
  // Does it when it was chosen, and says so: "create partition (demo): success."
  void changes(CLI::App *what, const std::string &verb, const std::string &kind,
               std::function<void(Controller &)> act);
  void shows(CLI::App *what, std::function<Table(const machine::State &)> table);
  void showsOne(CLI::App *what, const std::string &kind,
                std::function<Table(const machine::State &)> table);
  void showPartition();
  void showAgent();
  void discover();
  Controller &controller();

  Role role_;
  CLI::App app_;
  Connection connection_;
  std::unique_ptr<Controller> controller_;
  Format format() const { return json_ ? Format::Json : Format::Text; }

  std::string name_, agents_;
  bool json_ = false, version_ = false, force_ = false, admin_ = false, configurations_ = false;
  unsigned gcd_ = 0;
  AgentRequest agent_;
  ClusterRequest cluster_;
  AllocationRequest allocation_;
  PartitionRequest partition_;
};

std::vector<std::string> listOf(const std::string &text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');)
    if (!part.empty())
      out.push_back(part);
  return out;
}

Line::Line(Role role)
    : role_(role),
      app_(role == Role::Admin ? "Sets up simulated IPU machines: agents, clusters, "
                                 "allocations, users and partitions."
                               : "Partitions of simulated IPUs: create, look at, reset "
                                 "and remove them.") {
  app_.name(role == Role::Admin ? "vipu-admin" : "vipu");
  connection_.addOptions(app_);
  app_.add_flag("-j,--json", json_, "print JSON");
  app_.add_flag("--server-version", version_, "print the controller's version and host");
  app_.set_version_flag("--version", machine::softwareVersion());
  app_.require_subcommand(0, 1);
  app_.fallthrough();
  createThings(word("create", "make something"));
  listThings(word("list", "show all of a kind"));
  getThings(word("get", "show one thing"));
  auto *reset = word("reset", "start again");
  changes(thing(reset, "partition", "reset the IPUs of a partition"), "reset", "partition",
          [this](Controller &c) { c.resetPartition(name_); });
  removeThings(word("remove", "remove something"));
  if (role_ == Role::Admin) {
    auto *agents = thing(word("discover", "look for IPU machines"), "agent",
                         "boxes that could be agents", false);
    agents->callback([this] { discover(); });
  }
}

CLI::App *Line::word(const char *name, const char *text) {
  auto *out = app_.add_subcommand(name, text);
  out->require_subcommand(1, 1);
  out->fallthrough();
  return out;
}

CLI::App *Line::thing(CLI::App *word, const char *name, const char *text, bool named) {
  auto *out = word->add_subcommand(name, text);
  out->fallthrough();
  if (named)
    out->add_option("NAME", name_, "its name")->required();
  return out;
}

void Line::changes(CLI::App *what, const std::string &verb, const std::string &kind,
                   std::function<void(Controller &)> act) {
  what->callback([=, this] {
    try {
      act(controller());
    } catch (const machine::Error &e) {
      throw machine::Error(base::str(verb, " ", kind, " (", name_, "): failed: ", e.what()));
    }
    std::cout << verb << ' ' << kind << " (" << name_ << "): success.\n";
  });
}

void Line::createThings(CLI::App *create) {
  auto *made = thing(create, "partition", "set IPUs aside under a name");
  made->add_option("--size", partition_.size, "number of IPUs, a power of two")->required();
  made->add_flag("--reconfigurable", partition_.reconfigurable,
                 "single IPUs and groups of them can be attached; otherwise all of a GCD at once");
  made->add_option("--num-gcds,--gcds", partition_.gcds, "graph compile domains, one a process");
  made->add_option("--gcd-sync-replicas", partition_.gcdSyncReplicas, "replicas that share syncs");
  made->add_option("--gw-routing", partition_.gatewayRouting, "default or ring");
  made->add_option("--sync-type", partition_.syncType, "c2-compatible or pod-native-default");
  made->add_option("--cluster", partition_.cluster, "in this cluster");
  made->add_option("--allocation", partition_.allocation, "in this allocation");
  made->add_option("--index", partition_.index, "the place among those of its size, from 0");
  changes(made, "create", "partition", [this](Controller &c) {
    partition_.name = name_;
    c.createPartition(partition_);
  });
  if (role_ != Role::Admin)
    return;
  auto *agent = thing(create, "agent", "an IPU machine and its agent");
  agent->add_option("--host", agent_.host, "its address");
  agent->add_option("--port", connection_.agentPort,
                    "the agent's port; simulated ones listen nowhere");
  agent->add_option("--kind", agent_.kind, "M2000, BOW-2000, C2 or C600");
  changes(agent, "create", "agent", [this](Controller &c) {
    agent_.name = name_;
    c.createAgent(agent_);
  });
  auto *cluster = thing(create, "cluster", "agents that are wired together");
  cluster->add_option("--agents", agents_, "names, with commas between them")->required();
  cluster->add_option("--num-ipulinkdomains", cluster_.linkDomains, "racks joined by GW-Links");
  cluster->add_option("--cluster-topology", cluster_.topology, "mesh or looped");
  changes(cluster, "create", "cluster", [this](Controller &c) {
    cluster_.name = name_;
    cluster_.agents = listOf(agents_);
    c.createCluster(cluster_);
  });
  auto *allocation = thing(create, "allocation", "agents of a cluster for some users");
  allocation->add_option("--cluster", allocation_.cluster, "the cluster")->required();
  allocation->add_option("--agents", agents_, "names, with commas between them; all without it");
  changes(allocation, "create", "allocation", [this](Controller &c) {
    allocation_.name = name_;
    allocation_.agents = listOf(agents_);
    c.createAllocation(allocation_);
  });
  auto *user = thing(create, "user", "somebody who may use a controller in secure mode");
  user->add_flag("--admin", admin_, "may do all that vipu-admin does");
  user->callback([this] {
    const auto key = controller().createUser({name_, admin_});
    std::cout << "create user (" << name_ << "): success. Access key: " << key
              << "\nIt is shown once. For the configuration file ~/.vipu.hcl:\n\napi-user-id = \""
              << name_ << "\"\napi-access-key = \"" << key << "\"\n";
  });
}

void Line::shows(CLI::App *what, std::function<Table(const machine::State &)> table) {
  what->callback([=, this] { print(std::cout, table(controller().state()), format()); });
}

void Line::listThings(CLI::App *list) {
  auto *partitions = thing(list, "partitions", "all partitions", false);
  partitions->alias("partition");
  shows(partitions, partitionTable);
  auto *allocations = thing(list, "allocations", "all allocations", false);
  allocations->alias("allocation");
  shows(allocations, allocationTable);
  shows(thing(list, "ipu-attrs", "the attributes of all IPUs", false), attributeTable);
  if (role_ != Role::Admin)
    return;
  auto *agents = thing(list, "agents", "all agents", false);
  agents->alias("agent");
  shows(agents, agentTable);
  auto *clusters = thing(list, "clusters", "all clusters", false);
  clusters->alias("cluster");
  shows(clusters, clusterTable);
  auto *users = thing(list, "users", "all users of the controller", false);
  users->alias("user");
  users->callback([this] { print(std::cout, userTable(controller().users()), format()); });
}

void Line::showsOne(CLI::App *what, const std::string &kind,
                    std::function<Table(const machine::State &)> table) {
  what->callback([=, this] {
    const auto found = only(table(controller().state()), name_);
    if (found.rows.empty())
      throw machine::Error(base::str("There is no ", kind, " ", name_, ". `list ", kind,
                                     "s` shows those there are."));
    printOne(std::cout, found, format());
  });
}

void Line::getThings(CLI::App *get) {
  auto *partition = thing(get, "partition", "one partition, or its configuration for programs");
  partition->add_option("--gcd", gcd_, "of this graph compile domain (0)");
  partition->add_flag(
      "--ipu-configs,--ipuof-configs", configurations_,
      "print the configuration file: programs find it in ~/.ipuof.conf.d, or by IPUOF_CONFIG_PATH");
  partition->callback([this] { showPartition(); });
  if (role_ != Role::Admin)
    return;
  thing(get, "agent", "one agent and its IPUs")->callback([this] { showAgent(); });
  showsOne(thing(get, "cluster", "one cluster"), "cluster", clusterTable);
  showsOne(thing(get, "allocation", "one allocation"), "allocation", allocationTable);
}

void Line::showPartition() {
  if (configurations_) {
    std::cout << controller().configuration(name_, gcd_);
    return;
  }
  const auto state = controller().state();
  const auto &stored = vipu::partition(state, name_);
  auto table = only(partitionTable(state), name_);
  table.titles.insert(table.titles.end(), {"Reconfigurable", "Sync type", "First IPU", "Chip"});
  const auto &p = stored.partition;
  table.rows.front().insert(
      table.rows.front().end(),
      {p.reconfigurable ? "true" : "false", p.syncType, std::to_string(stored.firstIpu), p.chip});
  printOne(std::cout, table, format());
}

void Line::showAgent() {
  const auto state = controller().state();
  const auto &box = vipu::agent(state, name_);
  printOne(std::cout, agentDetails(box), format());
  if (format() == Format::Text)
    print(std::cout << '\n', ipuTable(box), format());
}

void Line::removeThings(CLI::App *remove) {
  auto *partition = thing(remove, "partition", "give its IPUs back");
  partition->add_flag("--force", force_, "although a program uses it");
  changes(partition, "remove", "partition",
          [this](Controller &c) { c.removePartition(name_, force_); });
  if (role_ != Role::Admin)
    return;
  changes(thing(remove, "agent", "take a machine away"), "remove", "agent",
          [this](Controller &c) { c.removeAgent(name_); });
  changes(thing(remove, "cluster", "undo a cluster"), "remove", "cluster",
          [this](Controller &c) { c.removeCluster(name_); });
  changes(thing(remove, "allocation", "undo an allocation"), "remove", "allocation",
          [this](Controller &c) { c.removeAllocation(name_); });
  changes(thing(remove, "user", "somebody may no longer use the controller"), "remove", "user",
          [this](Controller &c) { c.removeUser(name_); });
}

// Simulated machines do not announce themselves: those that the environment describes are known.
void Line::discover() {
  Table out{{"Host", "Port", "Network Interface", "Time Since Last Seen", "Agent Auto-Add ID"}, {}};
  for (const auto &box : controller().state().boxes)
    if (!box.host.empty())
      out.rows.push_back({box.host, "8080", "lo", "0s", box.agent});
  print(std::cout, out, format());
}

Controller &Line::controller() {
  if (!controller_)
    controller_ = connection_.connect();
  return *controller_;
}

int Line::run(int argc, char **argv) {
  try {
    app_.parse(argc, argv);
    if (version_) {
      const auto found = controller().version();
      std::cout << "version: " << found.version << "\nhost: " << found.host << '\n';
    } else if (app_.get_subcommands().empty()) {
      std::cerr << app_.help();
      return 2;
    }
    std::cout.flush();
    if (!std::cout)
      throw machine::Error("What was asked for could not be written: is the disk full?");
    return 0;
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) // help, or the version
      return app_.exit(e);
    std::cerr << app_.get_name() << ": " << e.what() << "\nRun with --help for more information.\n";
    return 2;
  } catch (const std::exception &e) {
    std::cerr << app_.get_name() << ": " << e.what() << '\n';
    return 1;
  }
}

} // namespace

int run(Role role, int argc, char **argv) { return Line(role).run(argc, argv); }

} // namespace vipu
