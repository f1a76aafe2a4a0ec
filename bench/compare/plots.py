"""Draws the plots: time per phase, fraction of the floor reached, cost against size with fitted slopes."""
from collect import is_capped, milliseconds
from fit import large_half, slope
from peers import CURVES, PEERS
from svg import COLORS, Axis, Chart, decade
from tables import PHASES, ROWS, curve_points, floors, measured

PAIR = ("gpusupernodal", "cudss")
BAR = 9


def phases_plot(results):
    """Draws bars on logarithmic scales, with one panel per phase."""
    names = measured(results, ROWS)
    height = 24 * max(1, len(names))
    chart = Chart(1180, height + 150, "Time per phase, ms (shorter is better); * was capped")
    for k, name in enumerate(names):
        chart.text(128, 66 + 24 * k + 12, name, "end")
    for panel, (phase, label) in enumerate(PHASES.items()):
        left, right = 140 + 260 * panel, 360 + 260 * panel
        values = [v for name in names for peer in PAIR if (v := milliseconds(results.find(name, peer), phase))]
        axis = Axis(decade(min(values, default=1.0) * 0.9, False), decade(max(values, default=1.0) * 1.1, True), left, right, True)
        chart.vertical_grid(axis, 52, 60 + height, f"{label}, ms")
        for k, name in enumerate(names):
            for bar, peer in enumerate(PAIR):
                record = results.find(name, peer)
                value = milliseconds(record, phase)
                if value is None:
                    continue
                y = 62 + 24 * k + (BAR + 1) * bar
                chart.bar(left, y, axis.at(value) - left, BAR, COLORS[bar])
                if is_capped(record, phase):
                    chart.text(axis.at(value) + 3, y + BAR, "*")
    chart.legend(140, height + 122, [PEERS[peer].label for peer in PAIR])
    return chart.render()


def floor_plot(results):
    """Draws the fractions of the device's peak rates: of its fastest dgemm for refactorize, of its read bandwidth for
    solve."""
    names = measured(results, ROWS)
    height = 24 * max(1, len(names))
    chart = Chart(900, height + 150, "Fraction of the floor that is reached, for the flops and the entries of our L (longer is better)")
    for k, name in enumerate(names):
        chart.text(148, 66 + 24 * k + 12, name, "end")
    for panel, (phase, label) in enumerate((("refactorize", "refactorize"), ("solve1", "solve 1"))):
        left, right = 160 + 370 * panel, 480 + 370 * panel
        axis = Axis(0.0, 100.0, left, right, False)
        chart.vertical_grid(axis, 52, 60 + height, f"{label}, % of the floor")
        for k, name in enumerate(names):
            floor = floors(results.find(name, "gpusupernodal"))[phase]
            for bar, peer in enumerate(PAIR):
                value = milliseconds(results.find(name, peer), phase)
                if value:
                    chart.bar(left, 62 + 24 * k + (BAR + 1) * bar, axis.at(100 * floor / value) - left, BAR, COLORS[bar])
    chart.legend(160, height + 122, [PEERS[peer].label for peer in PAIR])
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
    return {name: draw(results) for name, draw in (("phases", phases_plot), ("floor", floor_plot), ("curves", curves_plot))}
