"""Fits slopes of cost against size."""
import math


def slope(points):
    """Fits y = factor · x^exponent to points (x, y) by least squares of the logarithms and returns (exponent, factor);
    None for fewer than two different x."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    exponent = sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
    return exponent, math.exp(mean_y - exponent * mean_x)


def large_half(points):
    """The larger half of the points, at least three: launches, not arithmetic, dominate the cost of small ones."""
    points = sorted(points)
    return points[-max(3, (len(points) + 1) // 2):]
