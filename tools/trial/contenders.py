"""The compressors of a trial: pipelines of the package kompakt, and the peers of tools/compare_ratios."""

import kompakt
import peers
from coded import Coded
from drawing import spoken

# Arguments of kompakt.compress by the name in tables and pictures.
OURS = {
    "fixedlength": {"pipeline": "fixedlength"},
    "bitshuffle": {"pipeline": "bitshuffle"},
    "bitshuffle fz": {"pipeline": "bitshuffle", "variant": "fz"},
    "huffman": {"pipeline": "huffman"},
    "rans": {"pipeline": "rans"},
    "bitshuffle, interpolate": {"pipeline": "bitshuffle", "predictor": "interpolate"},
    "huffman, interpolate": {"pipeline": "huffman", "predictor": "interpolate"},
    "for ratio": {"pipeline": "auto", "goal": "ratio"},
    "for smallest": {"pipeline": "auto", "goal": "smallest"},
}


class Ours:
    """One setting of kompakt, from array to array."""

    def __init__(self, name, space):
        self.name, self.options = name, {**OURS[name], "space": space}

    def compress(self, field, bound):
        return kompakt.compress(field.values, bound, "abs", fill_value=field.entry.fill, **self.options)

    def round_trip(self, field, bound):
        stream = self.compress(field, bound)
        info = kompakt.inspect(stream)
        return Coded(len(stream), kompakt.decompress(stream), f"{info.pipeline} {info.variant} {info.method}")


def names_of_peers():
    """The contenders that are not ours, as rows name them."""
    return {*peers.BOUNDED_NAMES} | {f"{spoken(name)}, lossless" for name in peers.LOSSLESS_NAMES}


def bounded(trial):
    """Ours and the peers that keep a bound; in a quick trial SZ3 with one setting."""
    left_out = {"sz3-interpolation", "sz3-lorenzo"} if trial.quick else set()
    others = [peer for peer in trial.peers if peer.name not in left_out]
    return [*(Ours(name, trial.space) for name in OURS), *others]
