"""The documentation as a site: the pages of docs/, the reference of C++ and C from the headers, that of Python from its
docstrings. Run by docs/site/build.sh, which sets the variables read here."""
import os
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "plugin/python"))

project = "gpusupernodal"
author = "The gpusupernodal authors"
copyright = "the gpusupernodal authors"
release = os.environ["GPUSUPERNODAL_SITE_VERSION"]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "site/index"
exclude_patterns = ["doxygen", "README.md"]

# Pages are written for a repository's browser: their links to files of the source stay text on the site.
myst_heading_anchors = 4
suppress_warnings = ["ref.myst"]  # tests/docs/links.py checks every link

breathe_projects = {"gpusupernodal": os.environ["GPUSUPERNODAL_SITE_XML"]}
breathe_default_project = "gpusupernodal"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
cpp_id_attributes = ["GPUSUPERNODAL_API"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = f"gpusupernodal {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
