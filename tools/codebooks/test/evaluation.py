#!/usr/bin/env python3
"""Holds evaluate_codebooks.py and the package merge of make-codebooks against brute force on small histograms.
Exits 1 with a line if they differ."""

import importlib.util
import itertools
import math
import random
import sys
from pathlib import Path

PATH = Path(__file__).resolve().parents[1] / "evaluate_codebooks.py"
SPEC = importlib.util.spec_from_file_location("evaluate_codebooks", PATH)
evaluation = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(evaluation)
codebooks = evaluation.codebooks


def require(condition, what):
    if not condition:
        sys.exit(f"evaluation: {what}")


def cheapest_code(weights, limit):
    """Of all lengths that a prefix code may have."""
    return min(sum(w * n for w, n in zip(weights, lengths))
               for lengths in itertools.product(range(1, limit + 1), repeat=len(weights))
               if sum(2.0**-n for n in lengths) <= 1)


def check_code_lengths(draw):
    for limit, most in ((3, 6), (4, 5), (5, 4)):
        for _ in range(20):
            weights = [draw.choice((1, 1, 2, 3, 8, 50, 1000)) for _ in range(draw.randint(2, most))]
            lengths = codebooks.code_lengths(weights, limit)
            require(sum(w * n for w, n in zip(weights, lengths)) == cheapest_code(weights, limit),
                    f"lengths {lengths} of {weights} are not the best up to {limit}")


def codes_of(name, entry, books):
    """What is written for an entry, one (alphabet, entry) after the other; ("list", 0) is a listed residual."""
    if books[name][entry] > 0:
        return [(name, entry)]
    if name == "symbols":
        return [("symbols", 0), ("list", 0)]
    if name == "quads":
        residuals = [entry // 27 % 3 - 1, entry // 9 % 3 - 1, entry // 3 % 3 - 1, entry % 3 - 1]
        return [("quads", 40)] + [code for r in residuals for code in codes_of("symbols", 512 + r, books)]
    zeros = [bit for bit in range(8) if entry >> bit & 1 == 0]
    zero_quad = [("quads", 40)] + 4 * codes_of("symbols", 512, books)
    return [("masks", 255)] + len(zeros) * zero_quad


def bits_of(entries, name, books, list_bits):
    def length(code):
        return list_bits if code[0] == "list" else books[code[0]][code[1]]
    return sum(n * sum(map(length, codes_of(name, entry, books))) for entry, n in enumerate(entries[name]) if n > 0)


def drawn_field(draw):
    """Counts, and the symbols of all values, of random lanes: few or many of their residuals are not zero, small or
    beyond the radius."""
    entries = {name: [0] * alphabet.count for name, alphabet in codebooks.ALPHABETS.items()}
    symbols = [0] * 1024
    share, spread = draw.choice((0.01, 0.1, 0.5, 1)), draw.choice((0.4, 1, 4, 30, 300))
    for _ in range(60):
        residuals = [round(draw.gauss(0, spread)) if draw.random() < share else 0 for _ in range(32)]
        mask = 0
        for q in range(8):
            quad = residuals[4 * q:4 * q + 4]
            of_quad = [512 + r if abs(r) < 512 else 0 for r in quad]
            for symbol in of_quad:
                symbols[symbol] += 1
            if not any(quad):
                continue
            mask |= 1 << q
            if max(map(abs, quad)) <= 1:
                entries["quads"][int("".join(str(r + 1) for r in quad), 3)] += 1
            else:
                entries["quads"][40] += 1
                for symbol in of_quad:
                    entries["symbols"][symbol] += 1
        entries["masks"][mask] += 1
    counts = evaluation.Counts({"field": "drawn", "dtype": draw.choice(("f32", "f64")), "bound": "1e-3",
                                "values": 4096, "fixed_words": 10, **entries})
    return counts, entries, symbols


def all_alphabets_book(counts):
    """Lengths of a book made for all alphabets, whatever is preferred."""
    counts.preferred = counts.all_alphabets
    return evaluation.OwnBook(counts).lengths


def cheapest_in_turn(dictionary, entries, list_bits):
    """Bits by alphabet with books chosen in turn, each by what it would write."""
    chosen, found = {}, {}
    for name in ("symbols", "quads", "masks"):
        candidates = [{**chosen, name: book} for book in dictionary.books[name]]
        bits = [bits_of(entries, name, books, list_bits) for books in candidates]
        found[name] = min(bits)
        chosen[name] = candidates[bits.index(found[name])][name]
    return found


def check_choice(draw, taken):
    own_books = [all_alphabets_book(drawn_field(draw)[0]) for _ in range(4)]
    dictionary = evaluation.Dictionary([[lengths[name] for lengths in own_books] for name in evaluation.NAMES])
    counts, entries, symbols = drawn_field(draw)
    found = cheapest_in_turn(dictionary, entries, counts.list_bits)
    only = min(bits_of({"symbols": symbols}, "symbols", {"symbols": book}, counts.list_bits)
               for book in dictionary.books["symbols"])
    symbols_only = only < sum(found.values())
    if symbols_only:
        found = {"symbols": only, "masks": 0, "quads": 0}
    coded = evaluation.cheapest(dictionary.codings(counts))
    require(coded.bits == found, f"a dictionary takes {coded.bits} bits, not {found}")
    require(coded.histogram.symbols_only == symbols_only, "whether a dictionary takes a book of symbols only")
    taken["dictionary"].add(symbols_only)


def least_bits(entries):
    """By the entropy, codes of a bit at least; with floats."""
    bits = 0
    for counts in entries.values():
        total = sum(counts)
        bits += sum(n * max(1, math.log2(total / n)) for n in counts if n > 0)
    return bits


def check_own_book(draw, taken):
    counts, entries, symbols = drawn_field(draw)
    own = evaluation.OwnBook(counts)
    ideal = {False: least_bits(entries), True: least_bits({"symbols": symbols})}
    symbols_only = own.coded.histogram.symbols_only
    if abs(ideal[True] - ideal[False]) > 2:  # else rounding decides
        require(symbols_only == (ideal[True] < ideal[False]), f"an own book for {ideal} bits")
    require(abs(counts.ideal_bits - ideal[symbols_only]) < 2, f"{counts.ideal_bits} of {ideal} bits")
    taken["own"].add(symbols_only)
    coded_entries = {"symbols": symbols} if symbols_only else entries
    require(list(own.lengths) == list(coded_entries), f"alphabets {list(own.lengths)} of an own book")
    for name, entries_of_name in coded_entries.items():
        alphabet, lengths = codebooks.ALPHABETS[name], own.lengths[name]
        require(own.coded.bits[name] == sum(n * length for n, length in zip(entries_of_name, lengths)),
                f"bits of the own book's {name}")
        require([length > 0 for length in lengths] ==
                [n > 0 or i in alphabet.always for i, n in enumerate(entries_of_name)], f"which {name} have a code")
    listed = [1] + [length > 0 for length in own.lengths["symbols"][1:]]
    first, last = listed.index(True, 1), 1023 - listed[::-1].index(True)
    half_bytes = 1 + last - first + 1 + (0 if symbols_only else 256 + 81)
    taken_bytes = 8 + math.ceil(half_bytes / 2)
    require(own.section_bytes() == taken_bytes + -taken_bytes % 16, "bytes of the own book's section")


def check_counts_as_symbols(draw):
    counts, _, symbols = drawn_field(draw)
    require(counts.symbols_only.entries == {"symbols": symbols}, "values counted as symbols")


def check_logarithms(draw):
    for x in [1, 2, 3, 2**31, 2**32 - 1] + [draw.randrange(1, 2**draw.randint(1, 32)) for _ in range(1000)]:
        rounding = math.log2(x) * 2**16 - evaluation.log2_fixed(x)
        require(-1e-6 < rounding < 1.5, f"log2_fixed({x}) = {evaluation.log2_fixed(x)}")


def check_ties():
    """To all alphabets: nothing to code."""
    entries = {name: [0] * alphabet.count for name, alphabet in codebooks.ALPHABETS.items()}
    counts = evaluation.Counts({"field": "none", "dtype": "f32", "bound": "1e-3", "values": 4096, "fixed_words": 0,
                                **entries})
    dictionary = evaluation.Dictionary([[lengths] for lengths in all_alphabets_book(counts).values()])
    for coded in (evaluation.cheapest(dictionary.codings(counts)), evaluation.OwnBook(counts).coded):
        require(not coded.histogram.symbols_only, "books of symbols only where nothing is coded")


def main():
    draw = random.Random(1)
    check_code_lengths(draw)
    check_logarithms(draw)
    check_ties()
    taken = {"own": set(), "dictionary": set()}
    for _ in range(20):
        check_counts_as_symbols(draw)
        check_choice(draw, taken)
        check_own_book(draw, taken)
    require(all(kinds == {False, True} for kinds in taken.values()),
            f"only some kinds of books were tried, whether of symbols only: {taken}")


if __name__ == "__main__":
    main()
