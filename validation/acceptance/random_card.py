# Random cards: what a user may vary that touches light or random numbers. The showers of a card have some 50 to 500 GeV of light
# together, so that a run takes seconds.
import math, random

# Name, code, energy over that of a gamma with as much light, least GeV (below it there is no light, or CORSIKA refuses it), nucleons.
GAMMA, ELECTRON, MUON = ("gamma", 1, 1, 10, 0), ("electron", 3, 1, 10, 0), ("muon", 6, 5, 8, 0)
PROTON = ("proton", 14, 2.5, 60, 1)
PRIMARIES = [GAMMA, GAMMA, GAMMA, ELECTRON, ("positron", 2, 1, 10, 0), MUON, ("antimuon", 5, 5, 8, 0), PROTON, PROTON,
             ("pion", 8, 2.5, 60, 0), ("helium", 402, 2.5, 400, 4), ("nitrogen", 1407, 2.5, 1400, 14)]


class Dice:
    """The same for a seed and a number with every Python: only random() is promised to be."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}-{number}").random

    def between(self, low, high):
        return low + (high - low) * self.random()

    def scale(self, low, high):  # evenly in the logarithm
        return math.exp(self.between(math.log(low), math.log(high)))

    def whole(self, low, high):
        return low + int(self.between(0, high - low + 1))

    def chance(self, share):
        return self.random() < share

    def any(self, *values):
        return values[self.whole(0, len(values) - 1)]


def random_card(options, atmospheres, standin, seed, number):
    """Card `number` of a seed for a program with these options of coconut and tables. Returns its name, its text and the patched
    program's generator and Cherenkov stage."""
    dice, card = Dice(seed, number), []
    add = card.append
    primary, code, dim, least, nucleons = dice.any(GAMMA, ELECTRON, MUON) if standin else dice.any(*PRIMARIES)
    curved, cone = "CURVED" in options, 0
    add(f"RUNNR {dice.any(1, 2, dice.whole(3, 999999))}")
    add(f"EVTNR {dice.any(1, dice.whole(1, 9999))}")
    add(f"PRMPAR {code}")
    if "VIEWCONE" in options:
        cone = dice.any(0, 3, 10)
        add(f"VIEWCONE 0. {cone:.1f}")
    most = (84 if curved else 66) - cone
    zenith = 0 if dice.chance(0.1) else dice.between(0, most)
    add(f"THETAP {zenith:.3f} {min(most, zenith + dice.scale(0.1, 20)) if dice.chance(0.4) else zenith:.3f}")
    azimuth = dice.between(-180, 180)
    add("PHIP 0. 360." if dice.chance(0.3) else f"PHIP {azimuth:.3f} {azimuth + (0 if dice.chance(0.5) else dice.between(0, 90)):.3f}")

    # A bunch of few photons, or a long way through the air, takes longer.
    photons = "CERWLEN" in options or "CEFFIC" in options
    bunch = dice.any(1, 1, 3, 5) if photons else dice.any(0, 1, 2.5, 5, 5, 20, 77)
    energy = dice.scale(50, 500) * dim
    energy *= 0.4 if 0 < bunch < 3 else 1
    energy *= max(0.3, math.cos(math.radians(zenith))) if curved else 1
    energy *= 0.3 if standin else 1
    showers = max(1, min(int(energy / least), dice.whole(1, 4)))
    each = max(energy / showers, least)
    add(f"NSHOW {showers}")
    add(f"ERANGE {each:.2f} {each if dice.chance(0.5) else each * dice.scale(1.01, 2):.2f}")
    add(f"ESLOPE {dice.any(-2.7, -1, -1.5, dice.between(-4, 0)):.2f}")
    for _ in range(dice.any(2, 3, 3, 4, 4, 5, 6)):  # 3 are the least that a program with light uses
        add(f"SEED {dice.whole(1, 900000000)} {dice.whole(1, 300000) if dice.chance(0.15) else 0} 0")

    lowest = 0
    if atmospheres and not dice.chance(0.05):
        table = 0 if dice.chance(0.1) else dice.any(*atmospheres)
        add(f"ATMOSPHERE {table} {dice.any('T', 'T', 'F')}")
        lowest = 1050 if table > 30 else 0  # tables of groups may begin at a kilometre
    level = dice.any(1270, 2200, lowest + 100, dice.between(lowest, 2800))
    add(f"OBSLEV {level:.1f}E2")
    add(f"ECUTS {dice.scale(0.3, 1):.2f} {dice.scale(0.05, 0.5):.3f} {dice.scale(0.015, 0.1):.4f} {dice.scale(0.015, 0.1):.4f}")
    add(f"LONGI {dice.any('T', 'T', 'F')} {dice.any(20, 10, 5, 2, 7, 33, 100, dice.scale(1, 200)):.1f} F F")
    if not standin:
        add_cascade(add, dice, curved, nucleons, level)
    add_telescopes(add, dice)
    add_light(add, dice, options, standin, bunch)
    add(f"PAROUT {dice.any('T', 'T', 'F')} F")
    card += ["DIRECT ./", "EXIT"]
    name = f"{primary} of {each:.0f} GeV, {showers} showers, zenith {zenith:.1f}, bunches of {bunch}"
    backend = dice.any("auto", "simd", "reference")
    return name, "\n".join(card) + "\n", backend, dice.any("cpu", "cpu", "thread", "thread", "auto", "auto", "off")


def add_cascade(add, dice, curved, nucleons, level):
    """What CORSIKA has and the stand-in has not."""
    for _ in range(0 if curved else dice.any(0, 0, 0, 1, 2, 4)):
        add(f"OBSLEV {dice.between(level + 100, 8000):.1f}E2")
    if dice.chance(0.25):
        add(f"FIXCHI {dice.scale(1, 400):.2f}")
    elif nucleons and dice.chance(0.3):
        add(f"FIXHEI {dice.between(12, 30):.1f}E5 {dice.whole(0, 3)}")
    add(f"MAGNET {dice.between(5, 40):.2f} {dice.between(-50, 50):.2f}")
    add(f"ELMFLG {dice.any('F', 'F', 'T')} T")
    add("RADNKG 200.E2")
    add(f"HADFLG 0 0 0 0 0 {dice.any(1, 2)}")
    add(f"MUADDI {dice.any('F', 'T')}")
    add(f"MUMULT {dice.any('F', 'T')}")
    add(f"MAXPRT {dice.any(0, 1, 2, 50)}")
    add(f"ECTMAP {dice.any('1.E5', '1.E2')}")
    add(f"DEBUG F 6 F {dice.any(1, 999999999)}")
    add("USER random")


def add_telescopes(add, dice):
    field, x, y = dice.scale(20, 500), 0, 0
    for i in range(dice.any(1, 1, 2, 3, 4, 5, 7, 12, 25, 60)):
        if i == 0 or not dice.chance(0.1):  # else one that overlaps the one before
            x, y = dice.between(-field, field), dice.between(-field, field)
        height = 0 if dice.chance(0.4) else dice.between(0, 40)
        sign, radius = "-" if dice.chance(0.01) else "", dice.any(7, 12.5, dice.scale(0.3, 40))
        add(f"TELESCOPE {x:.2f}E2 {y:.2f}E2 {height:.2f}E2 {sign}{radius:.3f}E2")
    if dice.chance(0.7):
        add(f"ARRANG {dice.between(-180, 180):.2f}")
    if dice.chance(0.7):
        core_y = f"{dice.scale(5, 500):.1f}E2" if dice.chance(0.2) else "0."
        add(f"CSCAT {dice.any(1, 2, 3, 5, 10, 20)} {dice.any(0, dice.scale(5, 1000)):.1f}E2 {core_y}")


def add_light(add, dice, options, standin, bunch):
    if not standin or bunch > 0:
        add(f"CERSIZ {bunch:.2f}")
    shortest = dice.any(200, 250, 300, dice.between(180, 400))
    add(f"CWAVLG {shortest:.1f} {dice.any(600, 700, dice.between(shortest + 20, 700)):.1f}")
    add(f"TELFIL {dice.any('telescope.dat', 'telescope.dat', 'light.iact', 'Light_2.dat')}")
    if standin:
        return
    if dice.chance(0.9):
        add(f"CERFIL {dice.any(0, 0, 0, 1)}")
    if "CEFFIC" in options:
        add(f"CERQEF {dice.any('T', 'F')} {dice.any('T', 'F')} {dice.any('T', 'F')}")
    for share, line in (
            (0.1, f"setenv RANDOM_CARDS {dice.whole(1, 9)}"),
            # Release 1.63 of the package takes the name, and then does not know the line.
            (0.02, f"telfil other_{dice.whole(1, 9)}.dat"),
            (0.1, f"print_events {dice.whole(0, 5)} 1 1 {dice.whole(1, 3)}"),
            (0.1, f"internal_bunches {dice.any(1000, 20000, 1000000)}"),
            (0.1, f"max_bunches {dice.any(100, 20000, 1000000)}"),
            (0.1, f"impact_correction {dice.any('on', 'off')}"),
            (0.1, f"split_auto {dice.any('10k', '1M')}")):
        if dice.chance(share):
            add("IACT " + line)
