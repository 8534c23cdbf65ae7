# SPDX-License-Identifier: MIT
"""A peer of a bench in a process of its own, which is asked line by line: the protocol of models_peer.py and
onnxruntime_peer.mjs."""
import subprocess


class Peer:
    def __init__(self, command):
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            raise OSError(f"The peer does not run: {' '.join(map(str, command))}")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def values(self):
        return [float(v) for v in self.ask("values")]

    def seconds(self, threads, calls):
        self.ask(f"threads {threads}")
        return float(self.ask(f"time {calls}")[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()
