#!/usr/bin/env python3
"""Fails if a page of a site links to a file or an anchor of the site that is not there, or has a picture that is not.

usage: check_site.py FOLDER [--look PAGE...]

With --look, and where Chromium is installed, some pages are also drawn at 1280 and at 400 pixels, light and dark: none may be
wider than its window, code must fit at 1280, and pictures must show.
"""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
TIMEOUT_S = 120
ATTEMPTS = 3
# Chromium has no windows as narrow as a telephone, but frames; a page in one tells its width.
PROBE = """<script>addEventListener("load", () => parent.postMessage(JSON.stringify({
  width: innerWidth, scroll: document.documentElement.scrollWidth,
  dark: getComputedStyle(document.body).backgroundColor,
  cut: [...document.querySelectorAll("article pre")].filter(p => p.scrollWidth > p.clientWidth + 1).length,
  pictures: [...document.querySelectorAll("article img")].filter(i => i.offsetWidth).map(i => i.naturalWidth)}), "*"));
</script>"""
FRAME = """<iframe width="{width}" height="2000" src="{page}" style="border:0"></iframe><pre id="probe"></pre>
<script>addEventListener("message", event => document.getElementById("probe").textContent = event.data);</script>"""


class Page(html.parser.HTMLParser):
    """Anchors of a page, and what it links to."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


def missing(site, path, pages):
    """The links of a page that lead nowhere."""
    for link in pages[path].links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        anchor = urllib.parse.unquote(parts.fragment)
        if not target.exists() or (target in pages and anchor and anchor not in pages[target].anchors):
            yield f"{path.relative_to(site)}: {link}"


class Undrawn(Exception):
    """The reason why Chromium did not draw a page."""


def drawn(address, dark, profile):
    """What a document is once Chromium has run its scripts. A profile of its own keeps it apart from a Chromium that is open."""
    scheme = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--window-size=1300,2100",
               f"--user-data-dir={profile}", *scheme, "--dump-dom", address]
    # Not pipes: processes that Chromium leaves behind would hold them open.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        try:
            status = subprocess.run(command, stdout=out, stderr=messages, timeout=TIMEOUT_S).returncode
        except subprocess.TimeoutExpired:
            raise Undrawn(f"Chromium took longer than {TIMEOUT_S} seconds") from None
        except OSError as error:
            raise Undrawn(f"{CHROMIUM}: {error.strerror}") from None
        texts = []
        for file in (out, messages):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    if status != 0:
        raise Undrawn(f"Chromium ended with status {status}: {(texts[1].strip().splitlines() or ['it said nothing'])[-1]}")
    return texts[0]


def probe(site, page, width, dark, profile):
    """What a page of a copy of the site says of itself in a frame."""
    text = (site / page).read_text(encoding="utf-8")
    if "</body>" not in text:
        raise Undrawn("the page has no </body>, where the probe goes")
    probed = (site / page).with_name("probed.html")
    probed.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    frame = site / "frame.html"
    frame.write_text(FRAME.format(width=width, page=probed.relative_to(site).as_posix()), encoding="utf-8")
    for _ in range(ATTEMPTS):  # on a busy machine the time of the page may be over before its frame answers
        answer = re.search(r'<pre id="probe">({.+?})</pre>', drawn(f"file://{frame}", dark, profile))
        if answer:
            return json.loads(html.unescape(answer[1]))
    raise Undrawn(f"Chromium did not run the scripts of the page in {ATTEMPTS} attempts")


def faults(seen, width, dark):
    """What is wrong with a page, by what it says of itself."""
    if seen["scroll"] > width:
        yield f"it is {seen['scroll']} pixels wide"
    if width == 1280 and seen["cut"]:
        yield f"{seen['cut']} blocks of code are wider than the page"
    if not all(seen["pictures"]):
        yield "a picture is missing"
    if (max(map(int, re.findall(r"\d+", seen["dark"])[:3])) < 60) != dark:
        yield "its colours are of the other scheme"


def looks(site, names):
    """What is wrong with pages as they are drawn."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy, profile = pathlib.Path(folder) / "site", pathlib.Path(folder) / "profile"
        shutil.copytree(site, copy)
        for name, width, dark in [(name, width, dark) for name in names for width in (1280, 400) for dark in (False, True)]:
            try:
                wrong = list(faults(probe(copy, name, width, dark, profile), width, dark))
            except Undrawn as reason:
                wrong = [f"not drawn: {reason}"]
            yield from (f"{name} at {width} pixels, {'dark' if dark else 'light'}: {fault}" for fault in wrong)


def main(folder, names=()):
    site = pathlib.Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = [line for path in pages for line in missing(site, path, pages)]
    wrong += [f"{name}: there is no such page in {folder}" for name in names if pages and (site / name).resolve() not in pages]
    if not pages or wrong:
        return "\n".join(wrong) or f"{folder} has no pages"
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links: none is broken")
    if names and CHROMIUM is None:
        print("not looked at: Chromium is not installed (scripts/setup docs installs it)")
        return 0
    return "\n".join(looks(site, names)) or 0


if __name__ == "__main__":
    if len(sys.argv) == 2 or sys.argv[2:3] == ["--look"]:
        try:
            sys.exit(main(sys.argv[1], sys.argv[3:]))
        except (OSError, ValueError) as error:
            sys.exit(f"check_site: {error}")
    sys.exit(__doc__.strip())
