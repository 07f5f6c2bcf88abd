"""Round trips with every value checked, and their figures."""

import math

import call_times
import device_link
import kompakt
import numpy as np
from coded import Refused
from exact_errors import count_violations


def short(value, digits=5):
    """A float with so many digits, as JSON keeps it; None for what is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")


def hidden(values, is_fill):
    """The values with NaN where fill values are."""
    return np.where(is_fill, values.dtype.type(np.nan), values) if is_fill.any() else values


def outcome(field, coded, bound, groups=("ssim",)):
    """Figures of what a compressor made of a field. Violations are counted in exact arithmetic."""
    violations, largest = field.check(coded.restored, bound)
    found = kompakt.compare(hidden(field.values, field.is_fill), hidden(coded.restored, field.is_fill), bound, groups=groups)
    return {"bits": short(8 * coded.stream_bytes / field.values.size), "ratio": short(field.values.nbytes / coded.stream_bytes),
            "psnr": short(found.psnr), "ssim": short(found.ssim, 7), "error_of_bound": short(largest / bound, 7),
            "violations": int(violations), "way": coded.way}


def measured(contender, field, bound, groups=("ssim",)):
    """The outcome of a round trip, or why the compressor refused the field."""
    try:
        return outcome(field, contender.round_trip(field, bound), bound, groups)
    except Refused as refused:
        return {"refused": str(refused)}


def memory(space, values, room):
    """The values, room for a stream and room for the reconstruction, in the memory of a space."""
    if space != "cuda":
        return values, np.empty(room, "u1"), np.empty_like(values)
    runtime = device_link.Runtime()
    return (device_link.DeviceArray(runtime, values.shape, values.dtype).put(values), device_link.DeviceArray(runtime, (room,), "u1"),
            device_link.DeviceArray(runtime, values.shape, values.dtype))


def timed(values, bound, samples, space, **options):
    """Bytes, GB/s of both directions and violations of one setting of kompakt, with memory that is used again."""
    source, room, restored = memory(space, values, kompakt.max_compressed_bytes(values, bound, "abs", **options))

    def compress():
        return kompakt.compress(source, bound, "abs", out=room, **options)
    stream = compress()
    there = call_times.median_s(compress, samples)
    back = call_times.median_s(lambda: kompakt.decompress(stream, restored), samples)
    violations, _ = count_violations(values, restored.get() if space == "cuda" else restored, bound)
    return {"ratio": short(values.nbytes / len(stream)), "compress_gbps": short(values.nbytes / there / 1e9, 4),
            "decompress_gbps": short(values.nbytes / back / 1e9, 4), "violations": int(violations)}
