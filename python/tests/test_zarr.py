"""The codec of Zarr's version 3, as users and a hostile store meet it."""

import json

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")
hypothesis = pytest.importorskip("hypothesis")

import integrations
from fields import largest_error, turbulence
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from zarr.abc.store import RangeByteRequest
from zarr.storage import LocalStore, MemoryStore, WrapperStore

import kompakt
import kompakt.numcodecs
import kompakt.zarr
from kompakt.zarr import Kompakt


class CountingStore(WrapperStore):
    """A store that counts what is read of chunks."""

    def __init__(self, store, sizes=None):
        super().__init__(store)
        self.sizes = [] if sizes is None else sizes  # of what was read, shared by its read-only siblings

    def with_read_only(self, read_only=False):
        return type(self)(self._store.with_read_only(read_only), self.sizes)

    async def get(self, key, prototype, byte_range=None):
        found = await self._store.get(key, prototype, byte_range)
        if found is not None and "zarr.json" not in key:
            self.sizes.append(len(found))
        return found


def create(store, values, chunks, codec, **options):
    options = {"compressors": None, "fill_value": 0, "dtype": values.dtype, **options}
    array = zarr.create_array(store, shape=values.shape, chunks=chunks, serializer=codec, overwrite=True, **options)
    array[...] = values
    return array


def chunk_bytes(store, key="c/0/0/0"):
    return store._store_dict[key].to_bytes()


# ------------------------------------------------------------------------------------------ values


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_values_come_back_within_the_bound_whatever_shape_and_chunks(data):
    shape = data.draw(nps.array_shapes(min_dims=0, max_dims=4, max_side=20))
    dtype = data.draw(st.sampled_from(["<f4", "<f8", ">f4", ">f8"]))
    values = data.draw(nps.arrays(dtype, shape, elements=st.floats(-1e6, 1e6, width=32) | st.just(float("nan"))))
    chunks = tuple(data.draw(st.integers(1, extent)) for extent in shape)
    bound = data.draw(st.sampled_from([1e-6, 1e-2, 3.0]))
    pipeline = data.draw(st.sampled_from(["auto", "fixedlength", "bitshuffle", "huffman", "rans"]))
    order = data.draw(st.sampled_from(["C", "F"]))
    array = create(MemoryStore(), values, chunks, Kompakt(bound, "abs", pipeline), config={"order": order})
    restored = zarr.open_array(array.store)[...]
    assert restored.dtype == values.dtype.newbyteorder("=") or restored.dtype == values.dtype
    assert largest_error(values, np.asarray(restored)) <= bound


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_lossless_is_exact_for_every_type(dtype):
    values = np.random.default_rng(1).integers(0, 100, (30, 41)).astype(dtype)
    assert np.array_equal(create(MemoryStore(), values, (16, 16), Kompakt(mode="lossless"))[...], values)


def test_bound_of_the_range_is_that_of_each_chunk_without_the_fill_value():
    values = np.concatenate([280 + turbulence(32, 2), 1000 * turbulence(32, 2, seed=2)])[:60, :20]
    array = create(MemoryStore(), values, (32, 32), Kompakt(1e-2))
    for part in values[:32], values[32:]:
        at = slice(0, 32) if part is values[:32] or part.shape[0] == 32 else slice(32, 60)
        assert largest_error(part, array[at]) <= 1e-2 * np.ptp(part.astype("f8"))


def _third(*options, **more):
    return {"serializer": Kompakt(*options, **more), "compressors": None}


def _sharded(*options, **more):
    return {**_third(*options, **more), "shards": (128, 64)}


def _second(*options, **more):
    return {"zarr_format": 2, "compressors": kompakt.numcodecs.Kompakt(*options, **more)}


@pytest.fixture(params=[_third, _sharded, _second])
def format_of(request):
    return request.param


def parts_at_the_edge(values, format_of, *options, padding=0, **more):
    """Original and restored values of chunks of 64 x 32 that the array ends in, as numbers that are not complex."""
    array = zarr.create_array(MemoryStore(), shape=values.shape, chunks=(64, 32), dtype=values.dtype, fill_value=padding,
                              **format_of(*options, **more))
    array[...] = values
    number = "c16" if values.dtype.kind == "c" else "f8"
    for at in np.s_[:, :32], np.s_[:, 32:]:
        yield (np.ascontiguousarray(part[at].astype(number)).view("f8") for part in (values, array[...]))


def lifted(dtype, base, width):
    """63 x 63 values between base and base + width."""
    values = base + width * np.random.default_rng(5).random((63, 63))
    return values.astype(dtype) * (1 + 1j) if np.dtype(dtype).kind == "c" else values.astype(dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i4", "u2", "c8"])
@pytest.mark.parametrize("options", [{}, {"fill_value": None}, {"fill_value": [-7, "auto"], "pipeline": "huffman", "predictor": "interpolate"}],
                         ids=["plain", "no fill", "other options"])
def test_padding_at_the_edge_is_in_no_range(format_of, dtype, options):
    values = lifted(dtype, 1000, 25)
    for part, restored in parts_at_the_edge(values, format_of, 0.1, **options):
        assert 0 < np.abs(part - restored).max() <= 0.1 * np.ptp(part)


def test_padding_of_one_value_is_in_no_range():
    values = lifted("f4", 280, 5).ravel()
    for options in _third(1e-3), _second(1e-3):
        array = zarr.create_array(MemoryStore(), shape=(len(values),), chunks=(len(values) + 1,), dtype="f4", **options)
        array[...] = values
        assert largest_error(values, array[...]) <= 1e-3 * np.ptp(values.astype("f8"))


@pytest.mark.parametrize("dtype, fill", [("i8", -9223372036854775806), ("u8", 18446744073709551614)])
def test_a_chunk_with_padding_and_a_value_that_no_float64_holds_is_exact(dtype, fill):
    values = lifted(dtype, 1000, 25).ravel()
    values[-7] = fill
    for options in _third(0.1), _second(0.1):
        array = zarr.create_array(MemoryStore(), shape=values.shape, chunks=(len(values) * 2 // 3,), dtype=dtype, **options)
        array[...] = values
        same = array[...] == values
        assert same[array.chunks[0]:].all() and not same.all()


def test_a_fill_value_that_the_codec_is_not_told_is_padding():
    values = lifted("f4", 50, 1)
    for part, restored in parts_at_the_edge(values, _third, 1e-2, padding=9, fill_value=[-7]):
        assert np.abs(part - restored).max() <= 1e-2 * np.ptp(part)


def test_psnr_of_a_chunk_is_that_without_padding(format_of):
    values = lifted("f4", 1000, 25)[:40]
    for part, restored in parts_at_the_edge(values, format_of, 60, mode="psnr", fill_value=None):
        assert 20 * np.log10(np.ptp(part) / np.sqrt(np.mean((part - restored) ** 2))) >= 60


@pytest.mark.parametrize("limits", [None, (200, 400)])
def test_constant_values_beside_padding_come_back(format_of, limits):
    values = np.full((63, 63), 300, "f4")
    for part, restored in parts_at_the_edge(values, format_of, 1e-2, limits=limits, fill_value=None):
        assert np.array_equal(part, restored)


def test_a_chunk_without_padding_is_what_compress_makes_of_it():
    values = turbulence(64, 2)
    zeros_within = values.copy()
    zeros_within[-3:] = 0  # as padding, but between the other values
    for chunk in values, zeros_within:
        memory = MemoryStore()
        create(memory, chunk, chunk.shape, Kompakt(1e-3))
        codec = kompakt.numcodecs.Kompakt(1e-3)
        expected = kompakt.compress(chunk, **codec.keywords_for(chunk.dtype, "auto"))
        assert chunk_bytes(memory, "c/0/0") == codec.encode(chunk) == expected


def test_one_range_for_all_chunks_is_one_bound():
    values = turbulence(32) * np.linspace(1, 100, 32, dtype="f4")[:, None, None]
    width = float(np.ptp(values.astype("f8")))
    array = create(MemoryStore(), values, (8, 32, 32), Kompakt(1e-3, value_range=width))
    assert largest_error(values[:8], array[:8]) > 1e-3 * np.ptp(values[:8].astype("f8"))
    assert largest_error(values, array[...]) <= 1e-3 * width


def test_fill_value_comes_back_bit_for_bit_and_where_no_chunk_is():
    values = turbulence(32, 2)
    values[3:20, 4:9] = 1e20
    array = create(MemoryStore(), np.full((64, 32), 1e20, "f4"), (32, 32), Kompakt(1e-3), fill_value=1e20)
    array[:32] = values
    assert np.array_equal(array[:32] == np.float32(1e20), values == np.float32(1e20))
    assert (array[32:] == np.float32(1e20)).all() and (array[40:50, 2] == np.float32(1e20)).all()
    assert largest_error(values[values < 1e19], array[:32][values < 1e19]) <= 2e-2


def test_part_of_a_chunk_is_written_into_what_is_there():
    values = turbulence(32, 2)
    array = create(MemoryStore(), values, (32, 32), Kompakt(1e-3, "abs"))
    array[5:9, 10:] = 7
    values[5:9, 10:] = 7
    assert largest_error(values, array[...]) <= 2e-3


def test_codecs_before_and_behind_are_undone():
    from zarr.codecs import TransposeCodec, ZstdCodec
    values = turbulence(24)
    array = create(MemoryStore(), values, (24, 12, 24), Kompakt(1e-3, "abs"), filters=[TransposeCodec(order=(2, 0, 1))],
                   compressors=[ZstdCodec()])
    assert largest_error(values[3:5, :, 7], array[3:5, :, 7]) <= 1e-3


# ------------------------------------------------------------------------------------------ selections

_SHAPE = (40, 50, 60)


@pytest.fixture(scope="module", params=[None, (40, 60, 64)], ids=["plain", "sharded"])
def arrays(request):
    values = turbulence(64)[:40, :50, :60]
    array = create(MemoryStore(), values, (20, 30, 32), Kompakt(1e-3, "abs", "bitshuffle"), shards=request.param)
    return array, array[...]


def _index(extent):
    return st.integers(0, extent - 1) | st.slices(extent).filter(lambda part: part.step is None or part.step > 0)


@settings(max_examples=80, deadline=None)
@given(key=st.tuples(*map(_index, _SHAPE)))
def test_any_box_is_that_of_all_values(arrays, key):
    array, whole = arrays
    assert np.array_equal(array[key], whole[key])


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_orthogonal_or_coordinate_selection_is_that_of_all_values(arrays, data):
    array, whole = arrays
    count = data.draw(st.integers(1, 6))
    points = tuple(np.array(data.draw(st.lists(st.integers(0, extent - 1), min_size=count, max_size=count)))
                   for extent in _SHAPE)
    assert np.array_equal(array.vindex[points], whole[points])
    assert np.array_equal(array.oindex[points], whole[np.ix_(*points)])
    assert np.array_equal(array.oindex[points[0], 5, points[2]], whole[:, 5][np.ix_(points[0], points[2])])


def test_mask_is_that_of_all_values(arrays):
    array, whole = arrays
    mask = np.random.default_rng(3).random(_SHAPE) < 0.01
    assert np.array_equal(array.vindex[mask], whole[mask])
    rows = np.arange(40) % 7 == 0
    assert np.array_equal(array.oindex[rows, :, 3], whole[rows][:, :, 3])


# ------------------------------------------------------------------------------------------ bytes that are read


def share_read(values, box, codec, **options):
    """Of the bytes of the one chunk, how many are read for a box; and the requests."""
    memory = MemoryStore()
    create(memory, values, options.pop("chunks", values.shape), codec, **options)
    whole = sum(len(value) for key, value in memory._store_dict.items() if "zarr.json" not in key)
    store = CountingStore(memory)
    restored = zarr.open_array(store, mode="r")[box]
    return sum(store.sizes) / whole, len(store.sizes), restored


def test_small_box_of_a_large_chunk_reads_few_bytes():
    values = turbulence(192)
    box = np.s_[40:72, 50:82, 64:96]
    for pipeline in ("bitshuffle", "huffman", "fixedlength"):
        share, requests, restored = share_read(values, box, Kompakt(1e-3, pipeline=pipeline))
        assert 0 < share <= 0.06, (pipeline, share)
        assert requests <= 80, (pipeline, requests)
        print(pipeline, share, requests)
        assert largest_error(values[box], restored) <= 1e-3 * np.ptp(values)


@pytest.mark.long
def test_box_of_64_out_of_a_chunk_of_512_reads_three_per_cent():
    values = np.tile(turbulence(256), (2, 2, 2))
    box = np.s_[192:256, 64:128, 320:384]
    share, requests, restored = share_read(values, box, Kompakt(1e-3))
    print(f"64^3 of 512^3: {100 * share:.2f} % of the bytes by {requests} requests")
    assert share <= 0.03
    assert largest_error(values[box], restored) <= 1e-3 * np.ptp(values)
    assert share_read(values, np.s_[100:164, 37:101, 301:365], Kompakt(1e-3))[0] <= 0.03


def test_box_within_shards_reads_the_chunks_that_it_touches():
    values = turbulence(64)
    share, _, restored = share_read(values, np.s_[:10, :10, :10], Kompakt(1e-3), chunks=(16, 16, 16), shards=(64, 64, 64))
    assert share <= 0.05
    assert largest_error(values[:10, :10, :10], restored) <= 1e-3 * np.ptp(values)


def test_small_chunk_is_one_request():
    share, requests, _ = share_read(turbulence(16), np.s_[2, 3:5, :], Kompakt(1e-2))
    assert requests == 1


# ------------------------------------------------------------------------------------------ other processes

_WRITE = """
import sys, numpy, zarr
values = numpy.load(sys.argv[1])
from kompakt.zarr import Kompakt
zarr.create_array(sys.argv[2], shape=values.shape, chunks=(16, 16, 16), shards=(32, 32, 32), dtype=values.dtype,
                  serializer=Kompakt(1e-3, "abs"), compressors=None)[...] = values
"""
_READ = """
import sys, numpy, zarr
assert "kompakt" not in sys.modules
numpy.save(sys.argv[2], zarr.open_array(sys.argv[1], mode="r")[5:30, 3, ::2])
"""


def test_one_process_writes_another_reads(tmp_path):
    values = turbulence(32)
    np.save(tmp_path / "in.npy", values)
    integrations.run_elsewhere(_WRITE, tmp_path / "in.npy", tmp_path / "a.zarr")
    integrations.run_elsewhere(_READ, tmp_path / "a.zarr", tmp_path / "out.npy")
    assert largest_error(values[5:30, 3, ::2], np.load(tmp_path / "out.npy")) <= 1e-3


# ------------------------------------------------------------------------------------------ memory of values


class OtherArray(np.ndarray):
    """As an array of another memory: it must not be copied into one of NumPy's own."""


class OtherNDBuffer(zarr.core.buffer.cpu.NDBuffer):
    @classmethod
    def empty(cls, shape, dtype, order="C"):
        return cls.from_ndarray_like(np.empty(shape, dtype, order).view(OtherArray))

    @classmethod
    def create(cls, *, shape, dtype, order="C", fill_value=None):
        made = cls.empty(shape, dtype, order)
        made.as_ndarray_like()[...] = 0 if fill_value is None else fill_value
        return made


def test_values_lie_in_the_memory_that_the_prototype_says(monkeypatch):
    prototype = zarr.core.buffer.BufferPrototype(zarr.core.buffer.cpu.Buffer, OtherNDBuffer)
    values = turbulence(32)
    array = create(MemoryStore(), values, (32, 32, 16), Kompakt(1e-3, "abs"))
    outputs = []
    whole, region = kompakt.zarr.decompress, kompakt.zarr.decompress_region
    monkeypatch.setattr(kompakt.zarr, "decompress", lambda stream, out: outputs.append(type(out)) or whole(stream, out=out))
    monkeypatch.setattr(kompakt.zarr, "decompress_region",
                        lambda stream, key, out: outputs.append(type(out)) or region(stream, key, out))
    for box in (np.s_[...], np.s_[3:5, 7, 1:]):
        restored = array.get_basic_selection(box, prototype=prototype)
        assert type(restored) is OtherArray
        assert largest_error(values[box], np.asarray(restored)) <= 1e-3
    assert len(outputs) == 4 and set(outputs) == {OtherArray}


def test_values_of_a_gpu_stay_there():
    cupy = pytest.importorskip("cupy")
    from kompakt import _core
    if not _core.has_space(2):
        pytest.skip("this build has no CUDA")
    values = turbulence(64)
    with zarr.config.enable_gpu():
        array = create(MemoryStore(), cupy.asarray(values), (64, 32, 64), Kompakt(1e-3, "abs"))
        for box in (np.s_[...], np.s_[3:5, 7, 1:]):
            restored = array[box]
            assert isinstance(restored, cupy.ndarray)
            assert largest_error(values[box], restored.get()) <= 1e-3


# ------------------------------------------------------------------------------------------ metadata


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_configuration_survives_json(data):
    mode = data.draw(st.sampled_from(["abs", "r2r", "pwr", "psnr"]))
    bound = data.draw(st.floats(1e-300, 0.99))
    fill = data.draw(st.sampled_from(["array", "auto", None, 0.0, 1e20, float("nan"), float("-inf")]))
    codec = Kompakt(bound, mode, "huffman", predictor="tile", pack=True, fill_value=fill, radius=1024, checksum=False)
    found = Kompakt.from_dict(json.loads(json.dumps(codec.to_dict(), allow_nan=False)))
    assert found.to_dict() == codec.to_dict()
    assert Kompakt.from_dict({"name": "kompakt"}) == Kompakt()


@pytest.mark.parametrize("change, named", [
    ({"version": 2}, "version=2"), ({"version": True}, "version=True"), ({"version": "1"}, "version='1'"),
    ({"coder": "ans"}, "coder='ans'"), ({"mode": "quantile"}, "'quantile'"), ({"mode": ["abs"]}, "mode="),
    ({"pipeline": "fourier"}, "'fourier'"), ({"variant": "deeper"}, "'deeper'"),
    ({"bound": -1}, "bound -1"), ({"bound": 0}, "bound 0"), ({"bound": "tight"}, "bound='tight'"),
    ({"bound": float("nan")}, "bound nan"), ({"bound": None}, "bound=None"), ({"bound": {}}, "bound={}"),
    ({"bound": True}, "bound=True"), ({"mode": "pwr", "bound": 1.5}, "bound 1.5"),
    ({"mode": "psnr", "bound": 1e9}, "PSNR of 1000000000"), ({"fill_value": "zero"}, "'zero'"),
    ({"fill_value": {}}, "fill_value="), ({"fill_value": [1, "zero"]}, "'zero'"), ({"radius": 1000}, "radius 1000"), ({"radius": 1 << 40}, "radius"),
    ({"pack": "yes"}, "pack='yes'"), ({"value_range": 0}, "value_range=0"), ({"predictor": "tile", "goal": "ratio"}, "predictor 'tile'"),
    ({"goal": "size"}, "'size'"),
])
def test_configuration_that_is_not_known_is_refused_by_its_value(change, named):
    memory = MemoryStore()
    create(memory, np.zeros((4, 4), "f4"), (4, 4), Kompakt(1e-3))
    metadata = json.loads(memory._store_dict["zarr.json"].to_bytes())
    metadata["codecs"][0]["configuration"].update(change)
    memory._store_dict["zarr.json"] = zarr.core.buffer.cpu.Buffer.from_bytes(json.dumps(metadata).encode())
    with pytest.raises((ValueError, TypeError), match="kompakt codec") as caught:
        zarr.open_array(memory)
    assert named in str(caught.value)


@pytest.mark.parametrize("data", [{"name": "kompact"}, {"name": "kompakt", "configuration": [1]}, "kompakt", {}, None])
def test_what_is_no_configuration_is_refused(data):
    with pytest.raises((ValueError, TypeError), match="kompakt codec"):
        Kompakt.from_dict(data)


@pytest.mark.parametrize("dtype, ndim, codec, named", [
    ("i4", 2, Kompakt(1e-3), "int32"), ("c8", 8, Kompakt(1e-3), "8 dimensions"),
    ("?", 2, Kompakt(mode="lossless"), "bool"), ("M8[s]", 1, Kompakt(mode="lossless"), "datetime64"),
    ("f4", 9, Kompakt(1e-3), "9 dimensions")])
def test_values_that_cannot_be_compressed_are_refused_before_anything_is_written(dtype, ndim, codec, named):
    memory = MemoryStore()
    with pytest.raises(ValueError, match=named):
        zarr.create_array(memory, shape=(2,) * ndim, chunks=(2,) * ndim, dtype=dtype, serializer=codec, compressors=None)
    assert not memory._store_dict


# ------------------------------------------------------------------------------------------ chunks nobody can trust


def replaced(values, chunk_of):
    """An array of one chunk, whose bytes chunk_of() has made of those that were there."""
    memory = MemoryStore()
    create(memory, values, values.shape, Kompakt(1e-3, "abs", "bitshuffle"))
    memory._store_dict["c/0/0/0"] = zarr.core.buffer.cpu.Buffer.from_bytes(chunk_of(chunk_bytes(memory)))
    return zarr.open_array(memory, mode="r")


@pytest.mark.parametrize("other", [np.zeros((32, 32), "f4"), np.zeros((32, 32, 33), "f4"), np.zeros((32, 32, 32), "f8"),
                                   np.zeros((32, 32, 32), "i4"), np.zeros((64, 64, 64), "f4")])
def test_chunk_of_another_array_is_refused(other):
    array = replaced(turbulence(32), lambda _: kompakt.compress(other, mode="lossless"))
    for box in (np.s_[...], np.s_[3:5, 7, 1:]):
        with pytest.raises((kompakt.Error, ValueError), match="shape|float|int|rank"):
            array[box]


@pytest.mark.parametrize("chunk_of", [lambda b: b[:-100], lambda b: b[:2000], lambda b: b[:10], lambda b: b"x" * 500,
                                      lambda b: b[:8] + b"\xff\xff" + b[10:]])
def test_truncated_and_foreign_chunks_are_refused(chunk_of):
    array = replaced(turbulence(64)[:60], chunk_of)
    for box in (np.s_[...], np.s_[40:60, 33:60, 20:40]):
        with pytest.raises(kompakt.Error):
            array[box]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_altered_chunks_give_an_error_or_sound_values(data):
    values = turbulence(32)

    def altered(stream):
        stream = bytearray(stream)
        for _ in range(data.draw(st.integers(1, 3))):
            stream[data.draw(st.integers(0, len(stream) - 1) | st.integers(0, 300))] ^= 1 << data.draw(st.integers(0, 7))
        return bytes(stream)

    array = replaced(values, altered)
    for box in (np.s_[...], np.s_[3:5, 7, 1:20]):
        try:
            assert largest_error(values[box], array[box]) <= 1e-3
        except (kompakt.Error, ValueError):
            pass


def test_chunk_that_shrinks_while_it_is_read_is_refused():
    class Shrinking(CountingStore):
        async def get(self, key, prototype, byte_range=None):
            found = await super().get(key, prototype, byte_range)
            inner = isinstance(byte_range, RangeByteRequest) and byte_range.start > 0
            return found[:-1] if inner else found

    memory = MemoryStore()
    create(memory, turbulence(64), (64, 64, 64), Kompakt(1e-3))
    with pytest.raises(kompakt.Error, match="missing"):
        zarr.open_array(Shrinking(memory), mode="r")[30:34, 30:34, 30:34]


@pytest.mark.parametrize("after", [1, 2])
def test_chunk_that_is_replaced_while_it_is_read_is_refused(after):
    class Replacing(CountingStore):
        async def get(self, key, prototype, byte_range=None):
            found = await super().get(key, prototype, byte_range)
            if len(self.sizes) == after and "zarr.json" not in key:
                self._store._store_dict[key] = other
            return found

    stores = MemoryStore(), MemoryStore()
    for store, factor in zip(stores, (1, 1000)):
        create(store, factor * turbulence(64), (64, 64, 64), Kompakt(1e-3, pipeline="fixedlength", checksum=False))
    memory, other = stores[0], stores[1]._store_dict["c/0/0/0"]
    with pytest.raises(kompakt.Error):
        zarr.open_array(Replacing(memory), mode="r")[30:34, 30:34, 30:34]


def test_local_store_reads_ranges(tmp_path):
    values = turbulence(64)
    create(LocalStore(tmp_path / "a.zarr"), values, (64, 64, 64), Kompakt(1e-3, "abs"))
    assert largest_error(values[1, 2:40, 3], zarr.open_array(tmp_path / "a.zarr", mode="r")[1, 2:40, 3]) <= 1e-3
