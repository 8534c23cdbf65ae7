# SPDX-License-Identifier: MIT
"""The time that scripts of the bench measure: seconds, or with OPENIPU_BENCH_CLOCK=processor those of the processor, on
one thread: on a machine that others load too, only such times can be compared."""
import os
import time

PROCESSOR = os.environ.get("OPENIPU_BENCH_CLOCK") == "processor"
if PROCESSOR:
    os.environ.setdefault("OPENIPU_NUM_THREADS", "1")
now = time.process_time if PROCESSOR else time.perf_counter
THREADS = [1] if PROCESSOR or (os.cpu_count() or 1) == 1 else [1, 2]  # of peers
