"""run_notebook.py FILE...: runs the code of notebooks and of pages, in order, and shows what each shows.

It runs all code, with matplotlib. A cell of a notebook draws as many pictures as it keeps, and each
has data, names of both axes, a legend of its lines, and no text outside the picture.
"""
import ast
import base64
import json
import re
import sys

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402


def cells(path):
    """(code, pictures kept with it) of a notebook's cells; a page keeps none: None."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        return [(code, None) for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)]
    return [("".join(cell["source"]),
             [out["data"]["image/png"] for out in cell["outputs"] if "image/png" in out.get("data", ())])
            for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def run(code, path, names):
    code = ast.parse(code)
    last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
    exec(compile(code, path, "exec"), names)
    if last:
        value = eval(compile(ast.Expression(last.value), path, "eval"), names)
        print(getattr(value, "_repr_html_", value.__repr__)())


def check_figure(figure, code):
    figure.canvas.draw()
    for ax in figure.axes:
        lines = [line for line in ax.lines if len(line.get_xdata()) > 1]
        assert lines, f"a picture without lines:\n{code}"
        assert ax.get_xlabel() and ax.get_ylabel(), f"an axis without a name:\n{code}"
        named = {text.get_text() for text in ax.get_legend().texts} if ax.get_legend() else set()
        labels = [line.get_label() for line in lines if not line.get_label().startswith("_")]
        assert len(lines) == 1 or len(set(labels) & named) == len(labels), \
            f"the legend {named} does not tell the lines {labels} apart:\n{code}"
        inside = figure.bbox.padded(1)
        for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
            box = text.get_window_extent()
            assert not text.get_text() or (inside.x0 <= box.x0 and box.x1 <= inside.x1), \
                f"'{text.get_text()}' does not fit into the picture:\n{code}"


names = {}
for path in sys.argv[1:]:
    for code, kept in cells(path):
        run(code, path, names)
        figures = [plt.figure(number) for number in plt.get_fignums()]
        if kept is not None:
            assert len(figures) == len(kept), \
                f"{len(figures)} pictures are drawn, {len(kept)} are kept:\n{code}"
            assert all(base64.b64decode(png).startswith(b"\x89PNG") for png in kept), code
        for figure in figures:
            check_figure(figure, code)
        plt.close("all")
