# SPDX-License-Identifier: MIT
"""DataLoader's worker processes: the same batches in the same order, errors and deaths of workers said at once."""
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from paddle import io


class Squares(io.Dataset):
    def __init__(self, count=23, at=None, what=None):
        self.count, self.at, self.what = count, at, what

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if i == self.at:
            self.what()
        return np.full((40, 50), i * i, np.float32), i


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("workers", [1, 3])
def test_batches_are_those_without_workers(workers, shared):
    expected = list(io.DataLoader(Squares(), batch_size=4))
    loader = io.DataLoader(Squares(), batch_size=4, num_workers=workers, use_shared_memory=shared)
    for _ in range(2):
        found = list(loader)
        assert len(found) == len(expected) == len(loader)
        for (x, i), (y, j) in zip(found, expected):
            assert np.array_equal(x, y) and np.array_equal(i, j)
    found[0][0][...] = 1  # arrays are the user's to change


def test_shuffling_is_that_of_the_program():
    def order(workers):
        np.random.seed(5)
        return [i.tolist() for _, i in io.DataLoader(Squares(), batch_size=4, shuffle=True, num_workers=workers)]
    assert order(2) == order(0) != [list(range(k, k + 4)) for k in range(0, 23, 4)]


def test_workers_are_processes_with_numbers_of_their_own():
    seen = io.DataLoader([0] * 8, num_workers=2, collate_fn=lambda _: (
        os.getpid(), io.get_worker_info().id, io.get_worker_info().num_workers, float(np.random.rand())))
    pids, ids, counts, draws = zip(*seen)
    assert os.getpid() not in pids and len(set(pids)) == 2 and set(counts) == {2}
    assert ids == (0, 1) * 4 and len(set(draws)) == 8
    assert io.get_worker_info() is None


def test_workers_persist_where_asked_for():
    loader = io.DataLoader([0] * 8, num_workers=2, persistent_workers=True, collate_fn=lambda _: os.getpid())
    first = set(loader)
    for _ in loader:
        break  # an epoch that is left early
    assert len(first) == 2 and set(loader) == first and len(list(loader)) == 8
    other = io.DataLoader([0] * 8, num_workers=2, collate_fn=lambda _: os.getpid())
    assert not set(other) & set(other)


def test_what_workers_begin_with():
    def begin(number):
        os.environ["THIS_WORKER"] = str(number)
    loader = io.DataLoader([0] * 4, num_workers=2, worker_init_fn=begin, collate_fn=lambda _: os.environ["THIS_WORKER"])
    assert list(loader) == ["0", "1"] * 2


class Share(io.IterableDataset):
    def __iter__(self):
        info = io.get_worker_info()
        yield from range(10) if info is None else range(info.id, 10, info.num_workers)


@pytest.mark.parametrize("drop, count", [(True, 4), (False, 6)])
def test_iterables_are_shared_out_by_their_workers(drop, count):
    loader = io.DataLoader(Share(), batch_size=2, num_workers=2, drop_last=drop, persistent_workers=True)
    for _ in range(2):
        batches = [b.tolist() for b in loader]
        assert len(batches) == count and batches[:3] == [[0, 2], [1, 3], [4, 6]]


def wrong():
    raise KeyError("no such picture")


def refuse(number):
    raise ValueError("not now")


@pytest.mark.parametrize("at", [0, 22])
def test_errors_come_out_as_they_are(at):
    with pytest.raises(KeyError, match="(?s)In DataLoader worker.*no such picture"):
        list(io.DataLoader(Squares(23, at, wrong), batch_size=4, num_workers=2))
    with pytest.raises(ValueError, match="(?s)worker 0.*not now"):
        list(io.DataLoader(Squares(), num_workers=2, worker_init_fn=refuse))


@pytest.mark.parametrize("end, words", [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "worker 1 .*killed by SIGKILL"),
    (lambda: os._exit(7), "ended with code 7")])
def test_a_dead_worker_is_an_error(end, words):
    with pytest.raises(RuntimeError, match=words):
        list(io.DataLoader(Squares(23, 5, end), batch_size=4, num_workers=2))


def test_a_stuck_worker_is_an_error_after_the_timeout():
    with pytest.raises(RuntimeError, match="worker 1 .*timeout=3"):
        list(io.DataLoader(Squares(23, 5, lambda: signal.pause()), batch_size=4, num_workers=2, timeout=3))


@pytest.mark.parametrize("arguments", [{"num_workers": -1}, {"timeout": -1}, {"num_workers": 1.5}])
def test_numbers_that_cannot_be(arguments):
    with pytest.raises(ValueError, match="non-negative"):
        io.DataLoader([0], **arguments)


def test_workers_end_with_their_program(tmp_path):
    script = tmp_path / "left.py"
    script.write_text(textwrap.dedent("""
        import os, signal
        from paddle import io
        loader = iter(io.DataLoader([0] * 8, num_workers=2, collate_fn=lambda _: os.getpid()))
        print(next(loader), next(loader), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)"""))
    out = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)

    def runs(pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().split()[2] != "Z"
        except OSError:
            return False
    for pid in out.stdout.split():
        for _ in range(200):
            if not runs(pid):
                break
            signal.sigtimedwait([], 0.05)
        else:
            pytest.fail(f"worker {pid} is still there")


@pytest.mark.parametrize("count, shuffle", [(24, False), (23, True), (5, False)])
def test_processes_share_the_batches(count, shuffle):
    parts = []
    for rank in range(2):
        sampler = io.DistributedBatchSampler(Squares(count), 4, num_replicas=2, rank=rank, shuffle=shuffle)
        sampler.set_epoch(3)
        parts.append([i for batch in sampler for i in batch])
        assert len(list(sampler)) == len(sampler)
    assert len(parts[0]) == len(parts[1]) == -(-count // 2) and set(parts[0] + parts[1]) == set(range(count))
    assert shuffle or count < 24 or parts[1][:8] == [4, 5, 6, 7, 12, 13, 14, 15]
    with pytest.raises(ValueError, match="rank=2 is not among num_replicas=2"):
        io.DistributedBatchSampler(Squares(), 4, num_replicas=2, rank=2)


def test_samples_in_an_order_that_is_given():
    """One generator goes on from epoch to epoch."""
    order = iter([2, 0, 2, 1, 1])
    sampler = io.RandomSampler([7, 8, 9], num_samples=2, generator=order)
    assert [list(sampler) for _ in range(3)] == [[2, 0], [2, 1], [1]]
