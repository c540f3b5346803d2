# Which checks there are, short and full, and how the output of each is judged.
import dataclasses, math, re, shlex

LEAST_P = 1e-6  # and 1 - LEAST_P: dieharder's own limit for FAILED
MOST_SIGMAS, CAUGHT_SIGMAS = 4, 5


@dataclasses.dataclass
class Check:
    name: str     # unique: "dieharder-form48-2"
    group: str    # of the page
    claim: str    # a sentence
    command: str  # for bash; ends with 77 where it cannot run here
    # status: it ends with 0; accepted, rejected: p-values of a battery are, or at least one is not, within the limit; ising,
    # ising-caught: both deviations are within MOST_SIGMAS, or one is beyond CAUGHT_SIGMAS.
    judge: str = "status"
    known: tuple = ()  # tests of a battery that are known to reject
    key: str = ""


@dataclasses.dataclass
class Setup:
    """What a machine has for checks."""
    programs: str       # folder of our programs
    scripts: str        # the folder validation
    known_answers: str
    out: str            # for what commands make
    corsika: str = "standin"
    full: bool = False
    dieharder: bool = False
    testu01: bool = False
    practrand: bool = False
    sts: str = ""       # where NIST's suite was built

    def program(self, name):
        return shlex.quote(f"{self.programs}/{name}")

    def script(self, name):
        return shlex.quote(f"{self.scripts}/{name}")

    def folder(self, name):
        return "--out " + shlex.quote(f"{self.out}/{name}")


def checks(s):
    """All checks in their order."""
    for part in (known_answers, cherenkov, identity, ising, showers, dieharder, testu01, practrand, nist, others):
        yield from part(s)


def known_answers(s):
    for backend in ("reference", "simd", "engine", "opencl", "cuda"):
        yield Check(f"known-answers-{backend}", "Known answers", f"the backend {backend} gives the known answers",
                    f"{s.program('ranmar-known-answers')} {shlex.quote(s.known_answers)} --backend {backend}")


def cherenkov(s):
    bunches = "1000000000" if s.full else "5000000"
    for name, claim, options in (
            ("brute-force", "no skipped bunch hits a telescope", f"--bunches {bunches}"),
            ("brute-force-weakened", "brute force sees a margin that is too small", "--bunches 1000000 --weaken 60 --expect-misses"),
            ("brute-force-curved", "with CURVED, no skipped bunch hits a telescope", f"--curved --bunches {bunches}"),
            ("brute-force-curved-weakened", "with CURVED, brute force sees spheres that are too small",
             "--curved --bunches 1000000 --weaken-spheres 10 --expect-misses")):
        yield Check(name, "Cherenkov light", claim, f"{s.program('brute_force')} {options}")
    yield Check("sums", "Cherenkov light", "sums by lanes equal sums one by one",
                f"{s.program('sums')} --terms {'1000000000' if s.full else '10000000'}")


def identity(s):
    corsika = "--corsika " + shlex.quote(s.corsika)
    yield Check("prove", "Identity", "every replaced routine gives the numbers and states of the stock body",
                f"{s.program('overlay')} prove {corsika} {s.folder('prove')} --draws {'10000000' if s.full else '100000'}")
    few = "" if s.corsika != "standin" else " --showers 3" if s.full else " --showers 2 --erange 100,500"
    yield Check("identity", "Identity", "stock and patched programs write the same bytes",
                f"{s.program('overlay')} compare {corsika} {s.folder('compare')} --quick --no-gprof{few}")
    if s.full and s.corsika != "standin":
        yield Check("matrix", "Identity", "the same bytes with every profile, flags, generator and Cherenkov stage",
                    f"{s.script('acceptance/matrix')} --overlay {s.program('overlay')} {corsika} {s.folder('matrix')} --showers 2")


def ising(s):
    def chain(source, algorithm, size, ratio, sweeps, options="", judge="ising"):
        what = f"{algorithm} on {size}^2 spins at {ratio} Tc"
        claim = f"{source} gives the exact energy and specific heat: {what}" if judge == "ising" else f"{source} is caught: {what}"
        return Check(f"ising-{source}-{algorithm}-{size}-{ratio}", "Ising model", claim,
                     f"{s.program('ranmar-ising')} --source {source}{options} --algorithm {algorithm} --size {size} --temperature {ratio} "
                     f"--sweeps {sweeps}", judge)

    many = 1000000 if s.full else 10000
    yield chain("r250", "wolff", 16, "1", 1000000 if s.full else 150000, judge="ising-caught")
    # On the host: a chain is that of every backend, whose numbers are the known answers.
    for source in ("form48", "form24", "extended", "instances"):
        first = source == "form48"
        yield chain(source, "wolff", 16, "1", 10000000 if s.full else 30000)
        for ratio in ("1", "0.95", "1.05") if s.full or first else ("1",):
            yield chain(source, "wolff", 64, ratio, many)
        # The memory of metropolis at 1 is longer than a short chain.
        for ratio in ("0.95", "1", "1.05") if first and s.full else ("0.95", "1.05") if first else ():
            yield chain(source, "metropolis", 64, ratio, many)
            if s.full:
                yield chain(source, "metropolis", 128, ratio, many)
                yield chain(source, "wolff", 128, ratio, many)
    # Numbers are drawn inside a CUDA kernel.
    yield chain("cuda-kernel-r250", "wolff", 16, "1", 2000000, judge="ising-caught")
    for source in ("cuda-kernel", "cuda-kernel-form24", "cuda-kernel-extended"):
        for size in (64, 128) if s.full else (64,):
            for ratio in ("0.95", "1", "1.05"):
                yield chain(source, "wolff", size, ratio, 1000000)
                if s.full:  # 100 chains, each longer than its memory
                    yield chain(source, "metropolis", size, ratio, 100000000, " --chains 100")


def showers(s):
    samples = [("standin", "standin", 50)] + ([("corsika", s.corsika, 300)] if s.corsika != "standin" else [])
    for name, corsika, energy in samples if s.full else []:
        claim = "showers of other seeds, instances, the extended form and consecutive seeds have the same distributions: "
        yield Check(f"showers-{name}", "Showers", claim + name, f"{s.script('showers/start')} {shlex.quote(f'{s.out}/showers-{name}')} "
                    f"--corsika {shlex.quote(corsika)} -- --faults --energy {energy}")


def battery(name, subject, test, command, judge="accepted", known=()):
    claim = f"{name} {test} {'accepts' if judge == 'accepted' else 'rejects'} {subject}"
    return Check(f"{name}-{subject}-{test}", name, claim, command, judge, known)


def missing(name, group, claim, why):
    yield Check(name, group, claim + " accepts the generator", f"echo 'SKIPPED: {why}'; exit 77")


def dieharder(s):
    def one(subject, test, tuple_=None, judge="accepted"):
        # A seed of its own for each test: a test that is run alone gives what it gives here.
        seed = 12345 + 4 * (100 * test + (tuple_ or 0))
        more, number = ("", f"{test}") if tuple_ is None else (f" -n {tuple_}", f"{test}.{tuple_}")
        stream = f"{s.program('ranmar-stream')} {subject} --seed {seed}"
        return battery("dieharder", subject, number, f"{stream} | dieharder -g 200 -d {test}{more}", judge)

    if not s.dieharder:
        yield from missing("dieharder", "dieharder", "dieharder", "there is no dieharder; install the package dieharder")
    elif not s.full:
        for subjects, tests, judge in ((("form48", "instances-8", "seeds-4"), (0, 8, 10, 15, 100, 205), "accepted"),
                                       (("form48-low24", "form24", "extended"), (0, 8, 15), "accepted"),
                                       (("randu", "form24-padded"), (8,), "rejected")):
            yield from (one(subject, test, judge=judge) for subject in subjects for test in tests)
    else:
        tests = [(test, None) for test in (*range(14), 15, 16, 17, 100, 101, 102, *range(204, 210))]  # 14: not to be used, dieharder says
        tests += [(200, tuple_) for tuple_ in range(1, 13)] + [(test, tuple_) for tuple_ in range(2, 6) for test in (201, 202)]
        tests += [(203, tuple_) for tuple_ in range(33)]
        for subject in ("form48", "instances-8", "form48-low24", "form24", "seeds-4", "extended"):
            yield from (one(subject, *test) for test in tests)


# Bits 25 and lower of a number have no arithmetic part: docs/results.md.
WEAK = {"SmallCrush": ("WeightDistrib", "WeightDistrib, r = 24"), "Crush": ("WeightDistrib", "WeightDistrib, r = 24"),
        "BigCrush": ("Gap, r = 25", "WeightDistrib, r = 26", "WeightDistrib, r = 28", "HammingIndep, L=300, r=26")}


def testu01(s):
    if not s.testu01:
        why = "TestU01 was not found when the tools were built; give cmake -DTESTU01_DIR=FOLDER"
        yield from missing("testu01", "TestU01", "TestU01", why)
        return
    small = ["form48", "form48-high24", "form48-low24", "form48-reversed", "form24", "extended", "instances-8", "instances-64", "seeds-4"]
    runs = [("SmallCrush", 10, small if s.full else ["form48", "extended", "instances-8"])]
    if s.full:
        runs += [("Crush", 96, ["form48", "instances-8", "form48-low24", "seeds-4", "extended", "form24"]),
                 ("BigCrush", 106, ["form48", "instances-8"])]
    for name, tests, subjects in runs:
        for subject in subjects:
            for test in range(1, tests + 1):
                yield battery(name, subject, test, f"{s.program('ranmar-testu01')} {name} {test} {subject} 12345",
                              known=WEAK[name] if subject == "form48" else ())
    yield battery("SmallCrush", "randu", 1, f"{s.program('ranmar-testu01')} SmallCrush 1 randu 12345", "rejected")


def practrand(s):
    if s.full and not s.practrand:
        yield from missing("practrand", "PractRand", "PractRand", "there is no RNG_test of PractRand on the PATH")
    elif s.full:
        # PractRand rejects the lowest bits, sooner or later: docs/results.md. On 2^bits bytes, all of which it must have read.
        for subject, bits, judge, known in (
                ("form48-high24", 38, "accepted", ()), ("instances-8", 36, "accepted", ()),
                ("form48", 30, "accepted", ("[Low1/32]BCFN(2+0,13-4,T)",)), ("form48-low24", 30, "rejected", ()),
                ("extended", 32, "rejected", ()), ("form24", 36, "rejected", ()), ("form24-padded", 30, "rejected", ())):
            length = f"{1 << (bits - 30)}GB"
            yield battery("PractRand", subject, f"2^{bits}", f"{s.program('ranmar-stream')} {subject} | RNG_test stdin32 -tlmin {length} "
                          f"-tlmax {length} -a -multithreaded | awk '{{ print }} index($0, \"(2^{bits} bytes)\") {{ read = 1 }} "
                          "END { exit !read }'", judge, known)


def nist(s):
    if s.full and not s.sts:
        yield from missing("NIST", "NIST SP 800-22", "NIST", "name the folder where the suite of NIST was built in NIST_STS_DIR")
    elif s.full:
        for subject, sequences, judge in (("form24-padded", 60, "rejected"), ("form48", 1000, "accepted"),
                                          ("instances-8", 1000, "accepted")):
            yield battery("NIST", subject, sequences, f"{s.script('batteries/nist')} --stream {s.program('ranmar-stream')} "
                          f"--sts {shlex.quote(s.sts)} --sequences {sequences} {subject}", judge)


def others(s):
    if s.full:
        yield Check("mutation", "Planted faults", "a test catches each planted fault", f"{s.script('mutation/run')} {s.folder('mutation')}")
        yield Check("fuzzing", "Fuzzing", "an hour of changed inputs for each reader of files breaks none",
                    f"{s.script('fuzz/run')} --minutes 60 {s.folder('fuzzing')}")


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def p_values(output):
    """Names and p-values in the output of dieharder, of ranmar-testu01, of batteries/nist or of PractRand."""
    found = []
    for line in output.splitlines():
        # dieharder: test|ntup|tsamples|psamples|p-value|Assessment; ranmar-testu01 and nist: battery, test, name, p by tabs.
        bars, tabs = [part.strip() for part in line.split("|")], line.split("\t")
        # PractRand: name, "R=" and its value, "p" and its value, evaluation. The value may be 1 less a number ("1-3.2e-4").
        row = re.match(r"\s*(.*?)\s+R=.*? p ?~?=\s*(1-)?([0-9.e+-]+)", line)
        if len(bars) == 6 and number(bars[4]) is not None:
            found.append((f"{bars[0]} {bars[1]}", number(bars[4])))
        elif len(tabs) == 4 and number(tabs[3]) is not None:
            found.append((tabs[2], number(tabs[3])))
        elif row and number(row[3]) is not None:
            found.append((row[1], 1 - number(row[3]) if row[2] else number(row[3])))
    return found


def deviations(output):
    """Those of energy and specific heat in the line of ranmar-ising."""
    for line in output.splitlines():
        tabs = line.split("\t")
        if len(tabs) == 13 and None not in (number(tabs[11]), number(tabs[12])):
            return [("energy", number(tabs[11])), ("specific heat", number(tabs[12]))]
    return []


def judge(check, status, output):
    """Whether a claim holds: its verdict, one line, and values (name, number, whether a known weakness). status: None where it
    took too long."""
    lines = [line.strip().replace("\t", " ") for line in output.splitlines() if line.strip()]
    last = lines[-1] if lines else "nothing was printed"
    if status == 77:
        return "skipped", last.removeprefix("SKIPPED: "), []
    if status != 0:
        return "fails", "it took too long" if status is None else f"exit status {status}: {last}", []
    if check.judge == "status":
        return "holds", last, []
    found = deviations(output) if check.judge.startswith("ising") else p_values(output)
    if not found:
        return "fails", f"no result was printed: {last}", []
    values = [(name, value, name in check.known) for name, value in found]
    if check.judge.startswith("ising"):
        within = all(abs(value) <= MOST_SIGMAS for _, value in found)
        holds = within if check.judge == "ising" else any(abs(value) > CAUGHT_SIGMAS for _, value in found)
        return "holds" if holds else "fails", f"energy off by {found[0][1]:.3g}, specific heat by {found[1][1]:.3g} standard errors", values
    beyond = [(name, known) for name, value, known in values if not LEAST_P <= value <= 1 - LEAST_P]
    rejected, known = sum(not known for _, known in beyond), sum(known for _, known in beyond)
    said = f"{len(values)} p-values, {rejected} beyond the limit" + (f", {known} of a known weakness" if known else "")
    rest = [(min(value, 1 - value) if math.isfinite(value) else -1, name, value) for name, value, known in values if not known]
    if rest:
        said += "; the most extreme is {2:.3g} of {1}".format(*min(rest))
    return "holds" if (check.judge == "rejected") == (rejected > 0) else "fails", said, values
