#!/usr/bin/env python3
"""Fails unless check_site.py tells in one line what is wrong with a site, or with the Chromium that draws it.

usage: site.py SCRIPTS
"""

import contextlib
import pathlib
import sys
import tempfile

PAGE = '<html><body><a href="{link}">x</a>{rest}'
ANSWER = """echo '<pre id="probe">{{"width":{width},"scroll":{scroll},"dark":"rgb(255, 255, 255)","cut":0,"pictures":[]}}</pre>'"""
LIGHT = ANSWER.format(width=1280, scroll=400)

# what a Chromium does, a page of which site is looked at, and the lines that tell of it
CASES = {
    "it is missing": (None, "a.html", []),
    "it cannot be run": ("", "a.html", ["not drawn: {chromium}: Permission denied"] * 4),
    "it fails": ("echo first >&2; echo no display >&2; exit 9", "a.html", ["not drawn: Chromium ended with status 9: no display"] * 4),
    "it is silent": ("exit 3", "a.html", ["not drawn: Chromium ended with status 3: it said nothing"] * 4),
    "it is slow": ("exec sleep 20", "a.html", ["not drawn: Chromium took longer than 0.2 seconds"] * 4),
    "it answers nothing": ("echo '<pre id=\"probe\"></pre>'", "a.html",
                           ["not drawn: Chromium did not run the scripts of the page in 3 attempts"] * 4),
    "it answers late": (f"echo >> $0.calls; [ $(wc -l < $0.calls) -lt 3 ] || {LIGHT}", "a.html",
                        ["its colours are of the other scheme"] * 2),
    "the page is wide": (ANSWER.format(width=400, scroll=900), "a.html",
                         ["its colours are of the other scheme"] * 2 + ["it is 900 pixels wide"] * 2),
    "there is no such page": (LIGHT, "c.html", ["there is no such page in {site}"]),
    "the page is no page": (LIGHT, "b.html", ["not drawn: the page has no </body>, where the probe goes"] * 4),
}


def told(check_site, site, page, chromium):
    """What the script says of a page, without the page's name."""
    check_site.CHROMIUM = chromium
    with contextlib.redirect_stdout(None):
        lines = (check_site.main(site, [page]) or "").splitlines()
    return sorted(line.split(": ", 1)[1] for line in lines)


def faults_of(check_site, folder):
    site = folder / "site"
    site.mkdir()
    (site / "a.html").write_text(PAGE.format(link="b.html", rest="</body></html>"), encoding="utf-8")
    (site / "b.html").write_text(PAGE.format(link="a.html", rest=""), encoding="utf-8")
    for case, (does, page, expected) in CASES.items():
        check_site.TIMEOUT_S = 0.2 if case == "it is slow" else 60
        chromium = folder / case.replace(" ", "_")
        if does is not None:
            chromium.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
            chromium.chmod(0o755 if does else 0o644)
        found = told(check_site, site, page, does if does is None else str(chromium))
        wanted = sorted(line.format(chromium=chromium, site=site) for line in expected)
        if found != wanted:
            yield f"{case}: check_site.py says {found}, not {wanted}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.path.insert(0, sys.argv[1])
    import check_site as script
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit("\n".join(faults_of(script, pathlib.Path(temporary))) or 0)
