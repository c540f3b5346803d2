"""Programs with a changed generator: lines of a copy of the library are changed, compiled, and linked into the program. All
but the extended form are planted faults. As a program, with a folder to write into, it looks whether every change still applies,
and compiles the extended form for processors with and without AVX-512."""
import json, pathlib, platform, re, shlex, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = "(difference >> Form::kShift) * Form::kUnit"
ARITHMETIC = "gpu-ranmar/include/ranmar/detail/arithmetic.h"
STATE = "gpu-ranmar/include/ranmar/state.hpp"
DRAW = "corsika-runtime/src/generator/draw_path.cpp"
SEED = "generator_->seed(s.number, s.ijkl,"
FORM = "gpu-ranmar/include/ranmar/form.hpp"
SIMD = "gpu-ranmar/src/simd.cpp"
# Form48 with the arithmetic sequence of FormExtended48. Programs run the backend `reference`; `simd` must only compile, also
# for processors without AVX-512, whose code has the type of Form48's arithmetic sequence written out.
EXTENDED = {FORM: [("Form48 : Arithmetic24 {", """Form48 {
  using Arithmetic = std::uint64_t;
  static constexpr Arithmetic kStart = 6080668145483;
  static constexpr Arithmetic kStep = 128418219713276;
  static constexpr Arithmetic kModulus = 281474976710597;"""),
                   ("kArithmeticShift = 40;", "kArithmeticShift = 16;")],
            SIMD: [("std::uint32_t& c0, double*", "typename Form::Arithmetic& c0, double*")]}
# Name: file, old text, new text, what is wrong. The first plants nothing: its showers must be those of the program.
FAULTS = {
    "fault-none": (ARITHMETIC, "", "", "nothing: the same showers"),
    "fault-lag": (ARITHMETIC, "SHORT_LAG 33", "SHORT_LAG 34", "a lag is 34, not 33"),
    "fault-low-bit": (STATE, NUMBER, NUMBER.replace("kShift)", "kShift | 1)"), "the lowest of 48 bits is 1"),
    "fault-bit-8": (STATE, NUMBER, NUMBER.replace("kShift)", "kShift | typename Form::Word{1} << (Form::kBits - 8))"),
                    "bit 8 from the top is 1"),
    "fault-bit-4": (STATE, NUMBER, NUMBER.replace("kShift)", "kShift | typename Form::Word{1} << (Form::kBits - 4))"),
                    "bit 4 from the top is 1"),
    "fault-one-sequence": (DRAW, SEED, SEED.replace("s.ijkl", "s.number == 1 ? s.ijkl : slot(1).ijkl"),
                           "all sequences have the seed of sequence 1"),
}
SOURCES = [f"gpu-ranmar/src/{name}.cpp" for name in ("state", "reference", "simd")] + [DRAW]


def link_words(built):
    """The words that link the program, in two lists: those before the library's objects, and those behind; and the folder
    where they are right."""
    settings = json.loads((built / "settings.json").read_text())
    environment, tree = settings["environment"], built / "tree"
    if settings["standin"]:
        parts = [tree / "src/corsika.o", tree / "src/models.o", tree / "bernlohr/iact.o", tree / "bernlohr/atmo.o"]
        return [environment["F77"], *map(str, parts)], [*shlex.split(environment["LIBS"]), "-lm"], tree
    # CORSIKA's own make says how it linked: libtool's line, whose first archive of ours the objects go before.
    lines = re.findall(r"^libtool: link: (.* -o corsika .*)$", (built / "make.log").read_text(errors="replace"), re.M)
    if not lines:
        raise RuntimeError(f"{built / 'make.log'} does not say how the program was linked")
    words = shlex.split(lines[-1].replace(" -o corsika ", " "))
    first = next(i for i, word in enumerate(words) if word.endswith("libcherenkov_fortran.a"))
    return words[:first], words[first:], tree / "src"


def changed_copy(name, copy):
    """Makes `copy`, a copy of the library's sources with this change."""
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("gpu-ranmar", "corsika-runtime"):
        shutil.copytree(ROOT / part, copy / part)
    files = EXTENDED if name == "extended" else {FAULTS[name][0]: [FAULTS[name][1:3]]}
    for file, changes in files.items():
        text = (copy / file).read_text()
        for old, new in changes:
            if old and text.count(old) != 1:
                raise RuntimeError(f"{name}: {file} has changed; change the fault")
            text = text.replace(old, new) if old else text
        (copy / file).write_text(text)


def compile_source(copy, source, result, processor="native"):
    """Compiles one source of a copy into the object file `result`; `processor` is an argument of g++ -march."""
    subprocess.run(["g++", "-std=c++20", "-O2", "-w", f"-march={processor}", "-ffp-contract=off", "-DHWY_COMPILE_ONLY_STATIC",
                    "-DRANMAR_WITH_OPENCL", "-I", copy / "gpu-ranmar", "-I", copy / "gpu-ranmar/include", "-I", copy / "gpu-ranmar/testing",
                    "-I", copy / "corsika-runtime/include", "-c", copy / source, "-o", result], check=True)


def build(name, program, folder):
    """The path of the program with this change. Run it with RANMAR_BACKEND=reference: faults are in that backend."""
    copy = folder / "source"
    changed_copy(name, copy)
    objects = []
    for source in SOURCES:
        objects.append(str((folder / (pathlib.Path(source).stem + ".o")).resolve()))
        compile_source(copy, source, objects[-1])
    before, behind, where = link_words(next(above for above in program.resolve().parents if (above / "settings.json").is_file()))
    result = (folder / "program").resolve()
    subprocess.run([*before, "-o", str(result), *objects, *behind], check=True, cwd=where)
    mark = b"cherenkov stage proven: "
    result.write_bytes(result.read_bytes().replace(mark + b"0", mark + b"1"))
    return result


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in [*FAULTS, "extended"]:
        changed_copy(name, folder / "source")
    for processor in ("x86-64-v3", "x86-64-v4") if platform.machine() == "x86_64" else ("native",):
        compile_source(folder / "source", SIMD, folder / f"simd-{processor}.o", processor)
