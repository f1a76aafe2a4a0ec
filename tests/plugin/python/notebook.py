"""Executes a notebook and keeps the result.

usage: notebook.py NOTEBOOK RESULT      fails if a cell raises or if no picture is drawn"""
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
folder = str(Path(sys.argv[1]).resolve().parent)
NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
nbformat.write(notebook, sys.argv[2])
pictures = sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
print(f"{sys.argv[1]}: {len(notebook.cells)} cells, {pictures} pictures")
sys.exit(0 if pictures else 1)
