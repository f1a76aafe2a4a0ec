"""Draws the plots: performance profile, time per phase, percent of the hardware limit, cost against size with fitted slopes."""
from collect import is_capped, milliseconds
from fit import large_half, slope
from peers import CURVES, PEERS
from svg import COLORS, Axis, Chart, decade
from tables import PHASES, ROWS, curve_points, floors, measured

PAIR = ("gpusupernodal", "cudss")
ROW = 22            # from one problem to the next
NAMES = 140         # where the names of the problems end
PANEL, GAP = 240, 35


def labels(chart, names, top):
    for k, name in enumerate(names):
        chart.text(NAMES, top + ROW * k + 15, name, "end")


def dots(chart, axis, y, values, hollow):
    """A dot for each solver's value, with a line between them."""
    if all(values):
        chart.line(axis.at(values[0]), y, axis.at(values[1]), y)
    for k, value in enumerate(values):
        if value is not None:
            chart.dot(axis.at(value), y, COLORS[k], hollow[k])


def panel_left(panel):
    return NAMES + 15 + (PANEL + GAP) * (panel % 2)


def phases_plot(results):
    """Draws dots on logarithmic scales, with one panel per phase and a line between the two solvers."""
    names = measured(results, ROWS)
    height = ROW * max(1, len(names))
    chart = Chart(690, 2 * (height + 65) + 100, "Time per phase, ms (left is better); hollow dots were capped")
    for panel, (phase, label) in enumerate(PHASES.items()):
        left, top = panel_left(panel), 40 + (height + 65) * (panel // 2)
        if panel % 2 == 0:
            labels(chart, names, top)
        values = [v for name in names for peer in PAIR if (v := milliseconds(results.find(name, peer), phase))]
        low, high = decade(min(values, default=1.0) * 0.9, False), decade(max(values, default=1.0) * 1.1, True)
        axis = Axis(low, high, left, left + PANEL, True)
        chart.vertical_grid(axis, top, top + height, f"{label}, ms")
        for k, name in enumerate(names):
            found = [results.find(name, peer) for peer in PAIR]
            times = [milliseconds(record, phase) for record in found]
            dots(chart, axis, top + ROW * k + 11, times, [is_capped(record, phase) for record in found])
    chart.legend(NAMES + 15, 2 * (height + 65) + 64, [PEERS[peer].label for peer in PAIR])
    return chart.render()


def floor_plot(results):
    """Draws percentages of the hardware's limits: of the fastest dgemm for refactorize, of the read bandwidth for solve."""
    names = measured(results, ROWS)
    height = ROW * max(1, len(names))
    chart = Chart(690, height + 150, "Percent of the hardware limit, for the flops and entries of our L (right is better)")
    labels(chart, names, 40)
    for panel, (phase, label) in enumerate((("refactorize", "refactorize"), ("solve1", "solve 1"))):
        left = panel_left(panel)
        axis = Axis(0.0, 100.0, left, left + PANEL, False)
        chart.vertical_grid(axis, 40, 40 + height, f"{label}, % of the limit")
        for k, name in enumerate(names):
            floor = floors(results.find(name, "gpusupernodal"))[phase]
            times = [milliseconds(results.find(name, peer), phase) for peer in PAIR]
            dots(chart, axis, 40 + ROW * k + 11, [100 * floor / time if time else None for time in times], [False, False])
    chart.legend(NAMES + 15, height + 114, [PEERS[peer].label for peer in PAIR])
    return chart.render()


def profile_of(results, peer, phase):
    """How many times the faster solver's time `peer` takes, for every problem that both solved, ascending."""
    ratios = []
    for name in measured(results, ROWS):
        times = [milliseconds(results.find(name, p), phase) for p in PAIR]
        if all(times):
            ratios.append(times[PAIR.index(peer)] / min(times))
    return sorted(ratios)


def ratio_ticks(highest):
    """1, 2, 3, 5, 10, 20, ... up to the first that is not below `highest`."""
    ticks = [1.0]
    while ticks[-1] < max(2.0, highest):
        power = 10.0 ** ((len(ticks)) // 4)
        ticks.append((1.0, 2.0, 3.0, 5.0)[len(ticks) % 4] * power)
    return ticks


def profile_panel(chart, results, phase, ticks, box):
    left, top, right, bottom = box
    across, up = Axis(ticks[0], ticks[-1], left, right, True), Axis(0.0, 100.0, bottom, top, False)
    chart.horizontal_grid(up, left, right, "% of problems")
    for tick in ticks:
        chart.line(across.at(tick), top, across.at(tick), bottom)
        chart.text(across.at(tick), bottom + 18, f"{tick:g}×", "middle")
    chart.text((left + right) / 2, bottom + 38, PHASES[phase], "middle", bold=True)
    for index, peer in enumerate(PAIR):
        ratios = profile_of(results, peer, phase)
        corners = [(across.at(1.0), up.at(0.0))]
        for k, ratio in enumerate(ratios):
            corners += [(across.at(ratio), corners[-1][1]), (across.at(ratio), up.at(100.0 * (k + 1) / len(ratios)))]
        chart.path([*corners, (right, corners[-1][1])], COLORS[index])


def profile_plot(results):
    """Draws performance profiles: the share of problems that a solver solves within a multiple of the faster one's time."""
    chart = Chart(690, 520, "Share of problems solved within a multiple of the faster solver's time")
    ticks = ratio_ticks(max((r for phase in PHASES for peer in PAIR for r in profile_of(results, peer, phase)), default=1.0))
    for panel, phase in enumerate(PHASES):
        left, top = 75 + 335 * (panel % 2), 40 + 215 * (panel // 2)
        profile_panel(chart, results, phase, ticks, (left, top, left + 255, top + 150))
    chart.legend(75, 484, [PEERS[peer].label for peer in PAIR])
    chart.text(410, 484, "up and left is better")
    return chart.render()


def curve_panel(chart, results, family, phase, box):
    left, top, right, bottom = box
    series = [curve_points(results, family, peer, phase) for peer in PAIR]
    everything = [point for good, capped in series for point in good + capped]
    if not everything:
        chart.text((left + right) / 2, (top + bottom) / 2, "not measured", "middle")
        return
    sizes, times = zip(*everything)
    across = Axis(decade(min(sizes), False), decade(max(sizes), True), left, right, True)
    up = Axis(decade(min(times) * 0.9, False), decade(max(times) * 1.1, True), bottom, top, True)
    chart.vertical_grid(across, top, bottom, f"n, {family}")
    chart.horizontal_grid(up, left, right, f"{PHASES[phase]}, ms")
    for k, (good, capped) in enumerate(series):
        good = sorted(good)
        chart.path([(across.at(n), up.at(t)) for n, t in good], COLORS[k])
        for points, hollow in ((good, False), (capped, True)):
            for n, t in points:
                chart.dot(across.at(n), up.at(t), COLORS[k], hollow)
        fitted = slope(large_half(good))
        words = PEERS[PAIR[k]].label + (f": n^{fitted[0]:.2f}" if fitted else "")
        if fitted:
            ends = [large_half(good)[0][0], good[-1][0]]
            chart.path([(across.at(n), up.at(fitted[1] * n ** fitted[0])) for n in ends], COLORS[k], "5 4")
        chart.text(left + 10, top + 16 + 16 * k, words, color=COLORS[k])


def curves_plot(results):
    chart = Chart(690, 800, "Cost against size; slopes of the larger half of the points; hollow points were capped")
    for column, family in enumerate(CURVES):
        for row, phase in enumerate(("analyze", "refactorize", "solve1")):
            left, top = 75 + 335 * column, 40 + 255 * row
            curve_panel(chart, results, family, phase, (left, top, left + 255, top + 195))
    return chart.render()


def drawings(results):
    """Name and text of every plot."""
    return {name: draw(results) for name, draw in (
        ("phases", phases_plot), ("floor", floor_plot), ("curves", curves_plot), ("profile", profile_plot))}
