"""The processes of a Spark application on this machine and what they take, as Linux's /proc shows it."""
import os
import re
import subprocess
import threading
import time


def command_lines():
    """(process, words of its command) of all processes."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                yield int(pid), file.read().decode(errors="replace").split("\0")
        except OSError:
            pass  # ended meanwhile


def executors(application):
    """The executors' processes, in the order of their start."""
    backend = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
    return sorted(pid for pid, words in command_lines() if backend in words and application in words)


def anonymous_mebibytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("RssAnon"))


def thread_names(pid):
    """Of a process's threads, their first 15 letters."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/comm") as name:
                yield name.read().strip()
        except OSError:
            pass  # ended meanwhile


def held(pid):
    """What a process holds after a collection: anonymous memory and live heap in MiB, file descriptors, mapped files, threads.

    Not counted are the threads of Spark's block managers, up to 228 that come with work and go when they were idle for a minute.
    """
    def jcmd(command):
        program = os.path.join(os.environ["JAVA_HOME"], "bin", "jcmd")
        return subprocess.run([program, str(pid), command], stdout=subprocess.PIPE, text=True, check=True).stdout

    jcmd("GC.run")
    heap = re.search(r"total \d+K, used (\d+)K", jcmd("GC.heap_info"))
    with open(f"/proc/{pid}/maps") as maps:
        mapped = sum(1 for line in maps if len(line.split()) > 5 and line.split()[5].startswith("/"))
    return {
        "anonymous": anonymous_mebibytes(pid),
        "heap": int(heap.group(1)) >> 10,
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "mapped files": mapped,
        "threads": sum(not name.startswith("block-manager-") for name in thread_names(pid)),
    }


def size(folder):
    """Bytes of all files below a folder."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(parent, name))
            except OSError:
                pass  # moved meanwhile
    return total


class Watch:
    """Every five seconds, while it is entered: [seconds, [anonymous MiB of each process], bytes written to a folder]."""

    def __init__(self, pids, folder):
        self.samples, self.pids, self.folder, self.over = [], pids, folder, threading.Event()
        self.thread = threading.Thread(target=self.sample)

    def sample(self):
        start = time.time()
        while not self.over.wait(5):
            self.samples.append([round(time.time() - start), [anonymous_mebibytes(pid) for pid in self.pids], size(self.folder)])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *fault):
        self.over.set()
        self.thread.join()
