#!/usr/bin/env python3
"""Draws docs/figures/gain.svg: CPU time of stock as shipped, stock tuned and patched, one row a profile.

usage: docs/figures/gain.py REPORT.json... > docs/figures/gain.svg
Each report.json is one that `overlay compare` wrote for one profile with --flags tuned.
"""
import json
import sys

COLOURS = {"stock-shipped": "#b8b8b8", "stock": "#7f7f7f", "patched": "#0072b2"}
TITLES = {"stock-shipped": "stock as shipped", "stock": "stock, -O2", "patched": "patched, -O2"}


def main(files):
    reports = [json.load(open(file, encoding="utf-8")) for file in files]
    bar, gap, left, width = 17, 34, 190, 760
    rows, y = [], 52
    for report in reports:
        times = {run["build"]: run["median_cpu_s"] for run in report["runs"]}
        unit = times["stock"]
        longest = max(times.get(build, 0) / unit for build in COLOURS)
        rows.append((report, times, unit, longest))
    scale = (width - left - 130) / max(row[3] for row in rows)
    out = []
    for report, times, unit, _ in rows:
        out.append(f'<text x="{left - 12}" y="{y + 32}" text-anchor="end">{report["profile"]}</text>')
        for build in COLOURS:
            if times.get(build) is None:
                continue
            length = times[build] / unit * scale
            out.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar}" fill="{COLOURS[build]}"/>')
            text = f'{times[build]:.1f} s'
            weight = ''
            if build == "patched":
                text += f', {report["speedup"]["measured"]:.1f} times as fast'
                weight = ' font-weight="600"'
            out.append(f'<text x="{left + length + 6:.1f}" y="{y + 14}" font-size="13"{weight}>{text}</text>')
            y += bar + 2
        y += gap - bar
    legend, x = [], left
    for build, title in TITLES.items():
        legend.append(f'<rect x="{x}" y="14" width="13" height="13" fill="{COLOURS[build]}"/>'
                      f'<text x="{x + 19}" y="25" font-size="13">{title}</text>')
        x += 150
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" font-family="system-ui, sans-serif" '
          f'font-size="15" role="img" aria-label="CPU time of stock and patched CORSIKA">')
    print(f'<rect width="{width}" height="{y}" fill="#fff"/>')
    print('\n'.join(legend + out))
    print('</svg>')


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1:])
