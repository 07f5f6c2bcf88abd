"""Sphinx's settings for scripts/docs. The source folder is the root of the tree, so that the pages' links to one another
and to files beside them are what they are in the repository."""

import os
import pathlib
import re
import sys

from docutils import nodes
from sphinx import addnodes

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "kompakt"
author = "the authors of kompakt"
copyright = author  # noqa: A001, the name is Sphinx's
release = re.search(r"project\(kompakt VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/site/index"
include_patterns = ["docs/**", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md",
                    "backends/README.md", "tools/*/*.md", "examples/*/*.md", "build/reference/pages/*.md"]
exclude_patterns = ["docs/examples/**", "docs/performance/**", "**/_*"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "text"

myst_heading_anchors = 4
myst_enable_extensions = ["smartquotes"]
suppress_warnings = ["myst.header"]  # CHANGELOG.md has the same words under each version

html_theme = "furo"
html_title = f"kompakt {release}"
html_extra_path = [path] if (path := os.environ.get("KOMPAKT_DOCS_EXTRA")) else []
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False

# The reference of the Python package is of its docstrings, which its sources have; nothing needs to be built.
sys.path.insert(0, str(ROOT / "python" / "src"))
autodoc_mock_imports = ["kompakt._core", "xarray"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False


def leave_folders_alone(app, doctree):
    """Links to folders stand as words: the site has pages and files alone."""
    folder = (ROOT / app.env.docname).parent
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node["reftype"] == "myst" and folder.joinpath(node["reftarget"]).is_dir():
            node.replace_self(nodes.inline("", "", *node.children))


def setup(app):
    app.connect("doctree-read", leave_folders_alone)
