// SPDX-License-Identifier: MIT
// The controller's record: a change is there as a whole or not at all.
#include "base/testing/OtherUser.hpp"
#include "machine/State.hpp"
#include "Store.hpp"
#include "Sweep.hpp"

using namespace base::testing;

namespace {

void addAgent(vipu::Store &store, const std::string &name) {
  store.change([&](machine::State &state) {
    if (std::none_of(state.boxes.begin(), state.boxes.end(),
                     [&](const auto &box) { return box.agent == name; }))
      vipu::createAgent(state, {name, "10.1.0.9", "M2000"});
  });
}
void begin(vipu::Store &store) {
  store.change([](machine::State &state) {
    state = {};
    vipu::createAgent(state, {"first", "10.1.0.1", "M2000"});
  });
}
std::string recordIn(const std::string &file) { return machine::textOf(vipu::Store(file).state()); }
void removeFiles(const std::string &file) {
  for (const char *ending : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(file + ending);
}

struct FaultsInController : ::testing::Test {
  FaultsInController() { ::setenv("OPENIPU_RUNTIME_DIR", scratch.folder("runtime").c_str(), 1); }
  ~FaultsInController() override { ::unsetenv("OPENIPU_RUNTIME_DIR"); }
  const Scratch scratch;
  const std::string file = scratch.file("state.sqlite");
};

} // namespace

TEST_F(FaultsInController, AChangeIsMadeOrNot) {
  faults::Subject subject;
  std::string before;
  subject.prepare = [&] {
    removeFiles(file);
    vipu::Store store(file);
    begin(store);
    before = machine::textOf(store.state());
  };
  subject.act = [&] {
    vipu::Store store(file);
    addAgent(store, "second");
    return machine::textOf(store.state());
  };
  subject.afterFailure = [&] {
    const auto now = recordIn(file);
    EXPECT_TRUE(now == before || now.find("second") != std::string::npos) << now;
  };
  faults::survives(subject, 40);
}

TEST_F(FaultsInController, AServerGoesOnAfterAFailedChange) {
  vipu::Store store(file);
  begin(store);
  faults::Subject subject;
  subject.prepare = [&] {
    store.change([](machine::State &state) { vipu::removeAgent(state, "second"); });
  };
  subject.act = [&] {
    addAgent(store, "second");
    return machine::textOf(store.state());
  };
  addAgent(store, "second");
  faults::survives(subject, 40);
}

TEST_F(FaultsInController, UsersAreAddedOrNot) {
  vipu::Store store(file);
  faults::Subject subject;
  std::string key;
  subject.act = [&] {
    if (store.users().empty())
      key = store.addUser({"ada", true});
    return store.userWith("ada", key) ? "known" : "unknown";
  };
  subject.prepare = [&] {
    if (!store.users().empty())
      store.removeUser("ada");
  };
  faults::survives(subject, 20);
}
