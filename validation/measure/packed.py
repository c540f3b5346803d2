# Runs of CORSIKA that validation/measure/pack packed, each in a folder of its own.
import collections, concurrent.futures, hashlib, os, pathlib, re, shutil, subprocess, sys, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from frame import ROOT, Error, lock, main, run_rows  # noqa: F401

# A run finds no such variable but those of its kind.
OURS = re.compile("RANMAR_.*|CHERENKOV_.*|OMPI_COMM_WORLD_LOCAL_RANK|MPI_LOCALRANKID|MV2_COMM_WORLD_LOCAL_RANK|PMI_LOCAL_RANK|SLURM_LOCALID")
TIMES = re.compile(b".*(PRESENT TIME|TOTAL TIME USED|TIME PER EVENT).*\n")
Run = collections.namedtuple("Run", "digest wall user system said good")


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.strip() if shutil.which(words[0]) else ""


def digest_of(folder):
    """What of a run must be the same: all output files, and the log without its three kinds of lines with times."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "errors":
            content = file.read_bytes()
            content = TIMES.sub(b"", content) if file.name == "log" else content
            total.update(file.relative_to(folder).as_posix().encode() + hashlib.sha256(content).digest())
    return total.hexdigest()


class Packed:
    def __init__(self, pack, scratch):
        if not pack.is_dir():
            raise Error(f"no packed folder {pack}; make it with validation/measure/pack")
        self.pack, self.scratch, self.next, self.guard = pack.absolute(), pathlib.Path(scratch).absolute(), 0, threading.Lock()
        self.profiles = [file.parent.name for file in sorted(pack.glob("*/stock"))]

    def card(self, profile, edit):
        packed = (self.pack / profile / "data/card").read_bytes()
        edited = subprocess.run(["sed", "-E", "-e", edit], input=packed, capture_output=True)
        if edited.returncode != 0:
            raise Error(f"sed cannot take '{edit}'")
        return edited.stdout

    def start(self, profile, program, environment, edit="", words=()):
        """Begins a run in a folder of its own; its end is finish()."""
        with self.guard:
            self.next += 1
            folder = self.scratch / str(self.next)
        folder.mkdir()
        for file in (self.pack / profile / "data").iterdir():
            (folder / file.name).symlink_to(file)
        (folder / "card").unlink()
        (folder / "card").write_bytes(self.card(profile, edit))
        kept = {name: value for name, value in os.environ.items() if not OURS.fullmatch(name)}
        ours = {"RANMAR_SUMMARY": "1", "CHERENKOV_SUMMARY": "1", "LD_LIBRARY_PATH": f"{self.pack}/lib:{kept.get('LD_LIBRARY_PATH', '')}"}
        with open(folder / "card") as card, open(folder / "log", "wb") as log, open(folder / "errors", "wb") as errors:
            begin = time.monotonic()
            process = subprocess.Popen([*words, "timeout", "1800", self.pack / profile / program], stdin=card, stdout=log,
                                       stderr=errors, cwd=folder, env=kept | ours | environment)
        return folder, process, begin

    def finish(self, started):
        folder, process, begin = started
        _, process.returncode, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        said = " ".join(re.findall("^(?:ranmar|cherenkov):.*", (folder / "errors").read_text(errors="replace"), re.M))
        good = process.returncode == 0
        run = Run(digest_of(folder), wall, used.ru_utime, used.ru_stime, said if good else f"FAILED: {said}", good)
        shutil.rmtree(folder)
        return run

    def run(self, *what, **more):
        return self.finish(self.start(*what, **more))

    def crowd(self, profile, program, environments, edit=""):
        """As many processes as environments, which begin at one instant: wall time of all, and the runs."""
        with self.guard:
            self.next += 1
            go = self.scratch / f"go-{self.next}"
        wait = ("sh", "-c", 'until [ -e "$0" ]; do sleep 0.01; done; exec "$@"', go)
        started = [self.start(profile, program, environment, edit, wait) for environment in environments]
        begin = time.monotonic()
        go.touch()
        with concurrent.futures.ThreadPoolExecutor(len(started)) as pool:
            runs = list(pool.map(self.finish, started))
        return time.monotonic() - begin, runs
