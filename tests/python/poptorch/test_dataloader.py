# SPDX-License-Identifier: MIT
"""DataLoader and AsynchronousDataAccessor against PyTorch's loader on the same data."""
import collections
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import poptorch
import pytest
import torch
from poptorch import AsynchronousDataAccessor, DataLoaderMode, SharingStrategy

Named = collections.namedtuple("Named", "rows label")
Fork = {"sharing_strategy": SharingStrategy.Fork}  # quick to start


class Numbers(torch.utils.data.Dataset):
    """Element i is a row of i, and i."""

    def __init__(self, size, fail_at=None, kill_at=None):
        self.size, self.fail_at, self.kill_at = size, fail_at, kill_at

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        if i == self.fail_at:
            raise KeyError("no such number")
        if i == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return torch.full((3,), float(i)), i


class Stream(torch.utils.data.IterableDataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return (torch.tensor([i]) for i in range(*((info.id, self.size, info.num_workers) if info else (self.size,))))


def options(D=1, A=1, R=1):
    out = poptorch.Options().deviceIterations(D).replicationFactor(R)
    out.Training.gradientAccumulation(A)
    return out


def labels(loader):
    return [batch[1].tolist() for batch in loader]


def expected(size, batch):
    return [list(range(first, first + batch)) for first in range(0, size - batch + 1, batch)]


# ---- batches

@pytest.mark.parametrize("mode", list(DataLoaderMode))
@pytest.mark.parametrize("batch, given", [(16, {}), (8, {"D": 5}), (2, {"D": 2, "A": 3, "R": 2})])
def test_batches_have_the_rows_of_a_call(batch, given, mode):
    more = {"async_options": Fork} if mode else {}
    loader = poptorch.DataLoader(options(**given), Numbers(100), batch_size=batch, mode=mode, **more)
    combined = batch * options(**given).device_iterations * given.get("A", 1) * given.get("R", 1)
    assert loader.combinedBatchSize == combined and len(loader) == 100 // combined
    for _ in range(2):
        assert labels(loader) == expected(100, combined)
    loader.terminate()


@pytest.mark.parametrize("mode", [DataLoaderMode.Sync, DataLoaderMode.Async])
def test_workers_and_shuffling_give_what_pytorch_gives(mode):
    torch.manual_seed(3)
    theirs = labels(torch.utils.data.DataLoader(Numbers(40), 8, shuffle=True, num_workers=2))
    torch.manual_seed(3)
    ours = poptorch.DataLoader(options(D=2), Numbers(40), 4, shuffle=True, num_workers=2, mode=mode,
                               **({"async_options": Fork} if mode else {}))
    assert ours.persistent_workers and labels(ours) == theirs
    ours.terminate()


def test_epochs_of_the_guide():
    for size, batch, D, count in ((60000, 16, 1, 3750), (60000, 8, 50, 150), (10000, 32, 1, 312)):
        assert len(poptorch.DataLoader(options(D=D), Numbers(size), batch)) == count


def test_no_batching():
    loader = poptorch.DataLoader(options(), Numbers(5), batch_size=None)
    assert [int(label) for _, label in loader] == [0, 1, 2, 3, 4] and loader.combinedBatchSize is None


def test_batch_samplers():
    sampler = torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(22)), 2, False)
    loader = poptorch.DataLoader(options(D=2, A=2), Numbers(22), batch_sampler=sampler)
    assert labels(loader) == expected(22, 8) and len(loader) == 2 and loader.combinedBatchSize == 8
    rest = poptorch.DataLoader(options(D=2, A=2), Numbers(22), batch_sampler=sampler, drop_last=False)
    assert labels(rest)[2] == list(range(16, 22)) and len(rest) == 3
    for wrong in ({"batch_size": 2}, {"shuffle": True}):
        with pytest.raises(ValueError, match="mutually exclusive"):
            poptorch.DataLoader(options(), Numbers(22), batch_sampler=sampler, **wrong)


class Uneven:
    """Batches of 1, 2, 3 and 4 rows."""

    def __iter__(self):
        return iter([[0], [1, 2], [3, 4, 5], [6, 7, 8, 9]])

    def __len__(self):
        return 4


class Pair:
    def __init__(self, rows, count):
        self.rows, self.count = rows, count


class PairParser(poptorch.ICustomArgParser):
    def yieldTensors(self, struct):
        yield struct.rows
        yield struct.count

    def reconstruct(self, original_structure, tensor_iterator):
        return Pair(next(tensor_iterator), next(tensor_iterator))


def padded(rows):
    """Four rows, zeros behind."""
    return torch.nn.functional.pad(torch.tensor(rows), (0, 4 - len(rows)))


FORMS = {"tensor": (padded, lambda b: b), "tuple": (lambda rows: (padded(rows), "x"), lambda b: b[0]),
         "list": (lambda rows: [padded(rows), torch.tensor(len(rows))], lambda b: b[0]),
         "dict": (lambda rows: {"a": padded(rows)}, lambda b: b["a"]),
         "own": (lambda rows: Pair(padded(rows), torch.tensor(len(rows))), lambda b: b.rows)}


@pytest.mark.parametrize("mode", [DataLoaderMode.Sync, DataLoaderMode.Async])
@pytest.mark.parametrize("collate, read", FORMS.values(), ids=FORMS)
def test_batches_of_a_sampler_are_collated_one_by_one(collate, read, mode):
    poptorch.registerCustomArgParser(Pair, PairParser())
    more = {"mode": mode, "async_options": Fork} if mode == DataLoaderMode.Async else {}
    loader = poptorch.DataLoader(options(D=2), list(range(10)), batch_sampler=Uneven(),
                                 collate_fn=collate, **more)
    assert len(loader) == 2
    for _ in range(2):
        assert [read(batch).tolist() for batch in loader] == [[0, 0, 0, 0, 1, 2, 0, 0], [3, 4, 5, 0, 6, 7, 8, 9]]
    loader.terminate()
    for drop, count in ((True, 1), (False, 2)):
        loader = poptorch.DataLoader(options(D=3), list(range(10)), batch_sampler=Uneven(), collate_fn=collate,
                                     drop_last=drop, **more)
        assert [len(read(batch)) for batch in loader] == [12, 4][:count] and len(loader) == count
        loader.terminate()
    poptorch.registerCustomArgParser(Pair, None)


def test_values_that_cannot_be_joined_are_named():
    loader = poptorch.DataLoader(options(D=2), list(range(10)), batch_sampler=Uneven(),
                                 collate_fn=lambda rows: (padded(rows), len(rows)))
    with pytest.raises(poptorch.Error, match="different values of int, such as 1.*collate_fn"):
        list(loader)
    for collate, text in ((lambda rows: [torch.tensor([row]) for row in rows], "different parts: 1 and 2"),
                          (lambda rows: {f"row{row}": padded(rows) for row in rows}, "row0.* and .*row1")):
        with pytest.raises(poptorch.Error, match=text):
            list(poptorch.DataLoader(options(D=2), list(range(10)), batch_sampler=Uneven(), collate_fn=collate))


def test_options_are_frozen_and_checked():
    given = options()
    assert poptorch.DataLoader(given, Numbers(4)).options is given
    with pytest.raises(AttributeError, match="frozen"):
        given.deviceIterations(2)
    with pytest.raises(poptorch.Error, match="Invalid type"):
        poptorch.DataLoader(Numbers(4), options())
    for wrong in ({"batch_size": 0}, {"async_options": Fork}, {"rebatched_worker_size": 4},
                  {"mode": DataLoaderMode.AsyncRebatched, "batch_size": None}):
        with pytest.raises(ValueError):
            poptorch.DataLoader(options(), Numbers(4), **wrong)


def test_warnings(capsys):
    poptorch.DataLoader(options(D=3), Numbers(10), drop_last=False)
    assert "10 elements are not a multiple of the combined batch size 3" in capsys.readouterr().err
    poptorch.DataLoader(options(D=2), Numbers(10), drop_last=False)
    poptorch.DataLoader(options(), Stream(10), num_workers=2, worker_init_fn=print)
    assert capsys.readouterr().err == ""
    poptorch.DataLoader(options(), Stream(10), num_workers=2)
    assert "worker_init_fn" in capsys.readouterr().err
    small = poptorch.DataLoader(options(D=4), Numbers(7), 2)
    assert list(small) == [] and "7 elements do not fill one combined batch of 8" in capsys.readouterr().err
    poptorch.DataLoader(options(D=4), Numbers(8), 2)
    assert capsys.readouterr().err == ""


# ---- several processes

def process(number, count, seed=None, **more):
    given = options(D=2)
    given.Distributed.configureProcessId(number, count)
    if seed is not None:
        given.randomSeed(seed)
    return poptorch.DataLoader(given, Numbers(23), 2, **more)


def test_processes_take_their_parts():
    assert labels(process(0, 2)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert labels(process(1, 2)) == [[8, 9, 10, 11], [12, 13, 14, 15]] and len(process(1, 2)) == 2
    whole = process(1, 2, auto_distributed_partitioning=False)
    assert labels(whole)[0] == [0, 1, 2, 3] and len(whole) == 5


def test_parts_of_processes_are_whole_batches(capsys):
    def part(number, **more):
        given = options()
        given.Distributed.configureProcessId(number, 3)
        return labels(poptorch.DataLoader(given, Numbers(100), 4, **more))

    parts = [part(number) for number in range(3)]
    assert [batches[0][0] for batches in parts] == [0, 32, 64] and {len(batches) for batches in parts} == {8}
    capsys.readouterr()
    rest = [part(number, drop_last=False) for number in range(3)]
    assert sorted(sum(sum(rest, []), [])) == list(range(99))
    assert capsys.readouterr().err.count("1 of 100 elements come in no process of 3: all have equally many.") == 3


def test_processes_shuffle_alike():
    loaders = [process(i, 2, seed=4, shuffle=True) for i in range(2)]
    epochs = [[sum(labels(loader), []) for loader in loaders] for _ in range(2)]
    for first, second in epochs:
        assert not set(first) & set(second) and len(first) == len(second) == 8
    assert epochs[0] != epochs[1]
    with pytest.raises(AssertionError, match="randomSeed"):
        process(0, 2, shuffle=True)
    given = options()
    given.Distributed.configureProcessId(0, 2)
    with pytest.raises(ValueError, match="auto_distributed_partitioning"):
        poptorch.DataLoader(given, Stream(4))


# ---- another process loads

@pytest.mark.parametrize("strategy", list(SharingStrategy))
def test_strategies(strategy):
    loader = poptorch.DataLoader(options(D=2), Numbers(20), 2, mode=DataLoaderMode.Async,
                                 async_options={"sharing_strategy": strategy})
    assert labels(loader) == expected(20, 4)
    loader.terminate()


class StartOfWorker(torch.utils.data.Dataset):
    """How the process was started that loads an element."""
    kinds = ["fork", "spawn", "forkserver"]

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.kinds.index(multiprocessing.get_start_method())


@pytest.mark.parametrize("context, kind", [(None, 0), ("spawn", 1)])
def test_workers_of_a_loading_process_start_as_those_of_torch(context, kind):
    """Not as it did: each would import PyTorch again."""
    loader = poptorch.DataLoader(options(), StartOfWorker(), 2, num_workers=1, mode=DataLoaderMode.Async,
                                 multiprocessing_context=context,
                                 async_options={"sharing_strategy": SharingStrategy.ForkServer})
    assert [batch.tolist() for batch in loader] == [[kind, kind]]
    loader.terminate()


def test_a_plain_process_forks_and_others_do_not():
    program = """
import os, threading, torch, poptorch
def kind():
    accessor = poptorch.AsynchronousDataAccessor([torch.arange(3)])
    assert [batch.tolist() for batch in accessor] == [[0, 1, 2]]
    name = type(accessor._process).__name__
    accessor.terminate()
    return name
if __name__ == "__main__":
    print(kind())
    waits = threading.Event()
    thread = threading.Thread(target=waits.wait)
    thread.start()
    print(kind())
    waits.set()
    thread.join()
    torch.set_num_threads(3)
    torch.ones(1000000).exp()
    assert len(os.listdir("/proc/self/task")) > 1  # torch's, which do no harm
    print(kind())
    poptorch.inferenceModel(torch.nn.ReLU()).compile(torch.ones(2))
    print(kind())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "OPENIPU_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    assert done.stdout.split() == ["ForkProcess", "ForkServerProcess", "ForkProcess", "ForkServerProcess"], done.stderr


def test_forms_of_batches():
    batches = [{"a": torch.ones(2, 3), "b": [Named(torch.zeros(2, dtype=torch.int8), "first"), 3]},
               {"a": torch.zeros(2, 3), "b": [Named(torch.ones(2, dtype=torch.int8), "second"), 3]}]
    accessor = AsynchronousDataAccessor(batches, **Fork)
    for got, wanted in zip(accessor, batches):
        assert torch.equal(got["a"], wanted["a"]) and got["b"][1] == 3 and got["b"][0].label == wanted["b"][0].label
        assert torch.equal(got["b"][0].rows, wanted["b"][0].rows) and got["b"][0].rows.dtype is torch.int8
    assert len(accessor) == 2
    accessor.terminate()


def test_epochs_that_are_left_early():
    for indefinitely in (True, False):
        accessor = AsynchronousDataAccessor([torch.tensor([i]) for i in range(20)], buffer_size=2,
                                            load_indefinitely=indefinitely, **Fork)
        for stop in (3, 0, 19, 5):
            seen = []
            for batch in accessor:
                seen.append(int(batch))
                if int(batch) == stop:
                    break
            assert seen == list(range(stop + 1))
        kept = iter(accessor)
        next(kept)
        assert [int(batch) for batch in accessor] == list(range(20)) and list(kept) == []
        accessor.terminate()


def test_one_slot_is_enough():
    accessor = AsynchronousDataAccessor([torch.tensor([i]) for i in range(5)], buffer_size=1, early_preload=True, **Fork)
    for _ in range(3):
        assert [int(batch) for batch in accessor] == [0, 1, 2, 3, 4]
    accessor.terminate()


def test_smaller_batches_at_the_end():
    accessor = AsynchronousDataAccessor([torch.arange(4), torch.arange(4), torch.arange(2)], **Fork)
    assert [len(batch) for batch in accessor] == [4, 4, 2] and [len(batch) for batch in accessor] == [4, 4, 2]
    accessor.terminate()
    accessor = AsynchronousDataAccessor([torch.arange(4), torch.arange(5)], **Fork)
    with pytest.raises(poptorch.Error, match=r"torch.int64 \[5\] where the first one had torch.int64 \[4\]"):
        list(accessor)


@pytest.mark.parametrize("mode, worker", [(DataLoaderMode.AsyncRebatched, 3), (DataLoaderMode.AsyncRebatched, None),
                                          (DataLoaderMode.Async, None)])
@pytest.mark.parametrize("drop", [False, True])
def test_only_drop_last_drops(mode, worker, drop):
    more = {"rebatched_worker_size": worker} if worker else {}
    more.update(mode=mode, async_options=Fork, drop_last=drop)
    loader = poptorch.DataLoader(options(D=4), Stream(22), 2, num_workers=2, worker_init_fn=int, **more)
    for _ in range(2):
        sizes, seen = zip(*[(len(batch), batch.flatten().tolist()) for batch in loader])
        seen = sum(seen, [])
        if drop:
            assert set(sizes) == {8} and len(seen) == len(set(seen))
        else:
            assert sizes == (8, 8, 6) and sorted(seen) == list(range(22)) and len(loader) == 3
    loader.terminate()
    plain = poptorch.DataLoader(options(D=4), Numbers(22), 2, **more)
    assert labels(plain) == expected(22, 8) + ([] if drop else [list(range(16, 22))])
    assert len(plain) == (2 if drop else 3)
    plain.terminate()


def test_what_all_workers_leave_is_one_batch():
    loader = poptorch.DataLoader(options(), Numbers(101), 6, drop_last=False, num_workers=3,
                                 mode=DataLoaderMode.AsyncRebatched, async_options=Fork)
    found = labels(loader)
    assert len(loader) == len(found) == 17 and [len(batch) for batch in found] == [6] * 16 + [5]
    assert sum(found, []) == list(range(101))
    loader.terminate()


def test_less_than_one_batch_is_still_handed_out():
    accessor = AsynchronousDataAccessor([torch.arange(3)], rebatched_size=8, **Fork)
    assert [batch.tolist() for batch in accessor] == [[0, 1, 2]] and len(accessor) == 1
    accessor.terminate()


def test_accessors_refuse():
    loader = poptorch.DataLoader(options(), Numbers(4), mode=DataLoaderMode.Async, async_options=Fork)
    for wrong in (lambda: AsynchronousDataAccessor(loader), lambda: AsynchronousDataAccessor([], rebatched_size=1),
                  lambda: AsynchronousDataAccessor([], buffer_size=0),
                  lambda: AsynchronousDataAccessor(poptorch.DataLoader(options(), Numbers(4), 3, drop_last=False))):
        with pytest.raises(ValueError):
            wrong()
    loader.terminate()
    with pytest.raises(poptorch.Error, match="terminated"):
        iter(loader)


# ---- what goes wrong

@pytest.mark.parametrize("workers", [0, 2])
def test_errors_of_datasets_come_through(workers):
    loader = poptorch.DataLoader(options(), Numbers(8, fail_at=5), 2, num_workers=workers, mode=DataLoaderMode.Async,
                                 async_options=Fork)
    with pytest.raises(poptorch.Error, match="no such number"):
        list(loader)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_killed_process_is_an_error(workers):
    loader = poptorch.DataLoader(options(), Numbers(8, kill_at=5), 2, num_workers=workers, mode=DataLoaderMode.Async,
                                 async_options=Fork)
    with pytest.raises(poptorch.Error, match="exit code -9" if workers == 0 else "The process that loads data failed"):
        list(loader)
    loader.terminate()


def test_a_process_that_is_killed_while_it_waits():
    accessor = AsynchronousDataAccessor([torch.tensor([i]) for i in range(9)], load_indefinitely=False, **Fork)
    batches = iter(accessor)
    next(batches)
    os.kill(accessor._process.pid, signal.SIGKILL)
    with pytest.raises(poptorch.Error, match="ended unexpectedly"):
        list(batches)
    with pytest.raises(poptorch.Error, match="ended unexpectedly"):
        list(accessor)
    accessor.terminate()


class Stuck:
    def __iter__(self):
        yield torch.zeros(1)
        time.sleep(1000)


def test_interrupts_reach_the_reader():
    accessor = AsynchronousDataAccessor(Stuck(), **Fork)
    batches = iter(accessor)
    next(batches)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        next(batches)
    process = accessor._process
    assert process.is_alive()  # it does not hear of it
    process.terminate()  # it is stuck; terminate() would ask first
    accessor.terminate()
    assert not process.is_alive()


def test_programs_end_though_they_do_not_terminate():
    program = textwrap.dedent("""
        import torch, poptorch
        loader = poptorch.DataLoader(poptorch.Options(), torch.arange(100), 2, num_workers=1,
                                     mode=poptorch.DataLoaderMode.Async,
                                     async_options={"sharing_strategy": poptorch.SharingStrategy.Fork})
        print(next(iter(loader)).tolist())
    """)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.returncode, run.stderr) == ("[0, 1]\n", 0, "")
