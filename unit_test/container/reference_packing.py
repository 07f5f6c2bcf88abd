"""Packed streams as docs/format.md tells of them, section 11: for reference_decoder.py."""

import struct

SUM = 2048  # of the frequencies of a table


class Tables:
    """Frequencies of bytes, by the byte before."""

    def __init__(self, data):
        self.count = data[0]
        assert self.count in (1, 2, 4)
        at, self.frequencies = 1, []
        for _ in range(self.count):
            present = [data[at + i // 8] >> i % 8 & 1 for i in range(256)]
            size = -(-6 * sum(present) // 8)
            bits = int.from_bytes(data[at + 32:at + 32 + size], "little")
            at += 32 + size
            levels = []
            for _ in range(sum(present)):
                levels.append(bits & 63)
                bits >>= 6
            assert bits == 0 and all(level < 40 for level in levels)
            assert levels.count(0) == (1 if levels else 0)
            values = [i if i < 4 else (4 + i % 4) << (i // 4 - 1) for i in levels]
            rest = SUM - sum(values)
            assert rest > 0
            given = iter(rest if i == 0 else value for i, value in zip(levels, values))
            self.frequencies.append([next(given) if there else 0 for there in present])
        assert len(data) - at < 16 and not any(data[at:])

    def table_behind(self, byte):
        ones = bin(byte).count("1")
        return min((0, 1, 2, 2, 3, 3, 3, 3, 3)[ones], self.count - 1)

    def step(self, table, part):
        """The byte of the low bits of a state, its frequency and where it begins."""
        begin = 0
        for byte, frequency in enumerate(self.frequencies[table]):
            if part < begin + frequency:
                return byte, frequency, begin
            begin += frequency
        raise AssertionError("no byte")


def lane(tables, halfwords, words):
    """The bytes of a lane of so many words."""
    if len(halfwords) == 2 * words:
        return struct.pack(f"<{len(halfwords)}H", *halfwords)
    state, rest, out = halfwords[0] | halfwords[1] << 16, halfwords[2:], bytearray()
    while len(out) < 4 * words - 2:
        byte, frequency, begin = tables.step(tables.table_behind(out[-1] if out else 0), state % SUM)
        out.append(byte)
        state = frequency * (state // SUM) + state % SUM - begin
        if state < 1 << 16:
            state, rest = state << 16 | rest[0], rest[1:]
    assert not rest and state >> 16 == 1
    return bytes(out) + struct.pack("<H", state & 0xFFFF)


def chunk(tables, halfwords, words):
    lanes = -(-words // 64)
    lengths = [len(halfwords)]
    if lanes > 1:
        lengths = struct.pack(f"<{len(halfwords)}H", *halfwords)[:lanes]
        halfwords = halfwords[-(-lanes // 2):]
    out = b""
    for i in range(lanes):
        out += lane(tables, halfwords[:lengths[i]], min(64, words - 64 * i))
        halfwords = halfwords[lengths[i]:]
    assert not halfwords
    return out


def unpack(section, index, payload):
    """The index and the payload of the stream that was packed."""
    size, tables = struct.unpack_from("<Q", section)[0], Tables(section[8:])
    halfwords = struct.unpack(f"<{len(payload) // 2}H", payload)
    at, begins, out = 0, [0], b""
    for taken, words in struct.iter_unpack("<HH", index):
        out += chunk(tables, halfwords[at:at + taken], words) if words else b""
        at += taken
        begins.append(len(out))
    assert len(out) == size and len(payload) == -(-at // 2) * 4 and not any(halfwords[at:])
    return begins, out
