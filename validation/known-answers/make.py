#!/usr/bin/env python3
"""Writes known-answers.txt. Shares no code with libranmar: RANMAR stepped number by number as in James (1990), and
far positions by plain polynomial arithmetic, both in Python's integers. Writes to standard output, nothing else, in ten
seconds; ends with an error where the answers are not those that were known before.

usage: make.py > known-answers.txt
"""

import contextlib, functools, hashlib, io, sys

SHA256 = "f572482bc763d2d0b5cf7524434fd9112c7fa69da0c2b2bee79eade246420e35"  # of known-answers.txt

SEEDS = [54217137, 1, 11, 12, 13, 14, 900000000]
STEPPED = [1, 98, 20001, 1000001]
FAR = [10**9 + 1, 10**12 + 7, 2**40, 2**60 + 1, 3 * 2**60 + 20001, 2**63 - 1, 2**63 + 12345, 63 * 2**60 + 1, 1023 * 2**60 + 99]
VALUES = 6
# James (1990): seeds 1802 and 9373, numbers 20001 to 20006 times 2^24.
PUBLISHED = [6533892, 14220222, 7275067, 6172232, 8354498, 10633180]


class Ranmar:
    """The classic loop: a ring U(1..97), two indices that count down, and C. All values are integers."""

    def __init__(self, form, seed):
        self.bits = 24 if form == "24" else 48
        ij, kl = divmod(seed, 30082)
        i, j, k, l = (ij // 177) % 177 + 2, ij % 177 + 2, (kl // 169) % 178 + 1, kl % 169
        self.u = [0] * 98  # U(0) is not used
        for place in range(1, 98):
            word = 0
            for _ in range(self.bits):
                m = i * j % 179 * k % 179
                i, j, k = j, k, m
                l = (53 * l + 1) % 169
                word = 2 * word + (1 if l * m % 64 >= 32 else 0)
            self.u[place] = word
        self.c, self.cd, self.cm = 362436, 7654321, 16777213
        self.c_shift = self.bits - 24
        if form == "extended":
            modulus = 2**48 - 59
            self.c, self.cd = [(2 * v * modulus + self.cm) // (2 * self.cm) for v in (self.c, self.cd)]
            self.cm = modulus
            self.c_shift = 0
        self.i97, self.j97 = 97, 33

    def word(self):
        value = (self.u[self.i97] - self.u[self.j97]) % 2**self.bits
        self.u[self.i97] = value
        self.i97 = self.i97 - 1 or 97
        self.j97 = self.j97 - 1 or 97
        return value

    def next(self):
        value = self.word()
        self.c -= self.cd
        if self.c < 0:
            self.c += self.cm
        return (value - (self.c << self.c_shift)) % 2**self.bits or 1

    def window(self):
        """The last 97 words, oldest first."""
        order = [(self.i97 - 1 - n) % 97 + 1 for n in range(97)]
        return [self.u[place] for place in order]

    def jump(self, numbers):
        """As if so many numbers had been drawn."""
        power = power_of_t(numbers, 2**self.bits)
        old = self.window()
        words = old + [self.word() for _ in range(97)]  # from here on the ring is made anew
        moved = [sum(a * words[n + m] for n, a in enumerate(power)) % 2**self.bits for m in range(97)]
        self.i97 = 97 - numbers % 97
        self.j97 = (self.i97 - 64 - 1) % 97 + 1
        for n, value in enumerate(moved):
            self.u[(self.i97 - 1 - n) % 97 + 1] = value
        self.c = (self.c - numbers * self.cd) % self.cm


@functools.cache
def power_of_t(exponent, modulus):
    """t^exponent modulo t^97 + t^64 - 1: x_n = x_(n-97) - x_(n-33) has t^97 = 1 - t^64."""

    def product(a, b):
        full = [0] * 193
        for n, x in enumerate(a):
            if x:
                for m, y in enumerate(b):
                    full[n + m] += x * y
        for n in range(192, 96, -1):
            full[n - 97] += full[n]
            full[n - 33] -= full[n]
        return [x % modulus for x in full[:97]]

    result, square = [1] + 96 * [0], [0, 1] + 95 * [0]
    while exponent:
        if exponent & 1:
            result = product(result, square)
        square = product(square, square)
        exponent >>= 1
    return result


def edges(form):
    """Positions in the first period of C just before it takes its least and its greatest value, and before it stays
    just above a borrow: where a comparison that is wrong by one shows."""
    generator = Ranmar(form, 1)
    inverse = pow(generator.cd, -1, generator.cm)
    return [(generator.c - value) * inverse % generator.cm for value in (0, 1, generator.cm - 1, generator.cd, generator.cm - generator.cd)]


def state_line(form, seed, position, generator):
    return "state %s %d %d %d %d %d %s" % (form, seed, position, generator.i97, generator.j97, generator.c, " ".join(map(str, generator.u[1:])))


def main():
    print("# Known answers of RANMAR; made by make.py, which says how. Positions count from 1.")
    print("# numbers SOURCE FORM SEED POSITION VALUES: numbers POSITION, POSITION+1, ... times 2^24 (form 24) or 2^48.")
    print("#   SOURCE: published (James 1990), stepped (one by one), jumped (polynomial arithmetic).")
    print("# digest FORM SEED COUNT H: over numbers 1 to COUNT, H <- 6364136223846793005 H + value modulo 2^64, from 0.")
    print("# state FORM SEED POSITION I97 J97 C U(1) ... U(97): before number POSITION, in the terms of RMMAQD; U times 2^48, C times 2^24.")
    print("numbers published 24 54217137 20001 " + " ".join(map(str, PUBLISHED)))
    for form in ("48", "24", "extended"):
        for seed in SEEDS:
            generator, position, digest = Ranmar(form, seed), 1, 0
            for target in STEPPED if seed in SEEDS[:2] else STEPPED[:3]:
                while position < target:
                    digest = (6364136223846793005 * digest + generator.next()) % 2**64
                    position += 1
                if position > 1:
                    print("digest", form, seed, position - 1, digest)
                if form == "48":
                    print(state_line(form, seed, position, generator))
                values = []
                for _ in range(VALUES):
                    values.append(generator.next())
                    digest = (6364136223846793005 * digest + values[-1]) % 2**64
                position += VALUES
                print("numbers stepped", form, seed, target, *values)
                if form == "24" and (seed, target) == (54217137, 20001) and values != PUBLISHED:
                    sys.exit("make.py: the stepped numbers are not the published ones")
                if target > 1 and seed == 1:
                    jumped = Ranmar(form, seed)
                    jumped.jump(target - 1)
                    if [jumped.next() for _ in range(VALUES)] != values:
                        sys.exit("make.py: jumped and stepped numbers differ")
            for target in FAR + edges(form) if seed in SEEDS[:2] else FAR[3:5]:
                jumped = Ranmar(form, seed)
                jumped.jump(target - 1)
                if form == "48" and target in FAR[:3]:
                    print(state_line(form, seed, target, jumped))
                print("numbers jumped", form, seed, target, *[jumped.next() for _ in range(VALUES)])


with contextlib.redirect_stdout(io.StringIO()) as answers:
    main()
if hashlib.sha256(answers.getvalue().encode()).hexdigest() != SHA256:
    sys.exit("make.py: these are not the known answers; if they are meant to be others, change SHA256")
print(answers.getvalue(), end="")
