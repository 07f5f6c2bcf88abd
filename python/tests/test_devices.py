"""Arrays on a device: what other libraries are asked for, and, where there is a GPU, values, streams and copies."""

import numpy as np
import pytest
from fields import largest_error, turbulence

import kompakt
from kompakt import _core, _devices

BOUND = 1e-3
needs_cuda = pytest.mark.skipif(not _core.has_space(2), reason="this build has no CUDA")


# ------------------------------------------------------------------------------- without a device


class Elsewhere:
    """An array on a device, which keeps what it is asked for."""

    def __init__(self, kind=2):
        self.kind, self.streams = kind, []

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return "a capsule"


@pytest.mark.parametrize("stream, asked", [(0, 1), (2, 2), (0x7f00, 0x7f00)])
def test_dlpack_is_asked_for_the_stream_of_the_call(stream, asked):
    array = Elsewhere()
    assert _devices.on_device(array, "array", stream, False) == "a capsule"
    assert array.streams == [asked]  # never -1, which JAX takes for an address


def test_devices_that_are_not_known_are_refused():
    with pytest.raises(TypeError, match="array.*type 10"):
        kompakt.compress(Elsewhere(kind=10), BOUND)


def test_arrays_that_must_not_change_are_no_outputs():
    Immutable = type("ArrayImpl", (Elsewhere,), {"__module__": "jaxlib._jax"})
    stream = kompakt.compress(turbulence(8), BOUND, pipeline="bitshuffle")
    with pytest.raises(ValueError, match="like="):
        kompakt.decompress(stream, out=Immutable())


@pytest.mark.parametrize("stream, error", [("a", TypeError), (-3, ValueError), (object(), TypeError)])
def test_streams_that_are_none_are_refused(stream, error):
    with pytest.raises(error, match="stream"):
        kompakt.compress(turbulence(8), BOUND, stream=stream)


# ----------------------------------------------------------------------------------- with a device


class Torch:
    """PyTorch, as the tests use it."""

    def __init__(self):
        self.module = pytest.importorskip("torch")

    def put(self, values):
        return self.module.from_numpy(values).cuda()

    def empty(self, shape, dtype):
        return self.module.empty(shape, dtype=getattr(self.module, dtype), device="cuda")

    def get(self, array):
        return array.cpu().numpy()

    def side_stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream())


class CuPy:
    """CuPy, likewise."""

    def __init__(self):
        self.module = pytest.importorskip("cupy")

    def put(self, values):
        return self.module.asarray(values)

    def empty(self, shape, dtype):
        return self.module.empty(shape, dtype)

    def get(self, array):
        return self.module.asnumpy(array)

    def side_stream(self):
        return self.module.cuda.Stream(non_blocking=True)


@pytest.fixture(params=[Torch, CuPy])
def library(request):
    return request.param()


def round_trip(library, values, **options):
    x = library.put(values)
    room = library.empty((kompakt.max_compressed_bytes(x),), "uint8")
    stream = kompakt.compress(x, BOUND, mode="abs", out=room, **options)
    y = library.empty(values.shape, str(values.dtype))
    assert kompakt.decompress(stream, out=y) is y
    return stream, y


@needs_cuda
@pytest.mark.parametrize("pipeline", ["fixedlength", "bitshuffle", "huffman", "rans", "auto"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_bytes_are_those_of_the_host(library, pipeline, dtype):
    values = turbulence(48).astype(dtype)
    stream, y = round_trip(library, values, pipeline=pipeline)
    assert largest_error(values, library.get(y)) <= BOUND
    assert library.get(stream).tobytes() == kompakt.compress(values, BOUND, mode="abs", pipeline=pipeline)
    assert kompakt.compress(library.put(values), BOUND, mode="abs", pipeline=pipeline) == library.get(stream).tobytes()


@needs_cuda
def test_results_are_like_what_they_shall_be_like(library):
    values = turbulence(32)
    x = library.put(values)
    stream, whole = round_trip(library, values, pipeline="huffman")
    like = kompakt.decompress(stream, like=x)
    assert type(like) is type(x) and like.device == x.device
    assert np.array_equal(library.get(like), library.get(whole))
    assert np.array_equal(kompakt.decompress(stream), library.get(whole))
    assert np.array_equal(kompakt.decompress_region(stream, np.s_[3:9, :, 5]), library.get(whole)[3:9, :, 5])
    assert kompakt.inspect(stream).shape == values.shape


@needs_cuda
def test_any_steps(library):
    values = turbulence(32)
    x = library.put(values)
    for part in (x[::2, 3:, ::3], x[5], x.T if isinstance(library, CuPy) else x.permute(2, 1, 0)):
        y = kompakt.decompress(kompakt.compress(part, BOUND, mode="abs", pipeline="bitshuffle"))
        assert largest_error(library.get(part), y) <= BOUND


@needs_cuda
def test_work_is_done_on_the_current_stream(library):
    values = turbulence(64)
    with library.side_stream():
        for step in range(20):
            x = library.put(values) * (step + 1)  # enqueued, and perhaps not yet done
            stream = kompakt.compress(x, BOUND, mode="abs", pipeline="fixedlength")
            assert largest_error(values * np.float32(step + 1), kompakt.decompress(stream)) <= BOUND


@needs_cuda
def test_bad_outputs_are_refused(library):
    stream, _ = round_trip(library, turbulence(16), pipeline="bitshuffle")
    for shape, dtype in (((16, 16, 15), "float32"), ((16, 16, 16), "float64"), ((4096,), "float32")):
        with pytest.raises(ValueError, match=r"\(16, 16, 16\)"):
            kompakt.decompress(stream, out=library.empty(shape, dtype))
    with pytest.raises(TypeError, match="bool"):
        kompakt.compress(library.empty((3,), "bool"), BOUND)
    with pytest.raises(ValueError, match="100"):
        kompakt.compress(library.put(turbulence(16)), BOUND, pipeline="bitshuffle", out=library.empty((100,), "uint8"))
    damaged = library.put(library.get(stream).copy())
    damaged[damaged.shape[0] // 2] ^= 8
    with pytest.raises(kompakt.Error):
        kompakt.decompress(damaged, out=library.empty((16, 16, 16), "float32"))


@needs_cuda
def test_a_tensor_that_requires_a_gradient_is_read_but_not_written():
    torch = pytest.importorskip("torch")
    x = torch.ones(4096, device="cuda", requires_grad=True)
    stream = kompakt.compress(x, BOUND, mode="abs", pipeline="fixedlength")
    assert (kompakt.decompress(stream) - 1).max() <= BOUND
    with pytest.raises(ValueError, match="detach"):
        kompakt.decompress(stream, out=x)


@needs_cuda
def test_only_headers_go_to_the_host():
    torch = pytest.importorskip("torch")
    library, values = Torch(), turbulence(64)
    round_trip(library, values, pipeline="fixedlength")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        round_trip(library, values, pipeline="fixedlength")
    copies = [event.name for event in profile.events() if "Memcpy DtoH" in event.name or "Device -> Pageable" in event.name]
    assert len(copies) == 0, copies


@needs_cuda
def test_jax_goes_on_working():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    values = turbulence(48)
    x = jax.device_put(values, jax.devices("gpu")[0])
    for step in range(5):
        y = jnp.sin(x) * (step + 1)  # asynchronous
        stream = kompakt.compress(y, BOUND, mode="abs", pipeline="bitshuffle")
        z = kompakt.decompress(stream, like=y)
        assert isinstance(z, jax.Array) and z.device == y.device
        assert bool(jnp.isfinite(z).all())
        assert largest_error(np.asarray(y), np.asarray(z)) <= BOUND
