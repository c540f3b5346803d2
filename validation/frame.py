# The frame of every driver in this folder: for each row of a table it does some work, prints a line and keeps a record,
# and goes on where it was stopped.
import concurrent.futures, fcntl, functools, hashlib, json, os, pathlib, platform, re, shutil, signal, subprocess, sys, threading, time

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNNING, STOPPED = set(), threading.Event()  # processes; whether none may begin


class Error(Exception):
    """An error of the user's; its text is one line."""


def call(words, log, timeout=None, cwd=None, **environment):
    """Runs a program with its output in the file `log`. Returns its exit status; None where it took more than `timeout` s."""
    if STOPPED.is_set():
        raise KeyboardInterrupt
    with open(log, "wb") as said:
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                   cwd=cwd, env={**os.environ, **environment}, start_new_session=True)
    RUNNING.add(process)
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGTERM)
        raise
    finally:
        RUNNING.discard(process)


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.strip() if shutil.which(words[0]) else ""


def machine():
    cpu = re.search("model name.*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    gpus = output_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()
    return {"cpu": cpu[1] if cpu else platform.machine(), "cores": len(os.sched_getaffinity(0)), "gpu": gpus[0] if gpus else None, "gpus": len(gpus),
            "system": platform.freedesktop_os_release()["PRETTY_NAME"], "libc": " ".join(platform.libc_ver())}


@functools.cache
def stamp(*paths):
    """Changes when a file at or below one of the paths does."""
    found = []
    for path in paths:
        for file in sorted([path, *path.rglob("*")] if path.is_dir() else [path]):
            if file.is_file():
                found.append((str(file), file.stat().st_size, file.stat().st_mtime_ns))
    return hashlib.sha256(repr(found).encode()).hexdigest()


def digest_of(folder):
    """What of a run must be the same: all output files, and the log without its three kinds of lines with times."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "errors":
            content = file.read_bytes()
            content = re.sub(b".*(PRESENT TIME|TOTAL TIME USED|TIME PER EVENT).*\n", b"", content) if file.name == "log" else content
            total.update(file.relative_to(folder).as_posix().encode() + hashlib.sha256(content).digest())
    return total.hexdigest()


def lock(folder):
    """Nobody else writes to the folder as long as the result is there."""
    folder.mkdir(parents=True, exist_ok=True)
    file = open(folder / ".lock", "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Error(f"another one is at work in {folder}; wait for it, or give another --out") from None
    return file


def read_records(file):
    records = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            record = json.loads(line)
            records[record["name"]] = record
        except ValueError:  # half a line, of a driver that was killed
            pass
    return records


def run_rows(rows, work, file, jobs=1, again=False):
    """Calls work(row) for each row, `jobs` at a time. It returns a dictionary with `good`, `state` and `said` (one line). A row whose
    record in `file` is good and has its `key` is not run again, but where `again`. Returns the records in the order of the rows."""
    records = {} if again else read_records(file)
    guard, begin, done = threading.Lock(), time.monotonic(), []

    def one(row):
        record = records.get(row.name)
        kept = record is not None and record["good"] and record["key"] == row.key
        start = time.monotonic()
        if not kept:
            record = {"name": row.name, "key": row.key, **work(row)}
            record["seconds"] = round(time.monotonic() - start, 2)
        if STOPPED.is_set():  # what was ended in the middle says nothing
            return record
        with guard:
            done.append(row)
            if not kept:
                with open(file, "a") as out:
                    out.write("\n" + json.dumps(record))
            print(f"[{len(done)} of {len(rows)}, {time.monotonic() - begin:.0f} s] {row.name}: {record['state']}"
                  f"{' (kept)' if kept else ''}{': ' if record['said'] else ''}{record['said']}", flush=True)
        return {**record, "kept": kept}

    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        waiting = [pool.submit(one, row) for row in rows]
        concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_EXCEPTION)
        return [one.result() for one in waiting if one.done()]
    except BaseException:
        STOPPED.set()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            os.killpg(process.pid, signal.SIGTERM)


def main(run, name=pathlib.Path(sys.argv[0]).name, wrong=1):
    """Ends this program with what run() returns; with `wrong` and one line where it raises an error, with 130 where a signal came."""

    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(run())
    except (Error, OSError) as problem:
        print(f"{name}: error: {problem}", file=sys.stderr)
        sys.exit(wrong)
    except KeyboardInterrupt:
        print(f"{name}: error: stopped; the same command goes on", file=sys.stderr)
        sys.exit(130)
