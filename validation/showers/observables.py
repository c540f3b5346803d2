"""Observables of showers, from telescope files (eventio) and particle files (corsikaio)."""
import struct

import corsikaio.io
import eventio
import numpy

STANDIN_BLOCK = 0x53544E44


def standin_events(path):
    """Light of each telescope, and number of charged particles by depth, of each event of the stand-in's photon file.

    The stand-in has a format of its own (validation/standin/README.md), which eventio does not know.
    """
    data, at, light, profile = path.read_bytes(), 0, {}, None
    fields = ("x", "y", "cx", "cy", "time", "zem", "photons", "wavelength")
    layout = numpy.dtype([(field, "f4") for field in fields])
    while at < len(data):
        magic, kind, ident, size = struct.unpack_from("<4i", data, at)
        if magic != STANDIN_BLOCK:
            raise ValueError(f"{path}: no block at byte {at}")
        body, at = data[at + 16:at + 16 + size], at + 16 + size
        if kind == 3:
            light, profile = {}, None
        elif kind == 4:
            light.setdefault(ident % 1000, []).append(numpy.frombuffer(body, layout))
        elif kind == 5:
            values = numpy.frombuffer(body, "f8")
            profile = (values[0], values[1:1 + ident])
        elif kind == 6:
            yield {telescope: numpy.concatenate(parts) for telescope, parts in light.items()}, profile


def corsika_events(path):
    """The same of an IACT file, read by eventio; array copies of one shower together."""
    light, profile, number = {}, None, None
    with eventio.IACTFile(str(path)) as file:
        for event in file:
            if number is not None and event.event_number != number:
                yield {t: numpy.concatenate(parts) for t, parts in light.items()}, profile
                light, profile = {}, None
            number = event.event_number
            for telescope, bunches in event.photon_bunches.items():
                light.setdefault(telescope, []).append(bunches)
            if event.longitudinal is not None:
                longitudinal = event.longitudinal
                profile = (longitudinal["thickstep"], numpy.array(longitudinal["data"][6], float))
    if number is not None:
        yield {t: numpy.concatenate(parts) for t, parts in light.items()}, profile


def light_events(path):
    with open(path, "rb") as file:
        standin = file.read(4) == struct.pack("<i", STANDIN_BLOCK)
    return standin_events(path) if standin else corsika_events(path)


def particle_counts(path):
    """Gammas, electrons, hadrons and muons at the ground, for each event: words 3 to 6 of EVTE."""
    counts = []
    with open(path, "rb") as file:
        for block in corsikaio.io.iter_blocks(file):
            if block[:4] == b"EVTE":
                counts.append(numpy.frombuffer(block, "f4")[2:6])
            if block[:4] == b"RUNE":
                return counts
    raise ValueError(f"{path}: no RUNE")


def width_length(bunches):
    """Root mean squares of the image along its short and long axis, in degrees."""
    if len(bunches) < 3:
        return 0.0, 0.0
    weights = numpy.asarray(bunches["photons"], float)
    covariance = numpy.cov(numpy.array([bunches["cx"], bunches["cy"]], float), aweights=weights)
    values = numpy.clip(numpy.linalg.eigvalsh(covariance), 0, None)
    return tuple(numpy.degrees(numpy.sqrt(values)))


def depth_of_maximum(profile):
    """Of a parabola through the highest bin and its neighbours."""
    step, numbers = profile
    top = int(numpy.argmax(numbers))
    if not 0 < top < len(numbers) - 1:
        return step * top
    low, mid, high = numbers[top - 1:top + 2]
    bend = low - 2 * mid + high
    return step * (top + (0.5 * (low - high) / bend if bend else 0.0))


def light_row(light, profile, telescopes):
    row = {"depth_of_maximum": depth_of_maximum(profile),
           "depth_mean": profile[0] * float(numpy.average(numpy.arange(len(profile[1])), weights=profile[1] + 1e-9)),
           "charged_at_maximum": float(profile[1].max())}
    for telescope in telescopes:
        row[f"light_{telescope + 1}"] = float(numpy.sum(light[telescope]["photons"], dtype=float)) if telescope in light else 0.0
    images = [width_length(bunches) for bunches in light.values()]
    row["image_width"] = float(numpy.mean([image[0] for image in images])) if images else 0.0
    row["image_length"] = float(numpy.mean([image[1] for image in images])) if images else 0.0
    times = [numpy.asarray(bunches["time"], float) for bunches in light.values() if len(bunches)]
    row["arrival_mean"] = float(numpy.mean([t.mean() for t in times])) if times else 0.0
    row["arrival_spread"] = float(numpy.mean([t.std() for t in times])) if times else 0.0
    return row


def of_run(folder, telescope_file, particle_file, telescopes):
    """A row of observables for each shower of a run."""
    rows = [light_row(light, profile, telescopes) for light, profile in light_events(folder / telescope_file)]
    counts = particle_counts(folder / particle_file)
    if len(counts) != len(rows):
        raise ValueError(f"{folder}: {len(rows)} showers in the telescope file, {len(counts)} in the particle file")
    for row, numbers in zip(rows, counts):
        row.update(zip(("gammas", "electrons", "hadrons", "muons"), map(float, numbers)))
    return rows
