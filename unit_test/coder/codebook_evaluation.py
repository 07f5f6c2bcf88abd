#!/usr/bin/env python3
"""Holds scripts/evaluate_codebooks.py and the package merge of scripts/make-codebooks against brute force on small
histograms. Exits 1 with a line if they differ."""

import importlib.util
import itertools
import random
import sys
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "scripts/evaluate_codebooks.py"
SPEC = importlib.util.spec_from_file_location("evaluate_codebooks", PATH)
evaluation = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(evaluation)
codebooks = evaluation.codebooks


def require(condition, what):
    if not condition:
        sys.exit(f"codebook_evaluation: {what}")


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


def bits_of(counts, name, books):
    def length(code):
        return counts.list_bits if code[0] == "list" else books[code[0]][code[1]]
    return sum(n * sum(map(length, codes_of(name, entry, books))) for entry, n in counts.present[name])


def drawn_counts(draw):
    """By alphabet; many entries do not occur."""
    return {name: [draw.choice((0, 0, 0, 1, 30)) for _ in range(alphabet.count)]
            for name, alphabet in codebooks.ALPHABETS.items()}


def drawn_counts_of_field(draw):
    return evaluation.Counts({"field": "drawn", "dtype": draw.choice(("f32", "f64")), "bound": "1e-3",
                              "values": 4096, "predictor": "chain", "fixed_words": 10, **drawn_counts(draw)})


def check_choice(draw):
    """Books chosen in turn, each by what it would write."""
    own_books = [evaluation.OwnBook(drawn_counts_of_field(draw)) for _ in range(4)]
    dictionary = evaluation.Dictionary([[own.lengths[name] for own in own_books] for name in evaluation.NAMES])
    counts = drawn_counts_of_field(draw)
    chosen, found = {}, {}
    for name in ("symbols", "quads", "masks"):
        candidates = [{**chosen, name: book} for book in dictionary.books[name]]
        bits = [bits_of(counts, name, books) for books in candidates]
        found[name] = min(bits)
        chosen[name] = candidates[bits.index(found[name])][name]
    require(dictionary.bits(counts) == found, f"a dictionary takes {dictionary.bits(counts)} bits, not {found}")


def check_own_book(draw):
    counts = drawn_counts_of_field(draw)
    own = evaluation.OwnBook(counts)
    for name, alphabet in codebooks.ALPHABETS.items():
        require(own.bits[name] == bits_of(counts, name, own.lengths), f"bits of the own book's {name}")
        require(all(own.lengths[name][entry] > 0 for entry in alphabet.always), f"{name} that always have a code")


def main():
    draw = random.Random(1)
    check_code_lengths(draw)
    for _ in range(10):
        check_choice(draw)
        check_own_book(draw)


if __name__ == "__main__":
    main()
