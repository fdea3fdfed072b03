"""run_notebook.py FILE...: runs the code of notebooks and of pages, in order, and shows what each shows.

Cells that draw are left out where there is no matplotlib.
"""
import ast
import importlib.util
import json
import re
import sys

if importlib.util.find_spec("matplotlib"):
    import matplotlib
    matplotlib.use("agg")
    left_out = ()
else:
    left_out = (".plot(",)


def codes(path):
    """The texts of the code cells of a notebook, or of the blocks of Python of a page."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"]
            if cell["cell_type"] == "code"]


names = {}
for path in sys.argv[1:]:
    for text in codes(path):
        if any(word in text for word in left_out):
            continue
        code = ast.parse(text)
        last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
        exec(compile(code, path, "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), path, "eval"), names)
            print(getattr(value, "_repr_html_", value.__repr__)())
