"""Programs with a planted fault: one line of a copy of the library is changed, compiled, and linked into the stand-in."""
import json
import pathlib
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = "(difference >> Form::kShift) * Form::kUnit"
ARITHMETIC = "gpu-ranmar/include/ranmar/detail/arithmetic.h"
STATE = "gpu-ranmar/include/ranmar/state.hpp"
DRAW = "corsika-runtime/src/generator/draw_path.cpp"
SEED = "generator_->seed(sequence, s.ijkl,"
# Name: file, old text, new text, what is wrong. The first plants nothing: its showers must be those of the program.
FAULTS = {
    "fault-none": (ARITHMETIC, "", "", "nothing: the same showers"),
    "fault-lag": (ARITHMETIC, "SHORT_LAG 33", "SHORT_LAG 34", "a lag is 34, not 33"),
    "fault-low-bit": (STATE, NUMBER, NUMBER.replace("kShift)", "kShift | 1)"), "the lowest of 48 bits is 1"),
    "fault-bit-8": (STATE, NUMBER, NUMBER.replace("kShift)", "kShift | typename Form::Word{1} << (Form::kBits - 8))"),
                    "bit 8 from the top is 1"),
    "fault-bit-4": (STATE, NUMBER, NUMBER.replace("kShift)", "kShift | typename Form::Word{1} << (Form::kBits - 4))"),
                    "bit 4 from the top is 1"),
    "fault-one-sequence": (DRAW, SEED, SEED.replace("s.ijkl", "sequence == 1 ? s.ijkl : slot(1).ijkl"),
                           "all sequences have the seed of sequence 1"),
}
SOURCES = [f"gpu-ranmar/src/{name}.cpp" for name in
           ("seed", "reference", "simd", "jump", "rmmaqd_state", "backend", "generator")] + [DRAW]


def build_folder(program):
    """The folder with settings.json of a program that `overlay build` made, None where it is not the stand-in's."""
    folder = program.resolve().parents[2]
    settings = folder / "settings.json"
    return folder if settings.is_file() and json.loads(settings.read_text()).get("standin") else None


def build(name, program, folder):
    """The path of the program with this fault. Run it with RANMAR_BACKEND=reference: the fault is in that backend."""
    file, old, new, _ = FAULTS[name]
    copy = folder / "source"
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("gpu-ranmar", "corsika-runtime"):
        shutil.copytree(ROOT / part, copy / part)
    text = (copy / file).read_text()
    if old and text.count(old) != 1:
        raise RuntimeError(f"{name}: {file} has changed; change the fault")
    (copy / file).write_text(text.replace(old, new) if old else text)
    objects = []
    for source in SOURCES:
        objects.append(str(folder / (pathlib.Path(source).stem + ".o")))
        subprocess.run(["g++", "-std=c++20", "-O2", "-w", "-march=native", "-ffp-contract=off", "-DHWY_COMPILE_ONLY_STATIC",
                        "-DRANMAR_WITH_OPENCL", "-I", copy / "gpu-ranmar", "-I", copy / "gpu-ranmar/include", "-I", copy / "gpu-ranmar/testing",
                        "-I", copy / "corsika-runtime/include", "-c", copy / source, "-o", objects[-1]], check=True)
    built = build_folder(program)
    environment = json.loads((built / "settings.json").read_text())["environment"]
    tree = built / "tree"
    parts = [tree / "src/corsika.o", tree / "src/models.o", tree / "bernlohr/iact.o", tree / "bernlohr/atmo.o"]
    result = folder / "program"
    subprocess.run([environment["F77"], "-o", result, *parts, *objects, *shlex.split(environment["LIBS"]), "-lm"], check=True)
    return result
