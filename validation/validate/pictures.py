# The pictures of validation.json: p-values in their order, and deviations of the Ising model. Arguments: the file and the
# folder to write to.
import json, os, sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

document = json.load(open(sys.argv[1]))
folder = sys.argv[2]
checks = [dict(check, group=group["name"]) for group in document["groups"] for check in group["checks"]]

for name in ("p-values.png", "ising.png"):
    if os.path.exists(os.path.join(folder, name)):
        os.remove(os.path.join(folder, name))

values = [v for c in checks if c["group"] in ("dieharder", "SmallCrush", "Crush", "BigCrush") and " accepts " in c["claim"] for v in c["values"]]
good = sorted(v["number"] for v in values if not v["known"])
if good:
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.plot([(i + 0.5) / len(good) for i in range(len(good))], good, ".", color="#0f5c73", label="p-values, sorted")
    axes.plot([0, 1], [0, 1], color="#58646f", linewidth=0.8, label="expected")
    axes.set(xlabel="rank / number of p-values", ylabel="p-value", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    figure.savefig(os.path.join(folder, "p-values.png"), dpi=120)

chains = [c for c in checks if c["group"] == "Ising model" and len(c["values"]) == 2]
if chains:
    figure, axes = plt.subplots(figsize=(8, 0.24 * len(chains) + 1.4), layout="constrained")
    for i, check in enumerate(chains):
        for value, mark in zip(check["values"], "o^"):
            if value["number"] is not None:
                axes.plot(value["number"], i, mark, color="#a3231b" if "caught" in check["claim"] else "#0f5c73", markersize=4)
    axes.set_yticks(range(len(chains)), [c["name"][len("ising-"):] for c in chains], fontsize=7)
    for limit in (-4, 4):
        axes.axvline(limit, color="#58646f", linewidth=0.8)
    axes.set(xlabel="deviation from the exact value in standard errors (circle: energy, triangle: specific heat)")
    axes.invert_yaxis()
    figure.savefig(os.path.join(folder, "ising.png"), dpi=120)
