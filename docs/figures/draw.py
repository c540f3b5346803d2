"""Draws the figures of these pages. usage: draw.py bound BRUTE_FORCE | draw.py page FILE.html WIDTH HEIGHT OUT.png

bound: same-bytes.png beside this file, from runs of BRUTE_FORCE. page: a picture of FILE.html by chromium; the parts of
a report of `overlay compare` get numbers."""
import pathlib, re, subprocess, sys, tempfile

from matplotlib import pyplot
from PIL import Image

# Text of a report -> number; the text occurs once.
NOTES = {"Same bytes: ": 1, "Gain: ": 2, "Light that can hit": 3, "Load of the machine": 4, "The gain, part by part": 5, "Times of a run": 6}


def missed(program, *options):
    """Bunches that the stage misses among ten million."""
    said = subprocess.run([program, "--bunches", "10000000", *options], capture_output=True, text=True).stdout
    return int(re.search(r"missed (\d+)", said)[1])


def draw_geometry(axes):
    blue, red, green = "#0072b2", "#d55e00", "#00805c"
    axes.plot([2.0, 3.0], [9.4, 8.4], "k", lw=3)
    axes.text(3, 9.2, "a step of a charged particle emits a bunch")
    axes.plot([0, 10], [1.5, 1.5], "k")
    axes.text(0, 1.05, "detection plane")
    axes.annotate("", (0.6, 1.5), (0.6, 8.9), arrowprops={"arrowstyle": "<->"})
    axes.text(0.25, 5, "z")
    axes.plot([2.5, 5.6], [8.9, 1.5], color=blue, ls="--")
    axes.text(4.3, 5.4, "straight line (u, v, w)", color=blue)
    axes.plot([2.5, 4, 4.9], [8.9, 4.95, 1.5], color=red)
    axes.fill_betweenx([1.5, 8.9], [4.5, 2.5], [5.3, 2.5], color=red, alpha=0.15, lw=0)
    axes.text(0.9, 3.6, "place that the\nstage computes,\nand ± E", color=red)
    axes.annotate("", (4.8, 1), (5.7, 1), arrowprops={"arrowstyle": "<->", "color": red})
    axes.text(3.9, 0.3, "shift k (u, v)/w³", color=red)
    for radius, dashes in (0.9, "-"), (1.35, "--"):
        axes.add_patch(pyplot.Circle((8.2, 1.9), radius, fill=dashes == "-", fc="#009e7330", ec=green, ls=dashes))
    axes.plot([8.2, 9], [1.9, 2.3], color=green)
    axes.text(8.3, 1.65, "$r_s$", color=green)
    axes.text(6.2, 3.5, "sphere, and what is\nadded to its radius", color=green)
    axes.plot([6.9, 9.5], [1.5, 1.5], color="#e69f00", lw=5)
    axes.plot([7.3, 9.1], [1.5, 1.5], color=green, lw=5)
    axes.text(7, -0.55, "footprint, and\nmargin of 40 cm", color=green)
    axes.set(xlim=(0, 10), ylim=(-0.6, 9.6), aspect="equal")
    axes.axis("off")


def draw_bound(program):
    pyplot.rcParams.update({"font.size": 9})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    draw_geometry(left)
    for label, options, fmt in (("spheres, CURVED", ["--curved", "--expect-misses", "--weaken-spheres"], "s-"),
                                ("spheres, flat", ["--weaken-spheres"], "o-"), ("footprints, flat", ["--weaken"], "^-")):
        cut = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20]
        right.plot(cut, [missed(program, *options, str(x)) for x in cut], fmt, label=label, clip_on=False)
    right.set_yscale("symlog", linthresh=1)
    right.set(xlim=(0, 20.5), ylim=(0, 1e5), xlabel="cm by which the stage is told too little", xticks=range(0, 21, 5), ylabel="missed among 10 million bunches")
    right.set_yticks([0, 1, 10, 100, 1000, 10000, 100000], ["none", "1", "10", "100", "1,000", "10,000", "100,000"])
    right.legend(frameon=False, loc="lower right")
    figure.savefig(pathlib.Path(__file__).with_name("same-bytes.png"), dpi=150, metadata={"Software": None})


def draw_page(page, width, height, out):
    html = pathlib.Path(page).read_text()
    for text, number in NOTES.items():
        note = f'<b style="background:#d55e00;color:#fff;border-radius:1em;padding:0 .5em;margin-right:.4em">{number}</b>'
        html = html.replace(text, text.replace(">", ">" + note) if text[0] == "<" else note + text, 1)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "page.html")
        copy.write_text(html)
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}",
                        f"--screenshot={out}", copy.as_uri()], check=True, stderr=subprocess.DEVNULL)
    Image.open(out).convert("RGB").quantize(64).save(out, optimize=True)


if sys.argv[1:2] == ["bound"] and len(sys.argv) == 3:
    draw_bound(sys.argv[2])
elif sys.argv[1:2] == ["page"] and len(sys.argv) == 6:
    draw_page(*sys.argv[2:])
else:
    sys.exit(__doc__)
