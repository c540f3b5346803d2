"""Draws throughput against numbers a request from a bench.json: plot_bench.py BENCH.JSON PICTURE.png"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def draw(bench, picture):
    """One line a backend; a ring where one line passes another, and its size."""
    figure, axes = plt.subplots(figsize=(10, 6.5))
    for number, line in enumerate(bench["lines"]):
        axes.loglog([point["n"] for point in line["points"]], [point["numbers_per_s"] for point in line["points"]],
                    marker=".", color=plt.get_cmap("tab10")(number % 10), label=line["name"],
                    linestyle=":" if line["name"].startswith("fill") else "-")
    crossings = [edge for crossover in bench["crossovers"] for stretch in crossover["faster"]
                 for edge in stretch.values()]
    for edge in crossings:
        axes.plot(edge["n"], edge["numbers_per_s"], "o", markersize=12, fillstyle="none", color="black")
        axes.annotate(f"{float(format(edge['n'], '.2g')):,.0f}", (edge["n"], edge["numbers_per_s"]), xytext=(6, -14),
                      textcoords="offset points", fontsize=8)
    axes.set_xlabel("numbers a request")
    axes.set_ylabel("numbers a second")
    devices = sorted({row["device"] for row in bench["rows"] if row["device"] != "cpu"})
    cores = bench["machine"]["cores"]
    processor = f"{bench['machine']['cpu']}, {cores} core{'s' if cores > 1 else ''}"
    axes.set_title("; ".join([processor, *devices]), fontsize=10)
    axes.grid(which="major", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    figure.savefig(picture, dpi=120, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        draw(json.load(file), sys.argv[2])
