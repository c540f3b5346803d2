# Rows that compare stock with patched: `overlay compare` builds both, runs them with a card and compares all that they wrote; its
# report becomes a record and a row of OUT/table.md.
import argparse, collections, dataclasses, hashlib, json, os, pathlib, re, subprocess, sys, tempfile, tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from frame import ROOT, Error, call, lock, main, run_rows, stamp  # noqa: F401

COLUMNS = ("row", "result", "CPU s of stock", "of patched", "gain", "gain per shower, start-up apart", "steps taken", "left to CORSIKA",
           "bunches", "traced", "skipped one by one")
EXIT = "Exit status: 0, the same bytes wherever stock ran; 3, other bytes; 1, else. If it was stopped, the same command goes on."


@dataclasses.dataclass
class Row:
    name: str
    options: list       # of overlay build and compare
    how: tuple = ()     # options of compare alone: generator and Cherenkov stage
    edits: tuple = ()   # pairs for re.sub, made in the profile's card
    card: str = ""      # in the profile's place
    key: str = ""


def parser(about, corsika="append"):
    options = argparse.ArgumentParser(description=about, epilog=EXIT)
    options.add_argument("--corsika", action=corsika, required=True, metavar="PATH", help="an archive, an unpacked tree, or standin")
    options.add_argument("--out", type=pathlib.Path, metavar="DIR", help="for everything that is made (default build/overlay/COMMAND)")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="rows at a time (default 1)")
    options.add_argument("--timeout", default="0", metavar="SECONDS", help="limit of a run (default: 20 times stock's)")
    options.add_argument("--atmosphere-dir", default=os.environ.get("CORSIKA_ATMOSPHERES"), metavar="DIR", help="folder with atmprofNN.dat")
    options.add_argument("--gpu", default="auto", help="auto, on, off: whether patched programs can use CUDA")
    options.add_argument("--overlay", type=pathlib.Path, metavar="FILE", help="the program (default: built here)")
    options.add_argument("more", nargs="*", metavar="-- OPTION", help="options of overlay build")
    return options


class Compare:
    """What all rows of one call share."""

    def __init__(self, options):
        self.out = (options.out or ROOT / "build/overlay" / pathlib.Path(sys.argv[0]).name).absolute()
        self.lock = lock(self.out)
        if options.overlay is None:
            subprocess.run([ROOT / "scripts/build-tools"], check=True)
        self.overlay = (options.overlay or ROOT / "build/release/bin/overlay").absolute()
        self.common = ["--out", self.out, "--gpu", options.gpu]
        if options.atmosphere_dir:
            self.common += ["--atmosphere-dir", pathlib.Path(options.atmosphere_dir).absolute()]
        self.timeout, self.more, self.jobs = ["--timeout", options.timeout], options.more, options.jobs
        built = self.overlay.resolve().parents[1]
        line = built / "fortran-bindings/link-line.txt"
        libraries = [pathlib.Path(word) for word in line.read_text().split()] if line.exists() else []
        self.made_with = stamp(self.overlay, self.overlay.parent / "corsika-patch", ROOT / "profiles", ROOT / "validation/standin",
                               ROOT / "corsika-patches/rules", ROOT / "fortran-bindings/include", *libraries)

    def profile(self, name, title, *edits):
        """The profile, changed by pairs for re.sub, as a file of its own."""
        file = profile_file(name)
        text = re.sub(r'^card = "', f'card = "{file.parent}/', file.read_text(), flags=re.M)
        for pattern, by in edits:
            text = re.sub(pattern, by, text, flags=re.M)
        made = self.out / "profiles" / f"{title}.toml"
        made.parent.mkdir(exist_ok=True)
        if not made.exists() or made.read_text() != text:
            made.write_text(text)
        return str(made)

    def template(self, options):
        """The card, with its placeholders, of the profile that the options name."""
        file = profile_file(options[options.index("--profile") + 1])
        profile = tomllib.loads(file.read_text())
        if "standin" in options:
            profile |= profile["standin"]
        return (file.parent / profile["card"]).read_text()

    def build(self, options, builds, folder, log):
        """Builds, and makes a run folder. Raises Error with why that cannot be."""
        if call([self.overlay, "build", *options, *self.common, "--only", builds, "--run-folder", folder], log) != 0:
            raise Error(last_line(log))

    def runs(self, profile):
        """Where the run folders of the last comparison lie."""
        lists = sorted((self.out / "runs").glob(f"{profile}*/.overlay-runs"), key=lambda file: file.stat().st_mtime)
        return lists[-1].parent

    def keyed(self, row):
        """Its key is the checksum of all that it is made of: options, card, trees and profiles, programs."""
        files = [pathlib.Path(str(word)) for word in row.options + self.common + self.more if os.path.exists(word) and word != self.out]
        text = repr((row.options, row.how, row.edits, row.card, self.more, self.common[2:], self.made_with, stamp(*files)))
        return dataclasses.replace(row, key=hashlib.sha256(text.encode()).hexdigest())

    def compare(self, row):
        """Leaves report, card and log in OUT/NAME."""
        here = self.out / row.name
        here.mkdir(parents=True, exist_ok=True)
        report, log = here / "report/report.json", here / "log"
        report.unlink(missing_ok=True)  # an earlier one is not this one's
        options, card = [*row.options, *self.more], row.card
        if row.edits:
            card = self.template(options)
            for pattern, by in row.edits:
                card = re.sub(pattern, by, card, flags=re.M)
        if card:
            (here / "card").write_text(card)
            options = [*options, "--card", here / "card"]
        few = "--repeats 1 --parts-repeats 0 --sampled-repeats 0 --shipped-repeats 0 --no-gprof".split()
        status = call([self.overlay, "compare", *options, *row.how, *self.common, *self.timeout, *few, "--report", here / "report"], log)
        if not report.exists():
            why = last_line(log)
            return result("stock stops", why) if "the stock run refused" in why else self.not_built(options, why, log)
        return judge(status, json.loads(report.read_text()), row.how)

    def not_built(self, options, why, log):
        try:
            with tempfile.TemporaryDirectory(dir=self.out) as folder:
                self.build(options, "stock", folder + "/run", log.with_name("log-of-stock"))
            return result("failed", f"stock is built, patched is not, or does not run: {why}")
        except Error:
            return result("not built", why)

    def run(self, rows, least):
        """Runs the rows and ends with a table. `least`: the part of them that must have been compared. Returns the exit status."""
        records = run_rows([self.keyed(row) for row in rows], self.compare, self.out / "records", self.jobs)
        table = self.out / "table.md"
        lines = [COLUMNS, ["---"] * len(COLUMNS)]
        for record in records:
            said = record["state"] + (": " if record["said"] else "") + record["said"]
            lines.append([record["name"], said, *record.get("numbers", [""] * (len(COLUMNS) - 2))])
        table.write_text("".join(f"| {' | '.join(line)} |\n" for line in lines))
        counts = collections.Counter(record["state"] for record in records)
        print(", ".join(f"{count} {state}" for state, count in counts.items()) + f"; table: {table}")
        same, name = counts["same bytes"], pathlib.Path(sys.argv[0]).name
        for record in records:
            if record["state"] in ("other bytes", "failed", "not comparable"):
                print(f"{name}: error: {record['name']}: {record['state']}: {record['said']}", file=sys.stderr)
        if counts["other bytes"]:
            return 3
        if same == 0 or same < least * (len(records) - counts["no device"]):
            print(f"{name}: error: only {same} of {len(records)} were compared", file=sys.stderr)
            return 1
        return 1 if counts["failed"] or counts["not comparable"] else 0


def check(good, what):
    """A line that says what is as it must be."""
    print("ok      " if good else "FAILED  ", what, flush=True)
    if not good:
        raise Error("this is not as it must be: " + what)


def profile_file(name):
    file = ROOT / "profiles" / f"{name}.toml"
    return file if file.exists() else pathlib.Path(name).absolute()


def last_line(log):
    lines = log.read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")


def result(state, said, numbers=None):
    return {"good": state == "same bytes", "state": state, "said": said, **({"numbers": numbers} if numbers else {})}


def judge(status, report, how):
    """What a comparison came to, from its report."""
    identity, why = report["identity"], report["identity"]["could_not_compare"]
    if why:
        if why.startswith("the stock run"):
            return result("too long" if "did not end within" in why else "stock stops", why)
        return result("failed" if why.startswith("the patched run") else "not comparable", why)
    if not report["runs"]:  # the patched program did not end as stock did
        return result("failed", identity["reasons"][0])
    stock, patched = (next(run["cpu_s"][0] for run in report["runs"] if run["build"] == build) for build in ("stock", "patched"))
    each, light = report["speedup"]["per_shower"]["measured"], report["cherenkov"]
    numbers = [f"{stock:.2f}", f"{patched:.2f}", f"{stock / patched:.2f}", "" if each is None else f"{each:.2f}"]
    numbers += ["" if light[key] is None else f"{light[key]:,}" for key in ("steps", "left_to_corsika", "bunches", "traced", "skipped")]
    if status != 0 or not identity["identical"]:
        return result("other bytes", (identity["reasons"] or ["the outputs differ"])[0], numbers)
    asked = dict(zip(how, how[1:]))
    missing = [name for name, used in (("--backend", report["backend"]), ("--cherenkov", light["backend"]))
               if asked.get(name) in ("cuda", "opencl", "gpu") and asked[name] != used]
    if missing:
        return result("no device", f"no device for {missing[0]}: there is none, or few numbers were drawn", numbers)
    return result("same bytes", f"gain {stock / patched:.2f}", numbers)
