"""Draws stages.png and times.png from a report.json: plot_report.py REPORT.JSON FOLDER"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def draw_times(report, folder):
    """CPU time of every run, by build."""
    runs = report["runs"]
    figure, axes = plt.subplots(figsize=(6, 1.2 + 0.6 * len(runs)))
    for row, build in enumerate(runs):
        axes.barh(row, build["median_cpu_s"], color="#8fb3d9")
        axes.plot(build["cpu_s"], [row] * len(build["cpu_s"]), "k|", markersize=12)
    axes.set_yticks(range(len(runs)), [build["build"] for build in runs])
    axes.invert_yaxis()
    axes.set_xlabel("CPU time of a run, s (bar: median; marks: runs)")
    axes.set_title(f"{report['profile']}, {report['showers']} showers, flags {report['flags']}")
    figure.savefig(os.path.join(folder, "times.png"), dpi=120, bbox_inches="tight")
    plt.close(figure)


def draw_stages(report, folder):
    """CPU time of every stage, stock beside patched."""
    seconds = {build["build"]: build["median_cpu_s"] for build in report["runs"]}
    builds = [name for name in ("stock", "patched") if name in report["sampler"] and name in seconds]
    if not builds:
        return
    figure, axes = plt.subplots(figsize=(9, 1.8 + 0.7 * len(builds)))
    left = dict.fromkeys(builds, 0.0)
    for number, stage in enumerate(report["stages"]):
        widths = [report["sampler"][name]["stages"][stage["name"]] * seconds[name] for name in builds]
        if sum(widths) == 0:
            continue
        axes.barh(builds, widths, left=[left[name] for name in builds], label=stage["title"],
                  color=plt.get_cmap("tab10")(number % 10), edgecolor="black" if stage["accelerated"] else "none")
        for name, width in zip(builds, widths):
            left[name] += width
    axes.invert_yaxis()
    axes.set_xlabel("CPU time, s")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.35), ncol=2, frameon=False, fontsize=8)
    figure.savefig(os.path.join(folder, "stages.png"), dpi=120, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        content = json.load(file)
    draw_times(content, sys.argv[2])
    draw_stages(content, sys.argv[2])
