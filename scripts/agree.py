#!/usr/bin/env python3
"""Writes a right-hand side with a known solution, and compares solutions of A x = b from several programs.

usage: agree.py rhs A.mtx[.gz] B.mtx                       b = A·ones
       agree.py check A.mtx[.gz] B.mtx NAME=X.mtx...       exits 1 unless all are accurate and agree

Two accurate solutions of an ill-conditioned system may differ in all digits; what they must share is that each solves a
system near A x = b. So x and y agree when ‖A (x − y)‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞) is within the sum of their bounds, whatever
the condition of A is.
"""
import gzip
import math
import sys

BOUND_FACTOR = 4.0  # Of the backward error, c·n·eps as in the tests [Higham02, Theorem 10.4].


def numbers(path):
    """Header words and the lines after comments, each split."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        header = file.readline().split()
        return header, [line.split() for line in file if line.strip() and not line.startswith("%")]


def read_matrix(path):
    """Order and entries (row, column, value) of the lower triangle, from `coordinate … symmetric`."""
    header, lines = numbers(path)
    if header[1:3] != ["matrix", "coordinate"] or header[4] != "symmetric":
        raise SystemExit(f"{path}: not a symmetric coordinate matrix")
    entries = [(int(i) - 1, int(j) - 1, float(v)) for i, j, v in lines[1:]]
    return int(lines[0][0]), entries


def read_vector(path):
    _, lines = numbers(path)
    return [float(line[0]) for line in lines[1:]]


def multiply(n, entries, x):
    products = [[] for _ in range(n)]
    for i, j, value in entries:
        products[i].append(value * x[j])
        if i != j:
            products[j].append(value * x[i])
    return [math.fsum(terms) for terms in products]


def norm(x):
    return math.nan if any(math.isnan(v) for v in x) else max(map(abs, x), default=0.0)


def norm_of_matrix(n, entries):
    magnitudes = [(i, j, abs(value)) for i, j, value in entries]
    return norm(multiply(n, magnitudes, [1.0] * n))


def write_right_hand_side(matrix, output):
    n, entries = read_matrix(matrix)
    with open(output, "w") as file:
        file.write(f"%%MatrixMarket matrix array real general\n{n} 1\n")
        file.writelines(f"{value:.17g}\n" for value in multiply(n, entries, [1.0] * n))


def check(matrix, right_hand_side, solutions):
    n, entries = read_matrix(matrix)
    b = read_vector(right_hand_side)
    size = norm_of_matrix(n, entries)
    bound = BOUND_FACTOR * max(n, 10) * sys.float_info.epsilon
    print(f"bound of a backward error: {BOUND_FACTOR:g}·n·eps = {bound:.2e}")
    good = True
    first = None
    for argument in solutions:
        name, path = argument.split("=", 1)
        x = read_vector(path)
        scale = size * norm(x) + norm(b)
        error = norm([u - v for u, v in zip(b, multiply(n, entries, x))]) / scale
        fine = len(x) == n and error <= bound
        line = f"{name:<14} backward error {error:.2e}"
        if first is None:
            first = x
        else:
            difference = [u - v for u, v in zip(x, first)]
            distance = norm(multiply(n, entries, difference)) / scale
            fine = fine and distance <= 2 * bound
            line += f"   from the first: ‖A(x−y)‖ {distance:.2e}, ‖x−y‖/‖x‖ {norm(difference) / norm(first):.2e}"
        print(line + ("" if fine else "   TOO LARGE"))
        good = good and fine
    print(f"the {len(solutions)} answers agree" if good else "the answers DO NOT agree")
    return 0 if good else 1


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "rhs":
        return write_right_hand_side(*arguments[1:])
    if len(arguments) >= 4 and arguments[0] == "check":
        return check(arguments[1], arguments[2], arguments[3:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
