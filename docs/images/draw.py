"""Draws the pictures of docs/how-it-works.md from a plan, as plan_dump (tests/docs) writes it.
usage: draw.py PLAN_DUMP MATRIX FOLDER"""
import json
import subprocess
import sys
from pathlib import Path

# Options of plan_dump: blocks and subtrees small enough that a small matrix has several of each.
BLOCK_WIDTH, SUBTREE_FLOPS, STREAMS = 16, 20000, 3

INK, FAINT = "#222222", "#999999"
SUBTREE = ["#cfe8cf", "#d9d2ee", "#f6e3b8", "#f4cfdc"]
KIND = {"factor_subtree": "#cfe8cf", "assemble": "#eeeeee", "update_between": "#f6c9a8", "update_internal": "#f3e6a2",
        "scale_diagonal": "#9cc3ea", "scale_below": "#cfe1f5", "complete": "#ffffff"}
ABOVE = "#9cc3ea"


class Svg:
    def __init__(self, width, height, title):
        self.width, self.height, self.parts = width, height, []
        self.parts.append(f"<title>{title}</title>")
        self.rect(0, 0, width, height, "#ffffff", stroke="none")

    def rect(self, x, y, width, height, fill, stroke=INK, dash=""):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"{extra}/>')

    def line(self, x1, y1, x2, y2, stroke=INK, arrow=False):
        end = ' marker-end="url(#arrow)"' if arrow else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}"{end}/>')

    def text(self, x, y, words, size=12, anchor="middle", fill=INK):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{words}</text>')

    def write(self, path):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
                f'font-family="sans-serif">\n<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
                f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>\n')
        path.write_text(head + "\n".join(self.parts) + "\n</svg>\n", encoding="utf-8")


def legend(svg, y, entries, x=20):
    for colour, words in entries:
        svg.rect(x, y, 14, 14, colour)
        svg.text(x + 20, y + 12, words, anchor="start")
        x += 36 + 7 * len(words)


def colour_of(panel):
    return SUBTREE[panel["subtree"] % len(SUBTREE)] if panel["subtree"] >= 0 else ABOVE


def subtree_entries(plan):
    """The legend of subtrees; neighbouring small ones may be one task."""
    members = {}
    for s, panel in enumerate(plan["panels"]):
        if panel["subtree"] >= 0:
            members.setdefault(panel["subtree"], []).append(s)
    return [(SUBTREE[t % len(SUBTREE)], f"leaf task: {', '.join(map(str, own))}") for t, own in sorted(members.items())]


def tree_positions(panels):
    """x by leaves from left to right, parents over the middle of their children; y by height over the leaves."""
    children = {s: [c for c, panel in enumerate(panels) if panel["parent"] == s] for s in range(len(panels))}
    height, x, next_leaf = {}, {}, 0
    for s in range(len(panels)):
        height[s] = 1 + max((height[c] for c in children[s]), default=-1)
        if children[s]:
            x[s] = sum(x[c] for c in children[s]) / len(children[s])
        else:
            x[s] = next_leaf
            next_leaf += 1
    return x, height


def draw_tree(plan, path):
    panels = plan["panels"]
    x, height = tree_positions(panels)
    step, rise, top = 150, 80, 40
    highest = max(height.values())
    width = max(step * (max(x.values()) + 1) + 20, 760)
    svg = Svg(width, top + rise * (highest + 1) + 50, f"Assembly tree of {plan['matrix']}")
    place = {s: (90 + step * x[s], top + rise * (highest - height[s])) for s in x}
    for s, panel in enumerate(panels):
        if panel["parent"] >= 0:
            to = place[panel["parent"]]
            svg.line(place[s][0], place[s][1], to[0], to[1] + 36)
    for s, panel in enumerate(panels):
        px, py = place[s]
        svg.rect(px - 58, py, 116, 36, colour_of(panel))
        svg.text(px, py + 15, f"supernode {s}")
        svg.text(px, py + 30, f"width {panel['width']}, {len(panel['rows'])} below", 11)
    legend(svg, svg.height - 30, subtree_entries(plan) + [(ABOVE, "above: cut into blocks")])
    svg.write(path)


def runs(rows):
    """Consecutive rows as (first, count)."""
    found = []
    for row in rows:
        if found and found[-1][0] + found[-1][1] == row:
            found[-1][1] += 1
        else:
            found.append([row, 1])
    return found


def draw_panels(plan, path):
    n, scale, margin = plan["n"], 5, 20
    svg = Svg(n * scale + 2 * margin, n * scale + 2 * margin + 40, f"L of {plan['matrix']} in panels")
    for s, panel in enumerate(plan["panels"]):
        x, width = margin + panel["first"] * scale, panel["width"] * scale
        fill = colour_of(panel)
        svg.parts.append(f'<path d="M{x:g},{margin + panel["first"] * scale:g} v{width:g} h{width:g} z" fill="{fill}" stroke="{INK}"/>')
        for first, count in runs(panel["rows"]):
            svg.rect(x, margin + first * scale, width, count * scale, fill)
        svg.text(x + width / 2 + 14, margin + (panel["first"] + panel["width"] / 2) * scale, str(s), 13)
    for block in plan["blocks"]:
        panel = plan["panels"][block["supernode"]]
        if block["first"] > 0:
            x = margin + (panel["first"] + block["first"]) * scale
            svg.line(x, margin + (panel["first"] + block["first"]) * scale, x, margin + (panel["first"] + panel["width"]) * scale)
            for first, count in runs(panel["rows"]):
                svg.line(x, margin + first * scale, x, margin + (first + count) * scale)
            y = margin + (panel["first"] + block["first"]) * scale
            svg.line(margin + panel["first"] * scale, y, x, y)
    dots = "".join(f"M{margin + column * scale + 2:g},{margin + row * scale + 2:g}h1.6v1.6h-1.6z" for row, column in plan["entries"])
    svg.parts.append(f'<path d="{dots}" fill="{INK}"/>')
    legend(svg, svg.height - 34, subtree_entries(plan) + [(ABOVE, "above, in blocks"), (INK, "A")])
    svg.write(path)


def depths(tasks):
    """Length of the longest path to each task; tasks are in a topological order."""
    depth = [0] * len(tasks)
    for t, task in enumerate(tasks):
        for successor in task["successors"]:
            depth[successor] = max(depth[successor], depth[t] + 1)
    return depth


def label_of(plan, task):
    if task["kind"] == "factor_subtree":
        return f"leaf task {task['subtree']}"
    if task["kind"] == "complete":
        return f"{task['source']} done"
    block = plan["blocks"][task["target"]]
    where = f"{block['supernode']}:{block['first']}"
    rows = f"{task['rows'][0]}–{task['rows'][1] - 1}"
    source = {"update_between": f" ← {'task ' + str(task['subtree']) if task['subtree'] >= 0 else task['source']}",
              "update_internal": " ← " + str(plan["blocks"][task["source_block"]]["first"] if task["source_block"] >= 0 else "")}
    return f"{where}, {rows}{source.get(task['kind'], '')}"


def draw_graph(plan, path):
    """Rows by the longest path from the beginning; each row as wide as the widest."""
    tasks, depth = plan["tasks"], depths(plan["tasks"])
    rows = {}
    for t, d in enumerate(depth):
        rows.setdefault(d, []).append(t)
    step, rise, box = 128, 52, 118
    width = max(len(row) for row in rows.values()) * step + 20
    svg = Svg(width, rise * len(rows) + 60, f"Task graph of {plan['matrix']}")
    place = {}
    for d, own in rows.items():
        left = (width - step * len(own)) / 2
        for k, t in enumerate(own):
            place[t] = (left + step * k + 5, 15 + rise * d)
    for t, task in enumerate(tasks):
        for successor in task["successors"]:
            x1, y1 = place[t]
            x2, y2 = place[successor]
            svg.line(x1 + box / 2, y1 + 26, x2 + box / 2, y2, FAINT)
    for t, task in enumerate(tasks):
        x, y = place[t]
        svg.rect(x, y, box, 26, KIND[task["kind"]])
        svg.text(x + box / 2, y + 17, label_of(plan, task), 11)
    legend(svg, svg.height - 30, [(colour, kind) for kind, colour in KIND.items()])
    svg.write(path)


def draw_levels(plan, svg, top):
    panels = plan["panels"]
    levels = 1 + max(panel["last_level"] for panel in panels)
    svg.text(20, top, "levels: a launch of each kernel for all pieces of a level", 14, "start")
    for level in range(levels):
        x = 20 + 150 * level
        svg.text(x + 65, top + 24, f"level {level}")
        own = [s for s, panel in enumerate(panels) if panel["first_level"] <= level <= panel["last_level"]]
        for k, s in enumerate(own):
            svg.rect(x, top + 34 + 30 * k, 130, 24, colour_of(panels[s]))
            svg.text(x + 65, top + 51 + 30 * k, f"{s}: {panels[s]['width']} wide, front {panels[s]['width'] + len(panels[s]['rows'])}", 11)
        if level:
            svg.line(x - 10, top + 20, x - 10, top + 34 + 30 * 4, FAINT)


def draw_streams(plan, svg, top):
    svg.text(20, top, f"streams: block tasks in order over {STREAMS} streams; ▾ waits for an event of another stream", 14, "start")
    for stream in range(STREAMS):
        svg.text(20, top + 40 + 44 * stream, f"stream {stream}", anchor="start")
    for k, step in enumerate(plan["steps"]):
        x, y = 80 + 21 * k, top + 22 + 44 * step["stream"]
        svg.rect(x, y, 19, 26, KIND[step["kind"]])
        svg.text(x + 9.5, y + 17, str(step["supernode"]), 11)
        if step["waits"]:
            svg.text(x + 9.5, y - 2, "▾", 12)


def draw_schedules(plan, path):
    width = max(80 + 21 * len(plan["steps"]) + 20, 800)
    svg = Svg(width, 430, f"The two CUDA schedules for {plan['matrix']}")
    draw_levels(plan, svg, 24)
    draw_streams(plan, svg, 220)
    shown = ("update_between", "update_internal", "scale_diagonal", "scale_below", "complete")
    legend(svg, 390, [(KIND[kind], kind) for kind in shown])
    svg.write(path)


PICTURES = {"assembly-tree.svg": draw_tree, "panels.svg": draw_panels, "task-graph.svg": draw_graph,
            "schedules.svg": draw_schedules}


def main(program, matrix, folder):
    command = [program, matrix, str(BLOCK_WIDTH), str(SUBTREE_FLOPS), str(STREAMS)]
    plan = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for name, draw in PICTURES.items():
        draw(plan, Path(folder) / name)


if __name__ == "__main__":
    main(*sys.argv[1:])
