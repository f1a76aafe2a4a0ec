"""Draws the plots: performance profile, time per phase, percent of the hardware limit, cost against size with fitted slopes."""
from collect import is_capped, milliseconds
from fit import large_half, slope
from peers import CURVES, PEERS
from svg import COLORS, Axis, Chart, decade
from tables import PHASES, ROWS, curve_points, floors, measured

PAIR = ("gpusupernodal", "cudss")


def phases_plot(results):
    """Draws dots on logarithmic scales, with one panel per phase and a line between the two solvers."""
    names = measured(results, ROWS)
    height = 22 * max(1, len(names))
    chart = Chart(1180, height + 150, "Time per phase, ms (left is better); hollow dots were capped")
    for k, name in enumerate(names):
        chart.text(128, 70 + 22 * k + 4, name, "end")
    for panel, (phase, label) in enumerate(PHASES.items()):
        left, right = 150 + 260 * panel, 370 + 260 * panel
        values = [v for name in names for peer in PAIR if (v := milliseconds(results.find(name, peer), phase))]
        axis = Axis(decade(min(values, default=1.0) * 0.9, False), decade(max(values, default=1.0) * 1.1, True), left, right, True)
        chart.vertical_grid(axis, 52, 60 + height, f"{label}, ms")
        for k, name in enumerate(names):
            y = 70 + 22 * k
            found = [(peer, results.find(name, peer)) for peer in PAIR]
            times = [milliseconds(record, phase) for _, record in found]
            if all(times):
                chart.line(axis.at(times[0]), y, axis.at(times[1]), y)
            for (peer, record), value in zip(found, times):
                if value is not None:
                    chart.dot(axis.at(value), y, COLORS[PAIR.index(peer)], is_capped(record, phase))
    chart.legend(150, height + 122, [PEERS[peer].label for peer in PAIR])
    return chart.render()


def floor_plot(results):
    """Draws percentages of the hardware's limits: of the fastest dgemm for refactorize, of the read bandwidth for solve."""
    names = measured(results, ROWS)
    height = 22 * max(1, len(names))
    chart = Chart(900, height + 150, "Percent of the hardware limit, for the flops and the entries of our L (right is better)")
    for k, name in enumerate(names):
        chart.text(148, 70 + 22 * k + 4, name, "end")
    for panel, (phase, label) in enumerate((("refactorize", "refactorize"), ("solve1", "solve 1"))):
        left, right = 160 + 370 * panel, 480 + 370 * panel
        axis = Axis(0.0, 100.0, left, right, False)
        chart.vertical_grid(axis, 52, 60 + height, f"{label}, % of the hardware limit")
        for k, name in enumerate(names):
            floor = floors(results.find(name, "gpusupernodal"))[phase]
            for index, peer in enumerate(PAIR):
                value = milliseconds(results.find(name, peer), phase)
                if value:
                    chart.dot(axis.at(100 * floor / value), 70 + 22 * k, COLORS[index])
    chart.legend(160, height + 122, [PEERS[peer].label for peer in PAIR])
    return chart.render()


def profile_of(results, peer, phase):
    """How many times the faster solver's time `peer` takes, for every problem that both solved, ascending."""
    ratios = []
    for name in measured(results, ROWS):
        times = [milliseconds(results.find(name, p), phase) for p in PAIR]
        if all(times):
            ratios.append(times[PAIR.index(peer)] / min(times))
    return sorted(ratios)


def profile_plot(results):
    """Draws performance profiles: the share of problems that a solver solves within a multiple of the faster one's time."""
    chart = Chart(1180, 330, "Share of problems solved within a multiple of the faster solver's time (up and left is better)")
    for panel, (phase, label) in enumerate(PHASES.items()):
        left, right, top, bottom = 70 + 285 * panel, 290 + 285 * panel, 50, 230
        across, up = Axis(1.0, 10.0, left, right, True), Axis(0.0, 100.0, bottom, top, False)
        chart.horizontal_grid(up, left, right, "% of problems" if panel == 0 else "")
        for tick in (1, 2, 3, 5, 10):
            chart.line(across.at(tick), top, across.at(tick), bottom)
            chart.text(across.at(tick), bottom + 16, f"{tick}×", "middle")
        chart.text((left + right) / 2, bottom + 36, label, "middle")
        for index, peer in enumerate(PAIR):
            ratios = profile_of(results, peer, phase)
            corners = [(across.at(1.0), up.at(0.0))]
            for k, ratio in enumerate(ratios):
                corners += [(across.at(ratio), corners[-1][1]), (across.at(ratio), up.at(100.0 * (k + 1) / len(ratios)))]
            chart.path([*corners, (right, corners[-1][1])], COLORS[index])
    chart.legend(70, 300, [PEERS[peer].label for peer in PAIR])
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
    chart = Chart(1240, 700, "Cost against size; slopes fitted to the larger half of the points; hollow points were capped")
    for row, family in enumerate(CURVES):
        for column, phase in enumerate(("analyze", "refactorize", "solve1")):
            left, top = 70 + 410 * column, 45 + 330 * row
            curve_panel(chart, results, family, phase, (left, top, left + 320, top + 250))
    return chart.render()


def drawings(results):
    """Name and text of every plot."""
    return {name: draw(results) for name, draw in (
        ("phases", phases_plot), ("floor", floor_plot), ("curves", curves_plot), ("profile", profile_plot))}
