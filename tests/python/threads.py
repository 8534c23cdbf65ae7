# SPDX-License-Identifier: MIT
"""What tests of several threads share."""
import threading


def together(*works):
    """Runs them at the same time; the first exception, if any, is raised here."""
    failures = []

    def guarded(work):
        try:
            work()
        except BaseException as e:
            failures.append(e)
    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "a thread waits for ever"
    if failures:
        raise failures[0]
