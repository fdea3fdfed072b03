"""check_format.py OURS FORMATTED: compares sources with what clang-format makes of them.

Both are folders with the same files. Spaces, blank lines, the indentation of statements and the order
of #include lines must be as clang-format has them. The author decides where a statement breaks into
lines, how its further lines are indented, and the columns of tables and of comments after code.
"""
import filecmp
import os
import re
import sys

TOKEN = re.compile(r"(\s*)(/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\w+|.)", re.S)


def tokens(path):
    """(line, white space before, token) of a file; the lines of a macro are joined."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"[ \t]*\\$", "", file.read(), flags=re.M)
    line, found = 1, []
    for match in TOKEN.finditer(text.rstrip()):
        line += match[1].count("\n")
        found.append((line, match[1], match[2]))
        line += match[2].count("\n")
    return found


def starts_statement(before, token):
    """Whether a line begins a statement: after another, after the brace of a block, or with #."""
    return before[-1] in (";", "}") or before[-2:] in ([")", "{"], ["else", "{"], ["do", "{"]) or token == "#"


def is_pointer(before, token, after):
    """Whether the token belongs to a declaration such as (*a)[2], which versions take for a product."""
    return "*" in (before[-1], after) or token == "*" and before[-1] in (")", "}")


def fault(before, ours, theirs, token, after):
    """What is wrong with the white space before a token, given its neighbours; None if nothing."""
    if "\n" in ours and "\n" in theirs:
        if min(ours.count("\n"), 3) != theirs.count("\n"):
            return "blank lines"
        if (starts_statement(before, token) and token not in (".", "{") and
                ours.split("\n")[-1] != theirs.split("\n")[-1]):
            return "indentation"
    elif "\n" in ours or "\n" in theirs:
        if (before[-1] in (")", "}") and re.match(r"[a-z]", token) or
                before[-1] == ")" and token == "{" and "\n" in (ours, theirs)):
            return "a line break missing" if "\n" in theirs else "a line break too many"
    elif bool(ours) != bool(theirs) and not token.startswith("/*") and not is_pointer(before, token, after):
        return "a space missing" if theirs else "a space too many"
    return None


def faults(ours, theirs):
    """(line, what is wrong) of a file."""
    before = ["", ""]
    found, formatted = tokens(ours), tokens(theirs)
    following = [token for _, _, token in found[1:]] + [""]
    for (line, space, token), (_, expected, same), after in zip(found, formatted, following):
        if token != same:
            yield line, f"clang-format has '{same}' before '{token}': order of #include lines"
            return
        what = fault(before, space, expected, token, after)
        if what:
            yield line, f"{what} before '{token.splitlines()[0]}'"
        if not token.startswith("/*"):
            before = before[1:] + [token]


def main():
    ours, theirs = sys.argv[1:]
    found = 0
    for folder, _, names in os.walk(theirs):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), theirs)
            if filecmp.cmp(os.path.join(ours, path), os.path.join(theirs, path), shallow=False):
                continue
            for line, what in faults(os.path.join(ours, path), os.path.join(theirs, path)):
                print(f"{path}:{line}: {what}")
                found += 1
    sys.exit(found > 0)


main()
