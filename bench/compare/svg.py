"""Draws charts as SVG text: panels with axes, dots, bars and lines, in the reader's light or dark colours. Charts are
about 700 wide, so that their labels stay legible on a phone."""
import math
from xml.sax.saxutils import escape

COLORS = ["#1b6ca8", "#e07b00", "#3a8f4d", "#8a4fa3"]
# What COLORS become on a dark background, where the contrast of the originals is too low for text.
DARK_COLORS = ["#5aaeea", "#f59a2e", "#62bd77", "#c08bd8"]
FONT = "font-family='sans-serif' font-size='14'"
# The least distance of two labels on a horizontal axis.
LABEL_WIDTH = 42


def style():
    dark = "\n".join(f"[fill='{light}'] {{ fill: {color}; }} [stroke='{light}'] {{ stroke: {color}; }}"
                     for light, color in zip(COLORS, DARK_COLORS))
    return f"""<style>
.paper {{ fill: #ffffff; }} .ink {{ fill: #222222; }} .rule {{ stroke: #cccccc; }}
@media (prefers-color-scheme: dark) {{
.paper {{ fill: #15181c; }} .ink {{ fill: #dddddd; }} .rule {{ stroke: #444a50; }}
{dark}
}}
</style>"""


def ticks_of(low, high):
    """Powers of ten from `low` to `high`. Precondition: both are powers of ten."""
    return [10.0 ** e for e in range(round(math.log10(low)), round(math.log10(high)) + 1)]


def decade(value, up):
    return 10.0 ** (math.ceil(math.log10(value) - 1e-9) if up else math.floor(math.log10(value) + 1e-9))


def label_of(value):
    if 0.001 <= value < 10000:
        return f"{value:g}"
    return f"1e{round(math.log10(value))}"


class Axis:
    """Maps values to pixels, linearly or logarithmically."""

    def __init__(self, low, high, begin, end, log):
        self.low, self.high, self.begin, self.end, self.log = low, high, begin, end, log

    def at(self, value):
        """The pixel of a value. Raises ValueError outside the axis, where a point would show another value."""
        if not self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9):
            raise ValueError(f"{value:g} is outside the axis from {self.low:g} to {self.high:g}: widen the axis")
        low, high, value = (math.log10(v) if self.log else v for v in (self.low, self.high, value))
        part = (value - low) / (high - low) if high > low else 0.0
        return self.begin + part * (self.end - self.begin)

    def ticks(self):
        if self.log:
            return ticks_of(self.low, self.high)
        return [self.low + (self.high - self.low) * k / 5 for k in range(6)]


class Chart:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [style(), f"<rect class='paper' width='{width}' height='{height}'/>",
                      f"<text class='ink' x='{width / 2:.0f}' y='20' text-anchor='middle' font-weight='bold'>{escape(title)}</text>"]

    def text(self, x, y, words, anchor="start", rotate=None, color=None, bold=False):
        turn = f" transform='rotate({rotate} {x:.1f} {y:.1f})'" if rotate is not None else ""
        ink = f"fill='{color}'" if color else "class='ink'"
        weight = " font-weight='bold'" if bold else ""
        self.parts.append(f"<text {ink} x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{weight}{turn}>{escape(words)}</text>")

    def line(self, x0, y0, x1, y1):
        self.parts.append(f"<line x1='{x0:.1f}' y1='{y0:.1f}' x2='{x1:.1f}' y2='{y1:.1f}' class='rule'/>")

    def bar(self, x, y, width, height, color):
        self.parts.append(f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(0.5, width):.1f}' height='{height:.1f}' fill='{color}'/>")

    def path(self, points, color, dash=""):
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        style = f" stroke-dasharray='{dash}' stroke-width='1'" if dash else " stroke-width='2'"
        self.parts.append(f"<polyline points='{corners}' fill='none' stroke='{color}'{style}/>")

    def dot(self, x, y, color, hollow=False):
        fill = "class='paper'" if hollow else f"fill='{color}'"
        self.parts.append(f"<circle {fill} cx='{x:.1f}' cy='{y:.1f}' r='4' stroke='{color}' stroke-width='1.5'/>")

    def legend(self, x, y, names):
        for k, name in enumerate(names):
            self.bar(x, y + 18 * k - 9, 12, 10, COLORS[k])
            self.text(x + 18, y + 18 * k, name)

    def horizontal_grid(self, axis, left, right, title):
        """Draws the grid lines and labels of a vertical axis."""
        for tick in axis.ticks():
            y = axis.at(tick)
            self.line(left, y, right, y)
            self.text(left - 6, y + 4, label_of(tick) if axis.log else f"{tick:g}", "end")
        self.text(left - 50, (axis.begin + axis.end) / 2, title, "middle", -90)

    def vertical_grid(self, axis, top, bottom, title):
        """Draws the grid lines and labels of a horizontal axis."""
        ticks = axis.ticks()
        apart = abs(axis.end - axis.begin) / max(1, len(ticks) - 1)
        every = math.ceil(LABEL_WIDTH / apart)
        for k, tick in enumerate(ticks):
            x = axis.at(tick)
            self.line(x, top, x, bottom)
            if k % every == 0:
                self.text(x, bottom + 18, label_of(tick) if axis.log else f"{tick:g}", "middle")
        self.text((axis.begin + axis.end) / 2, bottom + 38, title, "middle")

    def render(self):
        body = "\n".join(self.parts)
        return (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width} {self.height}' width='{self.width}' "
                f"height='{self.height}' {FONT}>\n{body}\n</svg>\n")
