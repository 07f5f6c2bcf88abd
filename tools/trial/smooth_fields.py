"""Seven fields as well-resolved simulations write them, smooth at the scale of the grid. Seeds are fixed, and NumPy is enough."""

import json
import multiprocessing
import os

import numpy as np

EDGE = 96  # of the cubes that are stepped in time


def laplacian(values):
    """Second differences along all axes of a periodic box."""
    total = -2 * values.ndim * values
    for axis in range(values.ndim):
        total += np.roll(values, 1, axis)
        total += np.roll(values, -1, axis)
    return total


def wavenumbers(shape):
    """Integer wavenumbers along each axis of rfftn, as arrays that broadcast."""
    axes = [np.fft.fftfreq(n, 1 / n) for n in shape[:-1]] + [np.fft.rfftfreq(shape[-1], 1 / shape[-1])]
    return np.meshgrid(*axes, indexing="ij", sparse=True)


def filtered_noise(shape, seed, amplitude):
    """Noise whose amplitude at a squared wavenumber is what `amplitude` gives."""
    squares = sum(k * k for k in wavenumbers(shape))
    noise = np.fft.rfftn(np.random.default_rng(seed).standard_normal(shape))
    return np.fft.irfftn(noise * amplitude(squares), s=shape, axes=range(len(shape)))


def reaction_steps(edge, count, every):
    """Yields snapshots of the second concentration of a reaction with diffusion (Gray and Scott)."""
    feed, kill = np.float32(0.035), np.float32(0.06)
    u, v = np.ones((edge,) * 3, "f4"), np.zeros((edge,) * 3, "f4")
    for place in np.random.default_rng(3).integers(edge // 4, 3 * edge // 4, (3, 3)):
        box = tuple(slice(at - 5, at + 5) for at in place)
        u[box], v[box] = 0.5, 0.25
    for _ in range(count):
        for _ in range(every):
            reaction = u * v * v
            u += np.float32(0.16) * laplacian(u) - reaction + feed * (1 - u)
            v += np.float32(0.08) * laplacian(v) + reaction - (feed + kill) * v
        yield v.copy()


def reaction():
    """Concentration in a reaction with diffusion, after 700 steps."""
    return next(reaction_steps(EDGE, 1, 700))


def separation():
    """Two phases that separate, after Allen and Cahn: flat regions and interfaces a few cells wide."""
    phase = filtered_noise((EDGE,) * 3, 1, lambda squares: np.exp(-squares / 50))
    phase /= np.abs(phase).max()
    for _ in range(120):
        phase += 0.1 * (laplacian(phase) + phase - phase**3)
    return phase


class Vorticity:
    """Decaying two-dimensional turbulence: a pseudo-spectral right-hand side without the upper third of the modes."""

    def __init__(self, edge, viscosity):
        ky, kx = wavenumbers((edge, edge))
        squares = kx**2 + ky**2
        self.inverse = 1 / np.where(squares > 0, squares, np.inf)
        self.kept = (np.abs(ky) < edge / 3) & (kx < edge / 3)
        self.ikx, self.iky, self.damping = 1j * kx, 1j * ky, viscosity * squares

    def change(self, modes):
        speed = [np.fft.irfft2(k * modes * self.inverse) for k in (self.iky, -self.ikx)]
        slopes = [np.fft.irfft2(k * modes) for k in (self.ikx, self.iky)]
        return -(self.kept * np.fft.rfft2(speed[0] * slopes[0] + speed[1] * slopes[1])) - self.damping * modes

    def step(self, modes, dt):
        """One step of Heun's method."""
        first = self.change(modes)
        return modes + dt / 2 * (first + self.change(modes + dt * first))


def vortices():
    """Vorticity of decaying two-dimensional turbulence, 32 snapshots."""
    edge = 256
    flow = Vorticity(edge, 5e-4)
    start = filtered_noise((edge, edge), 2, lambda squares: np.exp(-((np.sqrt(squares) - 8) / 3) ** 2))
    modes, snapshots = np.fft.rfft2(8 * start / start.std()), []
    for _ in range(32):
        for _ in range(16):
            modes = flow.step(modes, 2.5e-3)
        snapshots.append(np.fft.irfft2(modes))
    return np.stack(snapshots)


def orbital():
    """Density of two hydrogen-like orbitals that overlap."""
    z, y, x = np.meshgrid(*[(np.arange(128) - 63.5) / 5] * 3, indexing="ij", sparse=True)
    radius = np.sqrt(x * x + y * y + z * z)
    return ((3 * z * z - radius**2) * np.exp(-radius / 3) + 0.3 * (x * x - y * y) * np.exp(-radius / 2.2)) ** 2


def wave():
    """Pressure of an acoustic wave in a medium of layers, out of one source, by second differences in time and space."""
    edge, step = 128, 1e-3
    speed = np.interp(np.arange(edge), [0, 24, 25, 48, 49, 80, 81, 104, 105, 127],
                      [1500, 1500, 2000, 2000, 2500, 2500, 3200, 3200, 2800, 2800])
    factor = ((speed * step / 10) ** 2).astype("f4")
    before, now = np.zeros((edge,) * 3, "f4"), np.zeros((edge,) * 3, "f4")
    for number in range(300):
        phase = (np.pi * 12 * (number * step - 0.1)) ** 2
        before = 2 * now - before + factor * laplacian(now)
        before[64, 64, 8] += np.float32(100 * (1 - 2 * phase) * np.exp(-phase))
        before, now = now, before
    return now


def turbulence():
    """One component of a velocity: Kolmogorov's range, and a range of dissipation that the grid resolves."""
    def amplitude(squares):
        return np.where(squares > 0, np.maximum(squares, 1) ** (-11 / 12), 0) * np.exp(-np.sqrt(squares) / 8)
    return filtered_noise((160,) * 3, 5, amplitude)


def burgers():
    """Shocks that move: Burgers' equation with viscosity, time by space."""
    extent, viscosity = 1024, 2e-3
    x = np.linspace(0, 2 * np.pi, extent, endpoint=False)
    k = 1j * np.fft.rfftfreq(extent, 1 / extent)
    kept = np.abs(k) < extent / 3

    def change(modes):
        return -0.5 * k * kept * np.fft.rfft(np.fft.irfft(modes) ** 2) + viscosity * k * k * modes
    modes, rows = np.fft.rfft(np.sin(x) + 0.5 * np.sin(2 * x + 1) + 0.25 * np.sin(5 * x + 2)), []
    for _ in range(512):
        for _ in range(4):
            modes = modes + 1e-3 * change(modes + 5e-4 * change(modes))
        rows.append(np.fft.irfft(modes))
    return np.stack(rows)


FIELDS = {field.__name__: field for field in (reaction, separation, vortices, orbital, wave, turbulence, burgers)}


def write_field(folder, name):
    """Computes one field, writes it, and returns its entry in the manifest."""
    values = np.ascontiguousarray(FIELDS[name](), "<f4")
    values.tofile(folder / f"{name}.f32")
    return {"name": name, "file": f"{name}.f32", "dtype": "f32", "shape": list(values.shape), "fill": None,
            "domain": "smooth", "description": FIELDS[name].__doc__}


def write_all(folder):
    """Writes the fields and, at the end, their manifest, unless it is there; one process for each processor."""
    if (folder / "manifest.json").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(min(len(FIELDS), os.cpu_count() or 1)) as pool:
        entries = pool.starmap(write_field, [(folder, name) for name in FIELDS], chunksize=1)
    (folder / "manifest.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
