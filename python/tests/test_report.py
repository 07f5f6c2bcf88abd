"""Reports: what is refused, what the page says, and what it looks like in Chromium."""

import html.parser
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import kompakt
import numpy as np
import pytest

pytest.importorskip("matplotlib")
from kompakt.report import main  # noqa: E402
from kompakt.report import pictures, progress, slices, style, sweep, ticks  # noqa: E402
from kompakt.report.colours import colours_of  # noqa: E402
from kompakt.report.inputs import read_field  # noqa: E402
from kompakt.report.slices import whole_plane  # noqa: E402
from kompakt.report.spectra import spectrum  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture
def coarse(monkeypatch):
    """Few pictures of few pixels, which are drawn faster, and none of them in the dark."""

    def draw(figure, share=1.0):
        return style.png_of(figure, share) if is_light(figure) else b"\x89PNG"

    monkeypatch.setattr(style, "DPI", 40)
    monkeypatch.setattr(slices, "OTHERS", 0)
    monkeypatch.setattr(pictures, "png_of", draw)


def is_light(figure):
    return figure.get_facecolor()[0] == 1


@pytest.fixture
def field(tmp_path):
    """A smooth field, large enough for a part that is shown closer."""
    z, y, x = np.meshgrid(*(np.linspace(0, 6, n) for n in (6, 100, 120)), indexing="ij")
    noise = np.random.default_rng(1).normal(size=x.shape)
    values = (280 + 9 * np.sin(x + z) * np.cos(2 * y) + 0.05 * noise).astype(np.float32)
    np.save(tmp_path / "field.npy", values)
    return values


def compressed(path, values, **options):
    path.write_bytes(kompakt.compress(values, **options))
    return path


def run(tmp_path, *words, code=0):
    """The page of a report."""
    page = tmp_path / "page.html"
    assert main([*map(str, words), "-o", str(page), "--quiet"]) == code
    return page.read_text(encoding="utf-8") if page.exists() else None


class _Words(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.text, self.links = [], []

    def handle_data(self, data):
        self.text.append(data)

    def handle_starttag(self, tag, attrs):
        self.links += [value for key, value in attrs if key in ("src", "srcset", "href")]


def words_of(page):
    parser = _Words()
    parser.feed(page)
    return " ".join(parser.text).replace("\u202f", " "), parser.links


# ------------------------------------------------------------------------------------------ the page

pytestmark = pytest.mark.usefixtures("coarse")


def test_page_has_the_numbers_of_the_library_and_needs_nothing_else(tmp_path, field):
    stream = compressed(tmp_path / "s.kpk", field, bound=1e-3)
    page = run(tmp_path, tmp_path / "field.npy", stream)
    text, links = words_of(page)
    metrics = kompakt.compare(field, kompakt.decompress(stream.read_bytes()), kompakt.inspect(stream.read_bytes()))
    assert "All 72 000 values are within" in text
    assert f"{field.nbytes / stream.stat().st_size:.2f}" in text
    assert f"{metrics.psnr:.2f} dB" in text and f"{metrics.rmse:.5g}" in text
    assert links and all(link.startswith("data:image/png;base64,") for link in links)
    names = {path.name for path in (tmp_path / "page_pictures").iterdir()}
    for name in ("original", "reconstruction", "error", "original_close", "histogram", "autocorrelation", "spectra"):
        assert {f"{name}.png", f"{name}_dark.png"} <= names
    assert not list(tmp_path.glob(".*partial*"))


def test_values_outside_of_the_bound_are_told(tmp_path, field, capsys):
    other = field.copy()
    other[1, 2, 3] += 1
    np.save(tmp_path / "other.npy", other)
    page = run(tmp_path, tmp_path / "field.npy", tmp_path / "other.npy", "-m", "abs", "-e", "0.5", code=20)
    assert "1 of 72 000 values are outside" in words_of(page)[0]
    assert "outside of the bound" in capsys.readouterr().err


def test_without_a_bound_none_is_claimed(tmp_path, field):
    np.save(tmp_path / "other.npy", field + np.float32(0.25))
    text, _ = words_of(run(tmp_path, tmp_path / "field.npy", tmp_path / "other.npy"))
    assert "No bound is known" in text and "are within" not in text


@pytest.mark.parametrize(
    "options",
    [
        {"bound": 0.5, "mode": "abs"},
        {"bound": 1e-3, "mode": "pwr"},
        {"bound": 50, "mode": "psnr"},
        {"mode": "lossless"},
    ],
)
def test_each_mode_has_a_page(tmp_path, field, options):
    stream = compressed(tmp_path / "s.kpk", field, **options)
    text, _ = words_of(run(tmp_path, tmp_path / "field.npy", stream))
    assert "are within" in text or "came back bit for bit" in text


@pytest.mark.parametrize("shape", [(5000,), (1, 1, 1), (3, 1, 50, 60), (700, 2, 3)])
def test_each_shape_has_a_page(tmp_path, shape):
    values = np.random.default_rng(2).normal(size=shape).cumsum(axis=-1)
    np.save(tmp_path / "field.npy", values)
    stream = compressed(tmp_path / "s.kpk", values, bound=1e-2, mode="abs")
    assert "are within" in words_of(run(tmp_path, tmp_path / "field.npy", stream))[0]


def test_a_constant_field_and_one_without_values_have_a_page(tmp_path):
    for value in (1.0, np.nan):
        values = np.full((20, 30), value, np.float32)
        np.save(tmp_path / "field.npy", values)
        stream = compressed(tmp_path / "s.kpk", values, bound=1e-2, mode="abs")
        run(tmp_path, tmp_path / "field.npy", stream, "--force")


def test_integers_come_back_bit_for_bit_or_are_told(tmp_path):
    values = np.arange(3000, dtype=np.int64).reshape(50, 60) + 2**60
    np.save(tmp_path / "field.npy", values)
    stream = compressed(tmp_path / "s.kpk", values, mode="lossless")
    assert "bit for bit" in words_of(run(tmp_path, tmp_path / "field.npy", stream))[0]
    values[3, 4] += 1  # which float64 does not see
    np.save(tmp_path / "field.npy", values)
    run(tmp_path, tmp_path / "field.npy", stream, "--force", code=20)


def test_fill_values_are_hidden(tmp_path, field):
    field[:, :50, :60] = 1e20
    np.save(tmp_path / "field.npy", field)
    stream = compressed(tmp_path / "s.kpk", field, bound=1e-3, fill_value=1e20)
    text, _ = words_of(run(tmp_path, tmp_path / "field.npy", stream))
    assert "Masked fill values 18 000" in re.sub(r"\s+", " ", text)
    assert "10²⁰" not in text


@pytest.mark.parametrize("words", [("sweep", "--bounds", "1e-3", "--pipelines", "huffman"), ("again.npy", "-m", "r2r", "-e", "1e-3")],
                         ids=["sweep", "again"])
def test_fill_values_that_nobody_declared_are_found(tmp_path, field, words, coarse, monkeypatch):
    monkeypatch.chdir(tmp_path)
    width = np.ptp(field[:, 60:])
    field[:, :50] = 1e20
    field[:, 50:60, ::9] = -999.5
    np.save("field.npy", field)
    np.save("again.npy", kompakt.decompress(kompakt.compress(field, 1e-3)))
    text, _ = words_of(run(tmp_path, "field.npy", *words))
    psnr = float(re.search(r"PSNR\s+([\d.]+) dB", text)[1])
    assert "10²⁰" not in text and psnr < 80 and f"±{1e-3 * width:.3g}" in text


def test_all_declared_fill_values_of_a_file_are_hidden(tmp_path, field):
    h5py = pytest.importorskip("h5py")
    field[:, :5], field[0, 9, 9] = -99.5, -77.25
    with h5py.File(tmp_path / "f.nc", "w") as file:
        file["t"] = field
        file["t"].attrs["missing_value"] = np.array([-99.5, -77.25], "f4")
    assert read_field(f"{tmp_path}/f.nc:t").fills == (-99.5, -77.25)
    with kompakt.Archive(tmp_path / "f.kpk", "w") as archive:
        archive.append("t", field, {"missing_value": "-99.5, -77.25"}, fill_value=[-99.5, -77.25])
    assert set(read_field(f"{tmp_path}/f.kpk").fills) == {-99.5, -77.25}


def test_values_that_make_the_range_end_a_sweep_in_one_line(tmp_path, field, capsys):
    field[3, 4, 5] = 1e20
    np.save(tmp_path / "field.npy", field)
    assert main([str(tmp_path / "field.npy"), "sweep", "-o", str(tmp_path / "page.html"), "--quiet"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "1 value, 1e+20" in said and said.endswith("or pass -m abs and -e\n")
    assert main([str(tmp_path / "field.npy"), "sweep", "-m", "pwr", "-e", "2", "-o", str(tmp_path / "page.html"), "--quiet"]) == 1
    assert "the bound 2" in capsys.readouterr().err


def test_sweep_has_each_pipeline_within_each_bound(tmp_path, field):
    page = run(tmp_path, tmp_path / "field.npy", "sweep", "--bounds", "1e-2,1e-3", "--pipelines", "fixedlength,huffman")
    rows = re.findall(r"<tr[^>]*><td>(.*?)</tr>", page)
    assert len(rows) == 4 and all(row.endswith("<td>0</td>") for row in rows)
    assert {path.name for path in (tmp_path / "page_pictures").iterdir()} >= {
        "rate_distortion.png",
        "ratio_bound.png",
        "within_original.png",
        "within_0.01.png",
    }


def test_names_and_attributes_are_no_markup(tmp_path, field):
    stream = compressed(tmp_path / "s.kpk", field)
    page = run(tmp_path, tmp_path / "field.npy", stream, "--title", "<script>alert(1)</script> $x")
    assert page.count("<script") == 1 and "&lt;script&gt;" in page


# ---------------------------------------------------------------------------------------- pictures


COLUMN = 362  # pixels of a picture in a page of 1280


@pytest.fixture
def figures(monkeypatch):
    """All figures that are drawn in the light scheme, as they are drawn."""
    drawn = []

    def draw(figure, share=1.0):
        if is_light(figure):
            drawn.append(figure)
            return style.png_of(figure, share)
        return b"\x89PNG"

    monkeypatch.setattr(pictures, "png_of", draw)
    return drawn


def coordinates_file(path, **fields):
    """A classic netCDF file with an even and an uneven coordinate, in steps and units that make long numbers."""
    netcdf_file = pytest.importorskip("scipy.io").netcdf_file
    with netcdf_file(path, "w") as file:
        for name, values, units in (
            ("time", 347921.0 + np.arange(5), "hours since 1970-01-01"),
            ("level", np.round(5 * 1.6 ** np.arange(30.0), 1), "m"),
            ("grid_longitude", np.linspace(359.1, 360.2, 84).astype("f4"), "degrees_east"),
            ("x", 1.2e6 + 5000.0 * np.arange(70), "m"),
        ):
            file.createDimension(name, len(values))
            variable = file.createVariable(name, values.dtype.str[1:], (name,))
            variable[:] = values
            variable.units = units
        for name, (dimensions, values) in fields.items():
            variable = file.createVariable(name, "f4", dimensions)
            variable[:] = values
            variable.units = "kg m-2 s-1"


@pytest.mark.parametrize("dimensions", [("time", "level", "grid_longitude"), ("x", "level"), ("level", "x"), ("x",)])
@pytest.mark.parametrize("scale", [1e-9, 3e7])
def test_all_numbers_can_be_read(tmp_path, figures, dimensions, scale):
    extents = {"time": 5, "level": 30, "grid_longitude": 84, "x": 70}
    shape = tuple(extents[name] for name in dimensions)
    values = scale * (100 + np.random.default_rng(6).normal(size=shape).cumsum(axis=-1))
    coordinates_file(tmp_path / "f.nc", t=(dimensions, values))
    run(tmp_path, f"{tmp_path}/f.nc:t", "sweep", "--bounds", "1e-2,1e-5", "--pipelines", "huffman,interpolate")
    assert len(figures) >= 6
    for figure in figures:
        for axes in figure.axes:
            # What hangs over the edge of the picture is not seen.
            box = axes.get_tightbbox()
            assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
            if not axes.axison:
                continue
            for axis in (axes.xaxis, axes.yaxis):
                texts = ticks.numbers(axis)
                assert not ticks.overlap(texts)
                assert not axis.get_offset_text().get_text() or not axis.get_offset_text().get_visible()
                for text in [*texts, axis.label]:
                    assert text.get_fontsize() * COLUMN / (72 * style.WIDTH) >= 11


def test_a_power_of_ten_stands_in_the_label(tmp_path, figures):
    coordinates_file(tmp_path / "f.nc", t=(("level", "x"), np.random.default_rng(7).normal(size=(30, 70))))
    run(tmp_path, f"{tmp_path}/f.nc:t", compressed(tmp_path / "s.kpk", read_field(f"{tmp_path}/f.nc:t").values))
    assert figures[0].axes[0].get_xlabel() == "x (m), ×10⁶"


@pytest.mark.parametrize("kind", ["netCDF-3", "netCDF-4", "archive"])
def test_axes_are_coordinates(tmp_path, figures, kind):
    values = np.random.default_rng(8).normal(size=(5, 30, 84)).astype("f4")
    coordinates_file(tmp_path / "f.nc", t=(("time", "level", "grid_longitude"), values))
    path = tmp_path / "f.nc"
    names = ("time", "level", "grid_longitude")
    axes = {name: read_field(f"{path}:{name}") for name in names}
    if kind == "netCDF-4":
        netCDF4 = pytest.importorskip("netCDF4")
        path = tmp_path / "f4.nc"
        with netCDF4.Dataset(path, "w") as file:
            for name in names:
                file.createDimension(name, axes[name].values.size)
                file.createVariable(name, axes[name].values.dtype, (name,))[:] = axes[name].values
                file[name].units = axes[name].units
            file.createVariable("t", "f4", names)[:] = values
    elif kind == "archive":
        path = tmp_path / "f.kpk"
        with kompakt.Archive(path, "w") as archive:
            archive.append("run/t", values, {"_dimensions": "/".join(names)}, mode="lossless")
            for name in names:
                archive.append(f"run/{name}", axes[name].values, {"units": axes[name].units}, mode="lossless")
    name = "run/t" if kind == "archive" else "t"
    page = run(tmp_path, f"{path}:{name}", compressed(tmp_path / "s.kpk", values, bound=0.1, mode="abs"))
    image = figures[0].axes[0]
    assert image.get_xlabel() == "grid_longitude (°E)" and image.get_ylabel() == "level (m)"
    left, right = image.get_xlim()
    assert 359 < left < 359.1 and 360.2 < right < 360.3
    # Of uneven ones the numbers are values, too.
    shown = [float(text.get_text()) for text in ticks.numbers(image.yaxis) if "×" not in text.get_text()]
    assert len(shown) >= 2 and all(np.isclose(axes["level"].values, number, rtol=1e-3).any() for number in shown)
    assert re.search("time = [0-4] of 0 … 4, at 347 92[1-5] hours since 1970-01-01", words_of(page)[0])


def test_colours_tell_most_values_apart():
    rng = np.random.default_rng(9)
    even = rng.normal(size=10000)
    assert colours_of(even).extend == "neither" and not colours_of(even).is_log
    peaks = np.concatenate([even, [1e4, 2e4]])
    scale = colours_of(peaks)
    assert scale.extend == "max" and scale.most < 3 and scale.least == peaks.min() and not scale.is_log
    rain = np.where(even < 0, 0, np.exp(4 * even) * 1e-6)
    scale = colours_of(rain)
    assert scale.is_log and 0 < scale.least < np.median(rain[rain > 0]) < scale.most <= rain.max()
    assert np.all(np.isfinite(scale.norm()(scale.drawn(rain)).filled(np.nan)))
    for constant in (np.zeros(5), np.full(5, np.nan), np.full(5, 1e30)):
        assert colours_of(constant).least < colours_of(constant).most


def test_the_slice_with_the_most_variation_comes_first(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "OTHERS", 5)
    values = np.full((9, 50, 60), 280, np.float32)
    values[1] += np.random.default_rng(10).normal(size=(50, 60)).astype("f4")
    values[4, :3] = np.nan
    np.save(tmp_path / "field.npy", values)
    assert whole_plane(values).key[0] == 1
    assert whole_plane(np.ones((9, 50, 60))).key[0] == 4  # all alike: the middle
    page = run(tmp_path, tmp_path / "field.npy", compressed(tmp_path / "s.kpk", values, bound=1e-2, mode="abs"))
    first = re.search('<div class="slice" data-index="(.)"', page)
    others = re.findall('<details class="slice" data-index="(.)"', page)
    assert first.group(1) == "1" and others == ["0", "2", "4", "6", "8"]
    names = {path.name for path in (tmp_path / "page_pictures").iterdir()}
    assert {"original.png", "original_0.png", "reconstruction_8_dark.png"} <= names
    page = run(tmp_path, tmp_path / "field.npy", tmp_path / "s.kpk", "--slice", "2,:,:", "--force")
    assert '<div class="slice" data-index="2"' in page


# ------------------------------------------------------------------------------------------- sweep


def test_small_fields_are_not_timed_and_slow_ones_are_in_megabytes(tmp_path, field, monkeypatch):
    words = (tmp_path / "field.npy", "sweep", "--bounds", "1e-3", "--pipelines", "huffman", "--force")
    page = run(tmp_path, *words)
    assert "/s" not in words_of(page)[0] and "not timed" in page and "ratio_speed" not in page
    monkeypatch.setattr(sweep, "LEAST_TIMED", field.nbytes)
    monkeypatch.setattr(sweep, "_fastest", lambda work: (work(), field.nbytes / 4.2e6))
    page = run(tmp_path, *words)
    assert "compress, MB/s" in page and "<td>4</td>" in page and "<td>0.00" not in page
    assert "ratio_speed" in page


def test_a_picture_is_that_of_the_stream_under_it(tmp_path, field):
    name = "field.npy"
    found = sweep.run_sweep(
        read_field(str(tmp_path / name)), "r2r", (1e-2, 1e-4), tuple(sweep.PIPELINES), (slice(2, 3),), lambda *_: None
    )
    for bound in (1e-2, 1e-4):
        streams = [kompakt.compress(field, bound, "r2r", **coding) for coding in sweep.PIPELINES.values()]
        smallest = min(streams, key=len)
        assert found.smallest(bound).ratio == field.nbytes / len(smallest)
        assert np.array_equal(found.close[bound], kompakt.decompress(smallest)[2:3])


def test_a_sweep_tells_how_far_it_is(field, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    say = progress.teller(False)
    say("huffman", 0.0)
    say("huffman", 0.5)
    say("")
    told = capsys.readouterr().err.split("\r")
    assert "0 %" in told[1] and "[==========          ] 50 % 0 s left huffman" in told[2] and told[3] == "\x1b[K"
    progress.teller(True)("huffman", 0.5)
    assert capsys.readouterr().err == ""


# -------------------------------------------------------------------------------------------- inputs


HOSTILE = [
    "m $s^{-1}$ and $\\frac{$",
    "$",
    "$$",
    "a\\$b$",
    "\\alpha_{x^2} % # & ~",
    "<script>alert(1)</script>",
    "x" * 5000,
    "\x1b[2J\nkompakt: forged",
    "\udcfcber",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_files_are_no_formulas_and_no_commands(tmp_path, field, capfd, text):
    h5py = pytest.importorskip("h5py")
    raw = text.encode("utf-8", "surrogateescape")
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset(b"t " + raw.replace(b"/", b"-"), data=field)
        for key in ("units", "long_name"):
            dataset.attrs.create(key, np.bytes_(raw))
        axis = file.create_dataset(b"axis " + raw.replace(b"/", b"-"), data=np.arange(field.shape[1], dtype="f8"))
        axis.attrs.create("units", np.bytes_(raw))
        axis.make_scale("axis")
        dataset.dims[1].attach_scale(axis)
        dataset.attrs.create("pair", np.zeros(2, [("a", "f4"), ("b", "i4")]))
    stream = compressed(tmp_path / "s.kpk", field, bound=1e-3)
    page = tmp_path / "page.html"
    assert main([str(path), str(stream), "-o", str(page)]) == 0
    words = words_of(page.read_text(encoding="utf-8"))[0]
    assert "are within" in words and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", words)
    assert page.read_text(encoding="utf-8").count("<script") == 1  # its own
    # A line is drawn, too, and what is refused names variables.
    run(tmp_path, path, stream, "--slice", "0,:,0", "--force")
    assert main([f"{path}:nothing", str(stream), "-o", str(tmp_path / "never.html")]) == 1
    said = capfd.readouterr()
    assert said.err.startswith("kompakt: ") and said.err.count("\n") == 1, said.err
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", said.out + said.err)


def test_a_variable_that_numpy_does_not_know_stops_no_other(tmp_path, field):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        file["t"] = field
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"bits", h5py.h5t.STD_B8LE, space)
        h5py.h5a.create(file["t"].id, b"time", h5py.h5t.UNIX_D32LE, space)
    assert "f.h5" in run(tmp_path, path, compressed(tmp_path / "s.kpk", field))


def test_inputs_are_those_of_the_program(tmp_path, field):
    h5py = pytest.importorskip("h5py")
    field.tofile(tmp_path / "field.f32")
    with h5py.File(tmp_path / "field.h5", "w") as file:
        file["ocean/t"], file["ocean/u"] = field, field
        file["ocean/t"].attrs["units"] = "K"
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["t"] = field
    for words in (
        ("field.f32", "-t", "f32", "-l", "120x100x6"),
        ("field.f32", "-t", "f32", "--shape", "6,100,120"),
        ("field.h5:/ocean/t",),
    ):
        text, _ = words_of(run(tmp_path, tmp_path / words[0], tmp_path / "a.kpk:t", *words[1:], "--force"))
        assert "All 72 000 values are within" in text


def test_arrays_of_an_npz_file_are_fields(tmp_path, field, capsys):
    np.savez_compressed(tmp_path / "f.npz", t=field.astype(">f4"), u=field)
    stream = compressed(tmp_path / "s.kpk", field)
    text, _ = words_of(run(tmp_path, tmp_path / "f.npz:t", stream))
    assert "All 72 000 values are within" in text
    assert run(tmp_path, tmp_path / "f.npz", stream, "--force", code=1) and "t, u" in capsys.readouterr().err
    damaged = bytearray((tmp_path / "f.npz").read_bytes())
    damaged[200:220] = bytes(20)
    (tmp_path / "f.npz").write_bytes(damaged)
    assert run(tmp_path, tmp_path / "f.npz:t", stream, "--force", code=12) and "f.npz:t" in capsys.readouterr().err


def test_values_behind_the_filter_are_read(tmp_path, field):
    pytest.importorskip("h5py")
    code = """
import sys, h5py, numpy, kompakt.h5py
with h5py.File(sys.argv[2], "w") as file:
    file.create_dataset("t", data=numpy.load(sys.argv[1]), chunks=(6, 50, 60), **kompakt.h5py.Kompakt(1e-3))
"""
    subprocess.run([sys.executable, "-c", code, tmp_path / "field.npy", tmp_path / "f.h5"], check=True)
    words = ["field.npy", "f.h5:t", "-m", "r2r", "-e", "1e-3", "-o", "page.html"]
    done = subprocess.run([sys.executable, "-m", "kompakt.report", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_archives_bring_names_and_units(tmp_path, field):
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive.append("t", field, {"units": "K", "long_name": "Heat", "_dimensions": "depth/lat/lon"})
    text, _ = words_of(run(tmp_path, tmp_path / "a.kpk:t", tmp_path / "a.kpk:t"))
    assert "Heat" in text and "in K" in text and re.search("depth = [0-5] of 0 … 5", text)


def test_large_planes_are_thinned_out_and_the_page_says_so(tmp_path):
    values = np.random.default_rng(5).normal(size=(1500, 800)).astype(np.float32)
    np.save(tmp_path / "field.npy", values)
    text, _ = words_of(run(tmp_path, tmp_path / "field.npy", compressed(tmp_path / "s.kpk", values, bound=1e-2)))
    assert "One value of 3 × 2 is drawn; all are measured" in text and "All 1 200 000 values are within" in text


def test_what_does_not_fit_into_memory_is_refused(tmp_path, field, capsys, monkeypatch):
    from kompakt.report import inputs

    monkeypatch.setattr(inputs, "free_memory", lambda: 4 * field.nbytes - 1)
    run(tmp_path, tmp_path / "field.npy", compressed(tmp_path / "s.kpk", field), code=1)
    assert f"{field.nbytes} bytes of values" in capsys.readouterr().err


def test_classic_netcdf(tmp_path, field):
    netcdf_file = pytest.importorskip("scipy.io").netcdf_file
    with netcdf_file(tmp_path / "f.nc", "w") as file:
        for name, extent in zip("zyx", field.shape):
            file.createDimension(name, extent)
        file.createVariable("t", "f4", ("z", "y", "x"))[:] = field
    stream = compressed(tmp_path / "s.kpk", field)
    assert "f.nc:t" in run(tmp_path, f"{tmp_path}/f.nc:t", stream)


@pytest.mark.parametrize(
    "words, code, mentions",
    [
        (("absent.npy", "s.kpk"), 21, "absent.npy"),
        (("field.npy", "absent.kpk"), 21, "absent.kpk"),
        (("raw.bin", "s.kpk"), 1, "-t"),
        (("raw.bin", "s.kpk", "-t", "f16", "-l", "4"), 1, "f16"),
        (("raw.bin", "s.kpk", "-t", "f32", "-l", "5"), 1, "16 bytes"),
        (("raw.bin", "s.kpk", "-t", "f32", "-l", "0x4"), 1, "0x4"),
        (("field.npy", "raw.bin", "-t", "f32", "-l", "4"), 13, "-l 4|4"),
        (("field.npy", "damaged.kpk"), 12, "damaged.kpk"),
        (("field.npy", "other.npy"), 13, "other.npy|agree"),
        (("field.npy", "s.kpk", "-m", "abs"), 1, "-e"),
        (("field.npy", "s.kpk", "-m", "abs", "-e", "nan"), 1, "nan"),
        (("field.npy", "s.kpk", "-m", "psnr", "-e", "60"), 1, "psnr"),
        (("field.npy", "s.kpk", "--bounds", "1e-2"), 1, "sweep"),
        (("field.npy", "s.kpk", "--slice", "9,:,:"), 1, "9"),
        (("field.npy", "s.kpk", "--slice", "a"), 1, "a"),
        (("field.npy", "sweep", "--bounds", "1e-2,zero"), 1, "zero"),
        (("field.npy", "sweep", "--pipelines", "zip"), 1, "zip"),
        (("field.npy", "sweep", "-m", "lossless"), 1, "lossless"),
        (("objects.npy", "s.kpk"), 12, "objects.npy"),
        (("complex.npy", "s.kpk"), 1, "complex"),
        (("nine.npy", "nine.npy"), 1, "nine.npy' has 9 dimensions"),
        (("field.npy",), 1, "OTHER"),
        (("field.npy", "s.kpk", "--colour"), 1, "--colour"),
    ],
)
def test_what_cannot_be_used_is_one_line(tmp_path, field, capsys, monkeypatch, words, code, mentions):
    monkeypatch.chdir(tmp_path)
    stream = compressed(tmp_path / "s.kpk", field).read_bytes()
    (tmp_path / "damaged.kpk").write_bytes(stream[:-100])
    (tmp_path / "raw.bin").write_bytes(bytes(16))
    np.save("other.npy", field[:2])
    np.save("objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save("complex.npy", np.zeros(3, complex))
    np.save("nine.npy", np.zeros((2,) * 9))
    before = set(tmp_path.iterdir())
    assert main([*words, "-o", "page.html"]) == code
    message = capsys.readouterr().err
    assert message.startswith("kompakt: ") and message.count("\n") == 1
    assert re.search(mentions, message), message
    assert set(tmp_path.iterdir()) == before


def test_an_interrupt_of_an_import_is_one(tmp_path, field):
    np.save(tmp_path / "field.npy", field)
    (tmp_path / "matplotlib.py").write_text("raise ImportError('initialization failed') from KeyboardInterrupt()")
    words = [sys.executable, "-c", "import sys\nfrom kompakt.report import main\nsys.exit(main(sys.argv[1:]))"]
    words += [str(tmp_path / "field.npy"), "sweep", "-o", str(tmp_path / "page.html")]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": path})
    assert ran.returncode == -signal.SIGINT and ran.stderr == ""


def test_an_interrupt_ends_it_and_leaves_nothing(tmp_path, field):
    words = [
        sys.executable,
        "-c",
        "import os, signal, threading, sys\nfrom kompakt.report import main\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\nmain(sys.argv[1:])",
        str(tmp_path / "field.npy"),
        "sweep",
        "-o",
        str(tmp_path / "page.html"),
    ]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert ran.returncode == -signal.SIGINT and "Traceback" not in ran.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"field.npy"}


def test_an_error_of_the_library_is_one_line(tmp_path, field, capsys, monkeypatch):
    def fail(*args, **options):
        raise kompakt.Error("no\nmore threads", "device")

    monkeypatch.setattr(kompakt, "compress", fail)
    run(tmp_path, tmp_path / "field.npy", "sweep", code=30)
    assert capsys.readouterr().err == "kompakt: no more threads\n"


def test_nothing_is_replaced_without_force(tmp_path, field, capsys):
    stream = compressed(tmp_path / "s.kpk", field)
    (tmp_path / "page.html").write_text("mine")
    run(tmp_path, tmp_path / "field.npy", stream, code=21)
    assert (tmp_path / "page.html").read_text() == "mine" and "--force" in capsys.readouterr().err
    assert not (tmp_path / "page_pictures").exists()
    run(tmp_path, tmp_path / "field.npy", stream, "--force")
    assert main([str(tmp_path / "field.npy"), str(stream), "-o", str(stream), "--force"]) == 21
    assert kompakt.inspect(stream.read_bytes()).shape == field.shape


# ------------------------------------------------------------------------------------------- numbers


def test_spectrum_finds_a_wave_and_the_variance_of_noise():
    x = np.arange(256)
    found = spectrum(np.sin(2 * np.pi * 32 * x / 256)[None, :] + np.zeros((64, 1)))
    assert abs(found.wavenumber[np.argmax(found.power)] - 32 / 256) < 0.01
    noise = spectrum(np.random.default_rng(3).normal(scale=2.0, size=(128, 128)))
    assert abs(np.median(noise.power[-20:]) / 4 - 1) < 0.15


# --------------------------------------------------------------------------------------- in Chromium

PROBE = """<script>addEventListener('load', () => {
const out = {inner: innerWidth, scroll: document.documentElement.scrollWidth, images: [], wide: [], slices: []};
const seen = () => [...document.querySelectorAll('.slice')].filter((e) => e.offsetHeight).map((e) => e.dataset.index);
const move = (range, value) => { range.value = value; range.dispatchEvent(new Event('input')); };
const range = document.querySelector('.slices > .slider input');
for (const value of range ? [range.value, 0, range.max, range.value] : []) { move(range, value); out.slices.push(seen()); }
const swipe = document.querySelector('#reconstruction .slider input'), over = document.querySelector('#reconstruction .over');
out.swiped = [0, 50].map((value) => { move(swipe, value); return getComputedStyle(over).clipPath; });
move(swipe, 0);
const scroll = document.querySelector('.scroll'), told = document.querySelector('.scrolls');
out.table = [scroll.scrollWidth > scroll.clientWidth, told.offsetHeight > 0];
for (const i of [...document.images].filter((e) => e.offsetHeight && !e.closest('.over'))) { const r = i.getBoundingClientRect(); out.images.push([r.x, r.y, r.width, r.height]); }
for (const e of document.querySelectorAll('body *')) {
  const r = e.getBoundingClientRect();
  if (r.right > innerWidth + 0.5 && !e.closest('.scroll')) out.wide.push(e.tagName + '.' + e.className);
}
parent.postMessage(JSON.stringify(out), '*'); });</script>"""
# Chromium has no windows as narrow as a telephone, but frames.
FRAME = """<!DOCTYPE html><meta name="color-scheme" content="light dark"><body style="margin: 0"><pre id="probe" hidden></pre>
<script>addEventListener('message', (m) => { document.getElementById('probe').textContent = m.data; });</script>
<iframe src="probed.html" style="width: WIDTHpx; height: HEIGHTpx; border: 0; display: block"></iframe>"""


def chromium(height, dark, *words):
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size=1300,{height}",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        *words,
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chromium")
    z, y, x = np.mgrid[0:3, 0:200, 0:240] / 20
    values = ((1 + z) * np.sin(x) * np.cos(y) + 0.02 * np.random.default_rng(4).normal(size=x.shape)).astype(np.float32)
    values[:, :30, :40] = np.nan
    np.save(folder / "a_field_with_a_name_that_is_much_longer_than_a_telephone_is_wide.npy", values)
    page = folder / "page.html"
    assert main([str(next(folder.glob("a_*"))), "sweep", "--bounds", "1e-2,1e-3", "-o", str(page), "--quiet"]) == 0
    probed = folder / "probed.html"
    probed.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE + "</body>"), encoding="utf-8")
    return folder


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium (scripts/setup docs installs it)")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width, height", [(1280, 4200), (400, 9000)])
def test_in_chromium_nothing_overflows_and_no_picture_is_blank(swept, width, height, dark):
    image = pytest.importorskip("PIL.Image")
    frame = swept / f"{width}.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)).replace("HEIGHT", str(height)), encoding="utf-8")
    dom = chromium(height, dark, "--dump-dom", f"file://{frame}")
    probe = json.loads(re.search(r'<pre id="probe"[^>]*>(.+?)</pre>', dom).group(1))
    assert probe["inner"] == width
    assert probe["scroll"] <= width and probe["wide"] == []
    assert probe["slices"] == [["2"], ["0"], ["2"], ["2"]]
    assert re.fullmatch(r"inset\(0(px)? 100% 0(px)? 0(px)?\)", probe["swiped"][0]) and "50%" in probe["swiped"][1]
    is_narrow = width < 860
    assert probe["table"] == [is_narrow, is_narrow]
    shot = swept / f"{width}_{dark}.png"
    chromium(height, dark, f"--screenshot={shot}", f"file://{frame}")
    screen = np.asarray(image.open(shot).convert("L"), dtype=float)
    assert (screen[2, 2] < 60) == dark
    assert len(probe["images"]) >= 11
    for left, top, wide, high in probe["images"]:
        assert wide > 100 and top + high < height
        part = screen[round(top) : round(top + high), round(left) : round(left + wide)]
        assert part.std() > 4 and len(np.unique(part)) > 20
        assert (np.median(part) < 128) == dark or part.std() > 20  # lines stand on the colour of the scheme


def test_values_too_far_apart_for_pictures_are_refused(tmp_path, capsys):
    wide, small = tmp_path / "wide.npy", tmp_path / "small.npy"
    np.save(wide, np.array([-1.7e308, 1.7e308, 0, 1]))
    np.save(small, np.zeros(4))
    for words in ((wide, "sweep"), (wide, wide), (small, wide)):
        run_to_refusal(tmp_path, *words)
        assert "has values from -1.7e+308 to 1.7e+308, further apart" in capsys.readouterr().err
    np.save(wide, np.array([-3e38, 3e38, 0, 1], "f4"))
    run_to_refusal(tmp_path, wide, "sweep")


def run_to_refusal(tmp_path, *words):
    assert main([*map(str, words), "-o", str(tmp_path / "page.html"), "--quiet"]) == 1


def test_large_integers_are_compared_without_a_bound_only(tmp_path, capsys, coarse):
    path = tmp_path / "large.npy"
    np.save(path, np.arange(2**53 - 50, 2**53 + 50))
    run_to_refusal(tmp_path, path, path)
    assert "integers of 2**53 or more are compared without a bound only; pass -m lossless" in capsys.readouterr().err
    run(tmp_path, path, path, "-m", "lossless")
    (tmp_path / "page.html").unlink()
    run(tmp_path, path, compressed(tmp_path / "large.kpk", np.load(path)), "--force")
