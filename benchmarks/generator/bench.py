"""Makes bench.json, bench.md and, where matplotlib is here, bench.png from what Google Benchmark measured:
bench.py FOLDER RUN MEASURED.json... RUN is JSON: machine, simd_target, skipped. The label of a benchmark is its row."""
import json, pathlib, statistics, sys

ONE_CORE_REQUEST, RESIDENT_REQUEST = 4096, 2**28  # that ratios are taken at
KINDS = {"generate": "one core, ns a number (CPU time)",
         "draw": "calls for a few numbers, ns a number (CPU time)",
         "threads": "a thread a sequence, ns a number (wall time, numbers of all threads)",
         "device": "left in device memory, ns a number",
         "host": "delivered to pinned host memory, ns a number (wall time)"}


def rows_of(measured):
    """Rows of one file, in the order in which they were added; a row is the median of its repetitions."""
    rows = {}
    for run in measured["benchmarks"]:
        if run.get("run_type", "iteration") != "iteration":
            continue
        if run.get("error_occurred"):
            raise ValueError(run["error_message"])
        row = rows.setdefault(run["family_index"], {**json.loads(run["label"]), "samples": []})
        # CPU time on one core, so that other programs of the machine do not count; wall time elsewhere.
        time = run["cpu_time" if row["kind"] in ("generate", "draw") else "real_time"]
        row["samples"].append(time / row["numbers"])
    for _, row in sorted(rows.items()):
        del row["numbers"]
        size, middle = row.pop("bytes"), statistics.median(row["samples"])
        if row["device"] != "cpu":
            del row["threads"]
        row.update(ns_per_number=middle, gb_per_s=size / middle, ns_low=min(row["samples"]), ns_high=max(row["samples"]))
        yield row


def times_of(rows, kind, name, threads=1):
    """At each number of numbers a request the least ns a number, of rows with this name; where it ends with a blank, of those
    whose names begin so."""
    times = {}
    for row in rows:
        named = row["name"].startswith(name) if name.endswith(" ") else row["name"] == name
        if named and (row["kind"], row.get("threads", 1)) == (kind, threads):
            times[row["n"]] = min(times.get(row["n"], row["ns_per_number"]), row["ns_per_number"])
    return times


def ratios_of(rows):
    """Of throughputs; absent where this machine cannot tell. Of several peers the fastest."""
    wanted = [("simd_over_stock", "generate", "simd", "stock loop", ONE_CORE_REQUEST),
              ("tree_over_stock_loop", "generate", "RMMARD of the tree", "stock loop", ONE_CORE_REQUEST)]
    for key, kind, peer, n in (("cuda_over_fill", "device", "fill ", RESIDENT_REQUEST), ("cuda_over_best_curand", "device", "cuRAND ", RESIDENT_REQUEST),
                               ("host_over_pinned_copy", "host", "pinned copy", 2**20)):
        wanted += [(key, kind, "cuda 48-bit", peer, n), (key + "_1e8", kind, "cuda 48-bit", peer, 10**8)]
    pairs = [(key, times_of(rows, kind, fast).get(n), times_of(rows, kind, slow).get(n)) for key, kind, fast, slow, n in wanted]
    return {key: slow / fast for key, fast, slow in pairs if fast and slow}


def lines_of(rows):
    """Numbers a second against numbers a request, of the backends for which there are rows; of several rows the fastest."""
    most = max((row.get("threads", 1) for row in rows), default=1)
    wanted = [("stock loop", "generate", "stock loop"), ("reference, one core", "generate", "reference"),
              ("simd, one core", "threads", "simd"), ("simd, all cores", "threads", "simd", most if most > 1 else 0),
              ("cuda, device-resident", "device", "cuda 48-bit"), ("cuda, delivered to the host", "host", "cuda 48-bit"),
              ("opencl, device-resident", "device", "opencl 48-bit"), ("opencl, delivered to the host", "host", "opencl 48-bit"),
              ("best of cuRAND, device-resident", "device", "cuRAND "), ("fill, device memory", "device", "fill "),
              ("fill, one core", "generate", "fill")]
    lines = [{"name": title, "points": [{"n": n, "numbers_per_s": 1e9 / time} for n, time in sorted(times_of(rows, *what).items())]}
             for title, *what in wanted]
    return [line for line in lines if line["points"]]


def cores_of(machine):
    return f"{machine['cpu']}, {machine['cores']} core{'s' if machine['cores'] > 1 else ''}"


def markdown(bench):
    text = f"{cores_of(bench['machine'])}, simd {bench['simd_target']}\n\n"
    for kind, title in KINDS.items():
        cells = {}
        for row in [row for row in bench["rows"] if row["kind"] == kind]:
            many = f", {row['threads']} thread{'s' if row['threads'] > 1 else ''}" if kind == "threads" else ""
            cells.setdefault(row["name"] + many, {})[row["n"]] = f" {row['ns_per_number']:.3g}"
        if sizes := sorted({n for of in cells.values() for n in of}):
            lines = [[" " + title, *(f" {n}" for n in sizes)], [" ---"] * (1 + len(sizes))]
            lines += [[" " + name, *(of.get(n, "") for n in sizes)] for name, of in cells.items()]
            text += "".join("|" + "".join(f"{cell} |" for cell in line) + "\n" for line in lines) + "\n"
    text += "".join(f"{name}: {value:.4g}\n" for name, value in sorted(bench["ratios"].items()))
    return text + "".join(line + "\n" for line in bench["skipped"])


def draw(bench, picture):
    """One line a backend."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(10, 6.5))
    for number, line in enumerate(bench["lines"]):
        axes.loglog([point["n"] for point in line["points"]], [point["numbers_per_s"] for point in line["points"]],
                    marker=".", color=pyplot.get_cmap("tab10")(number % 10), label=line["name"],
                    linestyle=":" if line["name"].startswith("fill") else "-")
    axes.set_xlabel("numbers a request")
    axes.set_ylabel("numbers a second")
    devices = sorted({row["device"] for row in bench["rows"] if row["device"] != "cpu"})
    axes.set_title("; ".join([cores_of(bench["machine"]), *devices]), fontsize=10)
    axes.grid(which="major", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    figure.savefig(picture, dpi=120, bbox_inches="tight")


def write(file, text):
    unfinished = file.with_name("." + file.name)
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(file)


def main(folder, run, *measured):
    bench = {**json.loads(run), "rows": []}
    for path in measured:
        bench["rows"] += rows_of(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
    bench["ratios"], bench["lines"] = ratios_of(bench["rows"]), lines_of(bench["rows"])
    unfinished = pathlib.Path(folder, ".bench.png")
    try:
        draw(bench, unfinished)
        unfinished.replace(pathlib.Path(folder, "bench.png"))
    except ImportError:
        bench["skipped"].append("no pictures: python3 has no matplotlib (Debian: python3-matplotlib)")
    write(pathlib.Path(folder, "bench.json"), json.dumps(bench, indent=2) + "\n")
    write(pathlib.Path(folder, "bench.md"), markdown(bench))


if __name__ == "__main__":
    main(*sys.argv[1:])
