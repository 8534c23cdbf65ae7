#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install_rdma.sh: nothing to do. IPUs on a fabric are reached by RDMA; simulated ones are files on this machine.
set -euo pipefail
echo "Simulated IPUs need no RDMA: gc-monitor and programs reach them through files. Nothing was installed."
