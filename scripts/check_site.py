#!/usr/bin/env python3
"""Fails if a page of a site links to a file or an anchor of the site that is not there, or has a picture that is not.

usage: check_site.py FOLDER
"""

import html.parser
import pathlib
import sys
import urllib.parse


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


def main(folder):
    site = pathlib.Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = [line for path in pages for line in missing(site, path, pages)]
    if not pages or wrong:
        return "\n".join(wrong) or f"{folder} has no pages"
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links: none is broken")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__.strip())
