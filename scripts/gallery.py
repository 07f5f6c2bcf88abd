#!/usr/bin/env python3
"""Makes the pictures of docs/gallery.md, docs/pictures/gallery_*.png, from fields that are computed here.

usage: PYTHONPATH=build/openmp/python gallery.py [--report PROGRAM]

It needs the package kompakt with NumPy, Pillow and matplotlib. With --report it also makes the picture of a report by PROGRAM, a
`kompakt` that reads netCDF, and Chromium.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import matplotlib
import numpy as np
from PIL import Image

import kompakt

matplotlib.use("agg")
from matplotlib import pyplot

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
BOUNDS = ("1e-2", "1e-3")


def gray_scott(size=256, steps=6000, feed=0.035, kill=0.06):
    """Concentration of a reaction with diffusion, which makes patterns, by Euler's method in a periodic box."""
    def laplacian(field):
        return sum(np.roll(field, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * field
    random = np.random.default_rng(7)
    u, v = np.ones((size, size), "f4"), np.zeros((size, size), "f4")
    for y, x in random.integers(0, size - 12, (40, 2)):
        u[y:y + 12, x:x + 12], v[y:y + 12, x:x + 12] = 0.5, 0.25
    for _ in range(steps):
        reaction = u * v * v
        u += 0.16 * laplacian(u) - reaction + feed * (1 - u)
        v += 0.08 * laplacian(v) + reaction - (feed + kill) * v
    return v


def wave_packet(size=512, steps=300):
    """Real part of a wave behind two slits, by the split-step method for Schroedinger's equation."""
    x = np.arange(size) - size / 2
    wave = np.exp(-((x[None, :] + 120) ** 2 / 1600 + x[:, None] ** 2 / 4000)) * np.exp(0.8j * x[None, :])
    wall = np.zeros((size, size))
    wall[:, size // 2 - 8:size // 2] = 2
    for centre in (-14, 14):
        wall[np.abs(x - centre) < 5, :] = 0
    frequency = 2 * np.pi * np.fft.fftfreq(size)
    kinetic = np.exp(-0.5j * (frequency[:, None] ** 2 + frequency[None, :] ** 2))
    for _ in range(steps):
        wave = np.fft.ifft2(np.fft.fft2(np.exp(-1j * wall) * wave) * kinetic)
    return np.ascontiguousarray(wave.real[size // 4:-size // 4, size // 2:], "f4")


def panels_of(field):
    """What is shown: the field, its reconstructions, and the last error in units of its bound."""
    panels = [("original", field, None)]
    for bound in BOUNDS:
        stream = kompakt.compress(field, float(bound), goal="ratio")
        restored, resolved = kompakt.decompress(stream), kompakt.inspect(stream).resolved_bound
        error = (restored.astype("f8") - field) / resolved
        assert np.abs(error).max() <= 1, "a value is outside its bound"
        panels.append((f"within {bound} of the range, ratio {kompakt.inspect(stream).ratio:.1f}", restored, None))
    return [*panels, (f"error within {BOUNDS[-1]}, in bounds", error, 1)]


def draw(name, field, colours):
    panels = panels_of(field)
    figure, rows = pyplot.subplots(1, len(panels), figsize=(3 * len(panels), 3.3), layout="constrained")
    for axes, (title, values, limit) in zip(rows, panels):
        low, high = (-limit, limit) if limit else np.quantile(field, (0.002, 0.998))
        axes.imshow(values, cmap="RdBu" if limit else colours, vmin=low, vmax=high, interpolation="nearest", origin="lower")
        axes.set_title(title, fontsize=10)
        axes.set_axis_off()
    figure.canvas.draw()
    pixels = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    pixels.quantize(64).save(PICTURES / f"gallery_{name}.png", optimize=True)
    pyplot.close(figure)


def report(program):
    """The first screen of a report of the tutorial's temperature."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            subprocess.run([str(word) for word in words], cwd=folder, check=True, capture_output=True)
        run(sys.executable, ROOT / "docs/examples/tutorial.py", "field", "ocean.nc")
        run(program, "compress", "-i", "ocean.nc:temperature", "-m", "r2r", "-e", "1e-3", "-o", "guess.kpk")
        run(program, "report", "ocean.nc:temperature", "guess.kpk", "-o", "guess.html", "--python", sys.executable)
        run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1000",
            f"--screenshot={PICTURES / 'gallery_report.png'}", f"file://{folder}/guess.html")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", metavar="PROGRAM", help="also draw the report, by this kompakt")
    arguments = parser.parse_args()
    draw("gray_scott", gray_scott(), "magma")
    draw("wave", wave_packet(), "RdBu")
    if arguments.report:
        report(pathlib.Path(arguments.report).resolve())


if __name__ == "__main__":
    main()
