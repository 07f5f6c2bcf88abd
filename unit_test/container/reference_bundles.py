"""Bundles of small fields and abridged streams, as sections 9 and 12 of docs/format.md describe them."""

import math
import struct

BOUND_IS_STATED = 0x80  # beside the rank
MAGIC = bytes.fromhex("894b504b0d0a1a0a")


def words_of(data):
    return struct.unpack(f"<{len(data) // 4}I", data)


def restored(abridged, dtype, extents, stated, checksum):
    """The stream that an abridged one stands for; ``stated`` is the mode, the number of the user and the reason, or nothing."""
    form, pipeline, prediction, coding, features, coder_units, bound = struct.unpack_from("<BBBBHHd", abridged)
    assert form == 1 and not features & 8
    at = 16

    def number():
        nonlocal at
        at += 8
        return struct.unpack_from("<Q", abridged, at - 8)[0]

    mode, levels_of_pwr = coding >> 4, coding >> 4 == 2 and prediction >> 4 == 1
    constant = number() if features & 0xE2 or levels_of_pwr else 0
    fill = number() if features & 4 else None
    limits = struct.pack("<QQ", number(), number()) if features & 16 else None
    exceptions = number() if features >> 15 else 0
    features &= 0x7FFF
    coder = abridged[at:at + 16 * coder_units]
    at += len(coder)
    chunks = (7, 5, 4)[prediction & 15] if prediction >> 4 else 1  # of so few values each level has one
    entries = struct.unpack_from(f"<{chunks - 1}I", abridged, at)
    at += 4 * len(entries)
    payload = abridged[at + 4:]
    index = [0, *(4 * entry for entry in entries), len(payload)]
    x, y, *slower = [extent for extent in reversed(extents) if extent > 1] + [1, 1]
    z = math.prod(slower)
    known = struct.pack("<5Q", len(payload), dtype, x, y, z)
    stored = struct.unpack_from("<I", abridged, at)[0]
    assert (checksum(words_of(abridged[:at]), 8) + checksum(words_of(known), 9)) % (1 << 32) == stored

    steps = features >> 5 & 7
    stated_mode, stated_bound, reason = stated or (mode, 0.0 if mode == 4 and steps else bound, 0)
    shape = struct.pack("<BB", len(extents), 0) + reason.to_bytes(6, "little")
    shape += b"".join(struct.pack("<QQQ", extent, 0, extent) for extent in extents)
    sections = {1: shape, 2: struct.pack(f"<{len(index)}Q", *index), 3: payload}
    if coder:
        sections[4] = coder
    if fill is not None:
        sections[5] = struct.pack("<Q", fill)
    if limits:
        sections[8] = limits
    return stream_of((pipeline, dtype, stated_mode, coding & 15, prediction), features,
                     (bound, stated_bound, exceptions, constant), sections, checksum)


def stream_of(coding, features, numbers, sections, checksum):
    """Header, section table and sections, each at a multiple of 16, index and payload behind all others."""
    places, at = {}, 64 + 24 * len(sections)
    for key in sorted(sections, key=(1, 5, 8, 4, 2, 3).index):
        places[key] = at = -(-at // 16) * 16
        at += len(sections[key])
    table = b"".join(
        struct.pack("<IIQQ", key, 0 if key in (2, 3) else checksum(words_of(section), key), places[key], len(section))
        for key, section in sections.items())
    head = MAGIC + struct.pack("<H6B", 1, *coding, len(sections)) + struct.pack("<I", features)
    rest = struct.pack("<QddQQ", at, *numbers) + table
    stream = head + struct.pack("<I", checksum(words_of(head + bytes(4) + rest), 0)) + rest
    for key in sorted(sections, key=places.get):
        stream += bytes(places[key] - len(stream)) + sections[key]
    return stream


def read_member(body, begin, checksum):
    """Name, attributes and stream of a small field; and where the next one begins."""
    name_bytes, count, abridged_bytes, dtype, rank = struct.unpack_from("<HHHBB", body, begin)
    at, stated = begin + 8, None
    if rank & BOUND_IS_STATED:
        bound, rest = struct.unpack_from("<dQ", body, at)
        stated, at = (rest & 0xFF, bound, rest >> 16), at + 16
    extents = list(struct.unpack_from(f"<{rank & 15}H", body, at))
    at += 2 * len(extents)
    name, attributes, at = body[at:at + name_bytes].decode(), {}, at + name_bytes
    for _ in range(count):
        key, value = struct.unpack_from("<HH", body, at)
        text = body[at + 4:at + 4 + key + value]
        attributes[text[:key].decode()] = text[key:].decode()
        at += 4 + key + value
    stream = restored(body[at:at + abridged_bytes], dtype, extents, stated, checksum)
    end = at + abridged_bytes
    return (name, attributes, stream), begin + -(-(end - begin) // 8) * 8


def read_bundle(body, checksum):
    """The fields of a bundle, each with its place behind the start of the body."""
    fields, at = [], 8
    for _ in range(struct.unpack_from("<Q", body)[0]):
        place = at
        field, at = read_member(body, at, checksum)
        fields.append((place, *field))
    return fields
