// SPDX-License-Identifier: MIT
#include "Tools.hpp"

using namespace tools;

TEST_F(Tools, GcDockerEchoesTheCommandThatItWouldRun) {
  const auto runtime = scratch.file("runtime");
  const auto line = output("gc-docker --echo -- -it --rm image sh -c 'echo hi'");
  EXPECT_EQ(line.substr(0, 11), "docker run ");
  EXPECT_TRUE(has(line, " --network=host --ipc=host --ulimit memlock=-1:-1 --cap-add=IPC_LOCK "));
  EXPECT_TRUE(has(line, " -v " + runtime + ":" + runtime + " -e OPENIPU_RUNTIME_DIR=" + runtime));
  EXPECT_TRUE(has(line, " -e OPENIPU_NUM_IPUS=4 "));
  EXPECT_TRUE(has(line, " -it --rm image sh -c 'echo hi'\n")) << line;
  EXPECT_EQ(output("gc-podman --echo -- image").substr(0, 11), "podman run ");
}

TEST_F(Tools, GcDockerSaysWhatIsMissing) {
  EXPECT_TRUE(has(run("gc-docker --echo").out, "there is nothing to run"));
  EXPECT_EQ(run("gc-docker -d 9 --echo -- image").status, 1);
  const std::string path = ::getenv("PATH");
  set("PATH", scratch.folder("empty"));
  const auto result = run("gc-docker -- image");
  set("PATH", path);
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(has(result.out, "docker cannot be started: No such file or directory. Install it, or "
                              "let --echo print the command."));
}
