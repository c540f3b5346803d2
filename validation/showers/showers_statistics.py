"""Comparison of samples of showers: Kolmogorov-Smirnov, Anderson-Darling, Holm's correction. No files, no programs."""
import math

import numpy
from scipy import stats


def anderson_darling_tail(a2):
    """P(A^2 > a2) of the limiting distribution (Marsaglia and Marsaglia 2004; above 6 its leading term)."""
    if a2 <= 0:
        return 1.0
    if a2 > 6:
        return min(1.0, math.sqrt(3 / (math.pi * a2)) * math.exp(-a2))
    if a2 < 2:
        inner = 0.247105 - (0.0649821 - (0.0347962 - (0.011672 - 0.00168691 * a2) * a2) * a2) * a2
        return 1 - math.exp(-1.2337141 / a2) / math.sqrt(a2) * (2.00012 + inner * a2)
    inner = 0.43424 - (0.082433 - (0.008056 - 0.0003146 * a2) * a2) * a2
    return 1 - math.exp(-math.exp(1.0776 - (2.30695 - inner * a2) * a2))


def anderson_darling(a, b):
    """p of the two-sample test, ties by mid-ranks. A^2 is computed here, because scipy cuts p at 0.001."""
    both = numpy.concatenate([a, b])
    values, counts = numpy.unique(both, return_counts=True)
    if len(values) < 2:
        return 1.0
    n, total = len(a), len(both)
    sorted_a = numpy.sort(a)
    left = numpy.searchsorted(sorted_a, values, "left")
    right = numpy.searchsorted(sorted_a, values, "right")
    m = (left + right) / 2  # of a below each value, mid-ranks
    below = numpy.cumsum(counts) - counts / 2
    terms = counts * (total * m - n * below) ** 2 / (below * (total - below) - total * counts / 4)
    a2 = (total - 1) / total**2 * numpy.sum(terms) / n * total / (total - n)
    return anderson_darling_tail(a2)


def kolmogorov_smirnov(a, b):
    """p of the two-sample test."""
    return float(stats.ks_2samp(a, b, method="asymp").pvalue)


def holm(p_values):
    """Corrected p-values: each is the level at which its hypothesis falls."""
    order = numpy.argsort(p_values)
    corrected, largest = numpy.empty(len(order)), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(order) - rank)))
        corrected[index] = largest
    return corrected.tolist()


def compare(base, samples):
    """One record for each sample, observable and test. base: {observable: values}; samples: {name: such a table}."""
    records = []
    for name, table in samples.items():
        for observable, values in table.items():
            a, b = base[observable], values
            spread = math.sqrt((numpy.var(a) + numpy.var(b)) / 2) or 1.0
            for test, p_of in (("KS", kolmogorov_smirnov), ("AD", anderson_darling)):
                records.append({"sample": name, "observable": observable, "test": test, "p": p_of(a, b),
                                "shift": float((numpy.mean(b) - numpy.mean(a)) / spread)})
    for record, p in zip(records, holm([r["p"] for r in records])):
        record["corrected_p"] = p
    return records


def repeats(base, table):
    """Showers that equal an earlier one of their sample, or one of the base sample, in all observables."""
    names = list(base)
    seen, count = set(zip(*(base[n].tolist() for n in names))), 0
    for row in zip(*(table[n].tolist() for n in names)):
        count += row in seen
        seen.add(row)
    return count
