// SPDX-License-Identifier: MIT
#include "machine/Error.hpp"
#include "machine/Partition.hpp"
#include "machine/State.hpp"
#include "machine/TestMachine.hpp"

using namespace machine;

namespace {

struct Configuration : machine::testing::TestMachine {
  Domain domain(unsigned ipus = 4) {
    set("OPENIPU_NUM_IPUS", std::to_string(ipus));
    const auto state = stateOfEnvironment();
    return state.domain(state.partitions[0], 0);
  }
  std::string refusal(const std::string &from, const std::string &to) {
    auto text = configurationOf(domain());
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return failureOf([&] { parseConfiguration(text, "/x/demo.conf"); });
  }
};

const std::string remedy =
    ". Write the file again (vipu get partition NAME --gcd 0 --ipu-configs), or remove it.";

} // namespace

TEST_F(Configuration, IsReadAsItWasWritten) {
  for (unsigned ipus : {1u, 4u, 16u, 64u})
    EXPECT_EQ(parseConfiguration(configurationOf(domain(ipus)), "x"), domain(ipus));
  set("OPENIPU_IPU", "ipu1");
  EXPECT_EQ(parseConfiguration(configurationOf(domain()), "x"), domain());
  EXPECT_FALSE(domain().isFabric());
}

TEST_F(Configuration, ThatIsDamagedIsRefusedWithFileAndKeyAndRemedy) {
  EXPECT_EQ(refusal("\"ipuof\"", "\"../x\""),
            "\"/x/demo.conf\": \"partition\" must be a name, not \"../x\": letters, digits, '.', "
            "'-' and '_', at most 64 of them, and begins with a letter, digit or '_'" +
                remedy);
  EXPECT_EQ(refusal("\"gcd\": 0", "\"gcd\": 1"),
            "\"/x/demo.conf\": \"gcd\" must be a whole number from 0 to 0" + remedy);
  EXPECT_EQ(refusal("\"gcd\"", "\"gcds\""),
            "\"/x/demo.conf\": \"gcds\" stands there twice" + remedy);
  EXPECT_EQ(refusal("\"DNC\"", "\"ABC\""),
            "\"/x/demo.conf\": \"routing\" must be one of [DNC, SWNC, RINGSWNC, BTNC], not "
            "\"ABC\"" +
                remedy);
  EXPECT_EQ(refusal("\"ipu\": 1", "\"ipu\": 0"),
            "\"/x/demo.conf\": \"devices\" has IPU 0 twice" + remedy);
  EXPECT_EQ(refusal("\"serial\"", "\"serials\""),
            "\"/x/demo.conf\": \"devices[0].serials\" is no key of such a file; perhaps "
            "\"serial\" is meant" +
                remedy);
  EXPECT_EQ(refusal("}", ""), "\"/x/demo.conf\" is not JSON: it is damaged at byte 516" + remedy);
  EXPECT_EQ(refusal("\"gcd\": 0", "\"gcd\": 1e999"),
            "\"/x/demo.conf\" has a number that is out of range" + remedy);
}

TEST_F(Configuration, HasNoControlCharacters) { EXPECT_NE(refusal("127.0.1.1", "\\u001b[2J"), ""); }

TEST_F(Configuration, OfAFixedPartitionHasAPowerOfTwo) {
  auto three = domain(3);
  EXPECT_EQ(parseConfiguration(configurationOf(three), "x"), three);
  three.partition.reconfigurable = false;
  EXPECT_THROW(parseConfiguration(configurationOf(three), "x"), Error);
}
