# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whatever ends `shardwise reshard`, the old files are whole, and a second call ends the work. SHARDWISE_FILE_FAULTS
is the number of random faults of each test (default 12), SHARDWISE_FILE_SEED where they begin."""

import fcntl
import json
import os
import random
import resource
import signal
import subprocess
import time

import numpy
import pytest

from conftest import BUILD
from safetensors_files import load, save
from sharded_files import boxes

FAULTS = int(os.environ.get("SHARDWISE_FILE_FAULTS", 12))
SEED = os.environ.get("SHARDWISE_FILE_SEED", 1)
MESH = '["x"=4]'
OLD, NEW = '[{"x"}, {}]', '[{}, {"x"}]'


def command(*arguments):
    return [BUILD / "bin/shardwise", "reshard", *map(str, arguments)]


def holds(folder, whole, sharding):
    """Whether the folder has `whole` in this sharding, and nothing else."""
    index = json.loads((folder / "index.json").read_text())
    if index["sharding"] != sharding:
        return False
    assert sorted(path.name for path in folder.iterdir()) == ["0.npy", "1.npy", "2.npy", "3.npy", "index.json"]
    for position, box in enumerate(boxes(whole.shape, MESH, sharding)):
        assert (numpy.load(folder / f"{position}.npy") == whole[box]).all()
    return True


@pytest.fixture(scope="module")
def whole():
    return numpy.random.default_rng(0).integers(0, 2**31, (2048, 1024), dtype="int32")


def test_random_faults(tmp_path, whole):
    """In place, so that what is read is what is replaced; killed, or out of room, at a random moment."""
    folder = tmp_path / "a"
    numpy.save(tmp_path / "whole.npy", whole)
    subprocess.run(command(tmp_path / "whole.npy", folder, "--mesh", MESH, "--to", OLD), check=True,
                   stdout=subprocess.DEVNULL)
    (tmp_path / "whole.npy").unlink()
    begin = time.monotonic()
    subprocess.run(command(folder, tmp_path / "b", "--to", NEW, "--memory", "16KiB"), check=True,
                   stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    draw = random.Random(SEED)
    now, ends = OLD, 0
    for _ in range(FAULTS):
        then = NEW if now == OLD else OLD
        call = command(folder, folder, "--to", then, "--memory", "16KiB")
        kind = draw.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM, "room"))
        limit = draw.randrange(1, 2 << 20)
        process = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: kind == "room" and resource.setrlimit(
                                       resource.RLIMIT_FSIZE, (limit, limit)))
        if kind != "room":
            time.sleep(draw.uniform(0, seconds * 1.2))
            process.send_signal(kind)
        error = process.communicate()[1]
        if process.returncode:
            ends += 1
            if kind == "room":
                assert process.returncode == 1 and "File too large" in error
            else:
                assert process.returncode == -kind
            # A handler has time to put away what is half done; nobody else has.
            if kind != signal.SIGKILL:
                assert os.listdir(tmp_path) in (["a", "b"], ["b", "a"])
        # It may have come too late.
        if folder.exists() and holds(folder, whole, now):
            subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
        elif (tmp_path / "a.partial").exists():
            subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
        now = then
        assert holds(folder, whole, now)
        assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert ends > FAULTS / 4


@pytest.fixture
def small_disk(tmp_path):
    """An empty file system of 4 MiB, which is a quarter of what the machine may have for it."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"mounting a small file system is not allowed here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", place], check=True)


def fill(path, room):
    """Leaves `room` bytes free on the file system of `path`, which becomes a file."""
    status = os.statvfs(path.parent)
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(status.f_bavail * status.f_frsize - room, 1))


def test_full_disk(small_disk):
    """Whether there is room for none of the files, for some, for all but the index, or for all."""
    whole = numpy.random.default_rng(0).integers(0, 2**31, (256, 1024), dtype="int32")
    numpy.save(small_disk / "whole.npy", whole)
    folder = small_disk / "a"
    subprocess.run(command(small_disk / "whole.npy", folder, "--mesh", MESH, "--to", OLD), check=True,
                   stdout=subprocess.DEVNULL)
    (small_disk / "whole.npy").unlink()
    draw = random.Random(SEED)
    now, refused, page = OLD, 0, os.sysconf("SC_PAGE_SIZE")
    for _ in range(FAULTS):
        then = NEW if now == OLD else OLD
        call = command(folder, folder, "--to", then, *draw.choice(([], ["--checksum"])))
        # Four files of 256 KiB and their headers; folders take no room. Most faults are near the end.
        needed = 4 * (whole.nbytes // 4 + page)
        room = draw.choice((draw.randrange(needed), needed + page * draw.randrange(-4, 6)))
        fill(small_disk / "filler", room)
        run = subprocess.run(call, capture_output=True, text=True)
        (small_disk / "filler").unlink()
        if run.returncode:
            refused += 1
            assert run.returncode == 1 and "No space left on device" in run.stderr, run.stderr
            assert os.listdir(small_disk) == ["a"]
            assert holds(folder, whole, now)
            subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
        now = then
        assert os.listdir(small_disk) == ["a"]
        assert holds(folder, whole, now)
    assert 0 < refused < FAULTS


def test_truncated_input(tmp_path, whole):
    """A file of the input becomes shorter, before the call or at any moment of it."""
    numpy.save(tmp_path / "whole.npy", whole)
    subprocess.run(command(tmp_path / "whole.npy", tmp_path / "in", "--mesh", MESH, "--to", OLD), check=True,
                   stdout=subprocess.DEVNULL)
    call = command(tmp_path / "in", tmp_path / "out", "--to", NEW, "--memory", "16KiB")
    begin = time.monotonic()
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    draw = random.Random(SEED)
    failed = 0
    for _ in range(FAULTS):
        victim = tmp_path / "in" / draw.choice(("0.npy", "1.npy", "2.npy", "3.npy", "index.json"))
        content = victim.read_bytes()
        length = draw.randrange(len(content))
        is_before = draw.random() < 0.3
        if is_before:
            os.truncate(victim, length)
        process = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not is_before:
            time.sleep(draw.uniform(0, seconds * 1.2))
            os.truncate(victim, length)
        error = process.communicate()[1]
        assert process.returncode in ((1,) if is_before else (0, 1)), error
        if process.returncode:
            failed += 1
            assert f"'{victim}'" in error, error
        # What a call has written that failed goes, and what was there before it stays.
        assert holds(tmp_path / "out", whole, NEW)
        assert sorted(os.listdir(tmp_path)) == ["in", "out", "whole.npy"]
        victim.write_bytes(content)
        subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
        assert holds(tmp_path / "out", whole, NEW)
    assert failed > FAULTS / 4


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_tensors_that_are_done_are_not_done_again(tmp_path, kind):
    """Of a checkpoint, the second call writes what the first had not."""
    model = {f"t{i}": numpy.full((128, 256), i, "f4") for i in range(200)}
    save(tmp_path / "model.safetensors", model)
    call = command(tmp_path / "model.safetensors", tmp_path / "a", "--mesh", MESH, "--to", NEW, "--memory", "32KiB",
                   "--json")
    process = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    done = tmp_path / "a.partial/done.0"
    while not done.exists() or done.read_text().count("\n") < 5:
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(kind)
    error = process.communicate()[1]
    assert process.returncode == -kind
    if kind == signal.SIGINT:
        assert "interrupted; " in error and f"are written, in '{tmp_path}/a.partial': the same call goes on" in error
    inode = (tmp_path / "a.partial/files/2.safetensors").stat().st_ino
    written = len(done.read_text().split())
    assert written < 200
    # Other work begins anew, and ends.
    assert subprocess.run([*call[:3], tmp_path / "b", *call[4:]], stdout=subprocess.DEVNULL).returncode == 0
    report = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    assert report["resumed_tensors"] == written
    assert report["written_bytes"] == (200 - written) * 128 * 256 * 4
    assert (tmp_path / "a/2.safetensors").stat().st_ino == inode
    for position in range(4):
        shard = load(tmp_path / f"a/{position}.safetensors")
        assert all((shard[name] == tensor[:, :64]).all() for name, tensor in model.items())
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "model.safetensors"]


def test_another_input_is_other_work(tmp_path):
    """What was written of a file that has changed since does not count."""
    save(tmp_path / "m.safetensors", {"a": numpy.zeros(8), "b": numpy.zeros(8)})
    call = command(tmp_path / "m.safetensors", tmp_path / "out", "--mesh", MESH, "--to", '[{"x"}]', "--json")
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out").rename(tmp_path / "out.partial/files")
    (tmp_path / "out.partial/journal").write_text("shardwise reshard 1\nrequest 0\ninput 0\nfiles\n")
    (tmp_path / "out.partial/done.0").write_text("0\n1\n")
    report = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    assert report["resumed_tensors"] == 0
    assert sorted(os.listdir(tmp_path)) == ["m.safetensors", "out"]


def test_two_calls_do_not_write_the_same(tmp_path, whole, shardwise):
    numpy.save(tmp_path / "whole.npy", whole)
    (tmp_path / "out.npy.partial").mkdir()
    journal = tmp_path / "out.npy.partial/journal"
    journal.write_text("shardwise reshard 1\n")
    with open(journal) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        run = shardwise("reshard", tmp_path / "whole.npy", tmp_path / "out.npy")
        assert run.returncode == 1
        assert f"another process is writing '{tmp_path}/out.npy'" in run.stderr
    assert shardwise("reshard", tmp_path / "whole.npy", tmp_path / "out.npy").returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["out.npy", "whole.npy"]


@pytest.mark.parametrize("exchanged", [False, True])
def test_killed_while_names_change(tmp_path, whole, shardwise, exchanged):
    """The journal says that only names are left to change; nothing is read again."""
    partial, files = tmp_path / "a.partial", tmp_path / "a.partial/files"
    partial.mkdir()
    for folder, text in ((files, "new"), (tmp_path / "a", "old")):
        folder.mkdir()
        (folder / "0.npy").write_text(text)
    (partial / "journal").write_text(
        f"shardwise reshard 1\nrequest 0\ninput 0\nfiles\ncommit {files.stat().st_ino} \n")
    if exchanged:
        files.rename(tmp_path / "c")
        (tmp_path / "a").rename(files)
        (tmp_path / "c").rename(tmp_path / "a")
    # Another call, which is refused; but first it ends what that one had begun.
    run = shardwise("reshard", tmp_path / "none.npy", tmp_path / "a")
    assert run.returncode == 1 and "none.npy" in run.stderr
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a/0.npy").read_text() == "new"
