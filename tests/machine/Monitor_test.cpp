// SPDX-License-Identifier: MIT
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "Tools.hpp"
#include <arpa/inet.h>
#include <csignal>
#include <sys/socket.h>

using namespace tools;

namespace {

struct Monitor : Tools {
  // Lines without the cells that differ from run to run.
  static std::vector<std::string> linesOf(const std::string &text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      all.push_back(line);
    return all;
  }
};

// What a server on the loopback answers.
base::Descriptor connected(unsigned port) {
  base::Descriptor client(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool done =
      ::connect(client.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  return done ? std::move(client) : base::Descriptor();
}
std::string ask(unsigned port, const std::string &request) {
  const auto client = connected(port);
  std::string answer;
  if (client && ::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) > 0)
    base::readAll(client.get(), answer);
  return answer;
}

} // namespace

TEST_F(Monitor, DrawsTheFrameOfAnIdlePartition) {
  EXPECT_EQ(output("gc-monitor"), "+---------------+-----------------------------------------------"
                                  "---------------------------------+\n"
                                  "|  gc-monitor   |              Partition: ipuof [active] has 4 "
                                  "reconfigurable IPUs               |\n"
                                  "+-------------+--------------------+--------+--------------+----"
                                  "------+------+----+------+-------+\n"
                                  "|    IPU-M    |       Serial       |IPU-M SW|Server version|  "
                                  "ICU FW  | Type | ID | IPU# |Routing|\n"
                                  "+-------------+--------------------+--------+--------------+----"
                                  "------+------+----+------+-------+\n"
                                  "|  127.0.1.1  | 0000.0002.0000001  | 0.2.0  |    0.2.0     |  "
                                  "0.2.0   |M2000 | 0  |  3   |  DNC  |\n"
                                  "|  127.0.1.1  | 0000.0002.0000001  | 0.2.0  |    0.2.0     |  "
                                  "0.2.0   |M2000 | 1  |  2   |  DNC  |\n"
                                  "|  127.0.1.1  | 0000.0001.0000001  | 0.2.0  |    0.2.0     |  "
                                  "0.2.0   |M2000 | 2  |  1   |  DNC  |\n"
                                  "|  127.0.1.1  | 0000.0001.0000001  | 0.2.0  |    0.2.0     |  "
                                  "0.2.0   |M2000 | 3  |  0   |  DNC  |\n"
                                  "+-------------+--------------------+--------+--------------+----"
                                  "------+------+----+------+-------+\n"
                                  "+---------------------------------------------------------------"
                                  "-----------------------------------+\n"
                                  "|                             No attached processes in "
                                  "partition ipuof                             |\n"
                                  "+---------------------------------------------------------------"
                                  "-----------------------------------+\n");
  EXPECT_EQ(linesOf(output("gc-monitor --no-card-info")).size(), 3u);
}

TEST_F(Monitor, NamesBowInTheSixCharactersThereAre) {
  set("OPENIPU_IPU", "bow");
  EXPECT_TRUE(has(output("gc-monitor"), "| BOW  | 0  |  3   |  DNC  |\n"));
  EXPECT_TRUE(has(output("gc-info"), "  board type: BOW-2000\n"));
}

TEST_F(Monitor, SeparatesIpuMachines) {
  set("OPENIPU_NUM_IPUS", "8");
  const auto lines = linesOf(output("gc-monitor"));
  ASSERT_GT(lines.size(), 14u);
  EXPECT_EQ(lines[9].substr(0, 15), "+-------------+");
  EXPECT_EQ(lines[14].substr(0, 15), "+-------------+");
}

TEST_F(Monitor, NamesProcessesAndSensorsOfThoseThatAskForThem) {
  machine::Lease quiet({2});
  ASSERT_TRUE(quiet.acquire());
  set("GCDA_MONITOR", "1");
  machine::Lease lease({0, 1}, 4);
  ASSERT_TRUE(lease.acquire());
  const auto lines = linesOf(output("gc-monitor --no-card-info"));
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[0],
            "+------------------------------------------------------------------------+---"
            "---------------------+-----------------+");
  EXPECT_EQ(lines[1],
            "|                 Attached processes in partition ipuof                  |   "
            "       IPU           |      Board      |");
  EXPECT_EQ(lines[2],
            "+--------+-----------------------------------------+--------+------------+---"
            "-+----------+--------+--------+--------+");
  EXPECT_EQ(lines[3],
            "|  PID   |                 Command                 |  Time  |    User    | ID "
            "|  Clock   |  Temp  |  Temp  | Power  |");
  for (const unsigned row : {5, 6, 7}) {
    EXPECT_TRUE(has(lines[row], std::to_string(::getpid()))) << lines[row];
    EXPECT_TRUE(has(lines[row], " gc_tools_test ")) << lines[row];
    EXPECT_EQ(lines[row].size(), lines[0].size());
  }
  EXPECT_TRUE(has(lines[5], "| 0  | 1330MHz  | 34.0 C | 26.8 C | 96.0 W |")) << lines[5];
  EXPECT_TRUE(has(lines[6], "| 1  | 1330MHz  | 34.0 C |        |        |")) << lines[6];
  EXPECT_TRUE(has(lines[7], "| 2  |          |        |        |        |")) << lines[7];
}

TEST_F(Monitor, TellsWhatProgramsUse) {
  machine::Lease lease({3});
  ASSERT_TRUE(lease.acquire());
  lease.usage().beginRun();
  lease.usage().endRun(0.25);
  const auto text = output("gc-monitor --no-card-info --usage");
  EXPECT_TRUE(has(text, "Use of partition ipuof (simulated)"));
  EXPECT_TRUE(has(text, "  0.250000 s   ")) << text;
  const auto cards = json("gc-monitor -j")["cards"];
  ASSERT_EQ(cards.size(), 1u);
  ASSERT_EQ(cards[0]["ipus"].size(), 4u);
  EXPECT_EQ(cards[0]["ipus"][3]["PID"], std::to_string(::getpid()));
  EXPECT_EQ(cards[0]["ipus"][2].count("PID"), 0u);
  EXPECT_EQ(cards[0]["ipus"][3]["ipu power"], "N/A");
}

TEST_F(Monitor, ServesPrometheusOnTheLoopback) {
  machine::Lease lease({1});
  ASSERT_TRUE(lease.acquire());
  int out[2];
  ASSERT_EQ(::pipe(out), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(out[1], 1);
    ::execl(TOOLS "gc-monitor", "gc-monitor", "--exporter", "0", nullptr);
    ::_exit(1);
  }
  ::close(out[1]);
  FILE *pipe = ::fdopen(out[0], "r");
  unsigned port = 0;
  ASSERT_EQ(std::fscanf(pipe, "serving http://127.0.0.1:%u/metrics", &port), 1);
  const std::string own = " HTTP/1.0\r\nHost: localhost:2112\r\n\r\n";
  const auto silent = connected(port); // delays nobody
  const auto answer = ask(port, "GET /metrics" + own);
  EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_TRUE(has(answer, "\nexporter_ticks 1\n")) << answer;
  EXPECT_TRUE(has(answer, "\nipu_attached{partition=\"ipuof\",ipu=\"1\",host=\"127.0.1.1\","
                          "serial=\"0000.0002.0000001\",board_ipu_index=\"2\"} 1\n"));
  EXPECT_TRUE(has(answer, "\nopenipu_power_watts{partition=\"ipuof\",ipu=\"0\""));
  EXPECT_EQ(ask(port, "GET /secrets" + own).substr(0, 12), "HTTP/1.1 404");
  EXPECT_EQ(ask(port, "POST /metrics" + own).substr(0, 12), "HTTP/1.1 405");
  EXPECT_EQ(ask(port, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").substr(0, 12),
            "HTTP/1.1 403");
  ask(port, std::string(100000, 'x')); // whatever comes of it
  EXPECT_TRUE(has(ask(port, "GET /" + own), "exporter_ticks 2"));
  ::kill(process, SIGTERM);
  ::waitpid(process, nullptr, 0);
  std::fclose(pipe);
}
