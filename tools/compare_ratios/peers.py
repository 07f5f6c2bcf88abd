"""The peers by name, and those of them that are installed."""

import importlib
import importlib.metadata

from bounded_peers import BOUNDED
from fields import BadInput
from lossless_peers import LOSSLESS

USUAL = ("sz3", "zfp")  # within a bound, unless others are named
BOUNDED_NAMES, LOSSLESS_NAMES = (tuple(peer.name for peer in peers) for peers in (BOUNDED, LOSSLESS))
BY_NAME = {peer.name: peer for peer in BOUNDED + LOSSLESS}


def named(words, known):
    """Names out of the text of --peers."""
    if words in ("all", "none"):
        return list(known) if words == "all" else []
    names = list(dict.fromkeys(words.split(",")))
    for name in names:
        if name not in known:
            raise BadInput(f"--peers: '{name}' is not known here; use some of {', '.join(known)}, or all, or none")
    return names


def load_peers(names):
    """The peers that are installed, their packages with versions by name, and a line for each that is not."""
    peers, versions, missing = [], {}, []
    for name in names:
        package = BY_NAME[name].package
        try:
            module, version = importlib.import_module(package), importlib.metadata.version(package)
        except ImportError as error:  # of which PackageNotFoundError is one
            missing.append(f"{name} skipped: {package} cannot be used ({error}); scripts/setup peers brings it")
            continue
        peers.append(BY_NAME[name](module))
        versions[name] = f"{package} {version}"
    return peers, versions, missing
