"""AC power flow of the IEEE 14-bus system by Newton's method, with one analysis for all steps.

The pattern of the Jacobian is that of the network, so lu() runs once and refactorize() takes the values of each step.
Data and published solution: IEEE 14-bus case (winter 1962), Power Systems Test Case Archive, R. D. Christie, University
of Washington. The archive's file has 0.0340, 0.0346, 0.0128 and 0 as the charging of branches 2-4, 2-5, 3-4 and 4-5;
with these, bus 4 gets 1.018, not the published 1.019. Here they have the values of textbooks, which reproduce it.
docs/power-flow.md explains the program; an assertion fails if an answer is wrong.
"""
import numpy
import scipy.sparse

import gpusupernodal

# Bus: load P and Q in MW and Mvar, generation P in MW, published magnitude in per unit, published angle in degrees.
BUSES = numpy.array([
    (0.0, 0.0, 232.4, 1.060, 0.00), (21.7, 12.7, 40.0, 1.045, -4.98), (94.2, 19.0, 0.0, 1.010, -12.72),
    (47.8, -3.9, 0.0, 1.019, -10.33), (7.6, 1.6, 0.0, 1.020, -8.78), (11.2, 7.5, 0.0, 1.070, -14.22),
    (0.0, 0.0, 0.0, 1.062, -13.37), (0.0, 0.0, 0.0, 1.090, -13.36), (29.5, 16.6, 0.0, 1.056, -14.94),
    (9.0, 5.8, 0.0, 1.051, -15.10), (3.5, 1.8, 0.0, 1.057, -14.79), (6.1, 1.6, 0.0, 1.055, -15.07),
    (13.5, 5.8, 0.0, 1.050, -15.16), (14.9, 5.0, 0.0, 1.036, -16.04)])
# Branch: from, to, resistance, reactance, total charging susceptance, in per unit; tap ratio at `from`.
BRANCHES = numpy.array([
    (1, 2, 0.01938, 0.05917, 0.0528, 1.0), (1, 5, 0.05403, 0.22304, 0.0492, 1.0), (2, 3, 0.04699, 0.19797, 0.0438, 1.0),
    (2, 4, 0.05811, 0.17632, 0.0374, 1.0), (2, 5, 0.05695, 0.17388, 0.0340, 1.0), (3, 4, 0.06701, 0.17103, 0.0346, 1.0),
    (4, 5, 0.01335, 0.04211, 0.0128, 1.0), (4, 7, 0.0, 0.20912, 0.0, 0.978), (4, 9, 0.0, 0.55618, 0.0, 0.969),
    (5, 6, 0.0, 0.25202, 0.0, 0.932), (6, 11, 0.09498, 0.19890, 0.0, 1.0), (6, 12, 0.12291, 0.25581, 0.0, 1.0),
    (6, 13, 0.06615, 0.13027, 0.0, 1.0), (7, 8, 0.0, 0.17615, 0.0, 1.0), (7, 9, 0.0, 0.11001, 0.0, 1.0),
    (9, 10, 0.03181, 0.08450, 0.0, 1.0), (9, 14, 0.12711, 0.27038, 0.0, 1.0), (10, 11, 0.08205, 0.19207, 0.0, 1.0),
    (12, 13, 0.22092, 0.19988, 0.0, 1.0), (13, 14, 0.17093, 0.34802, 0.0, 1.0)])
SLACK, PV = 0, [1, 2, 5, 7]           # buses with known magnitude and angle; known magnitude and P
SHUNT_BUS, SHUNT = 8, 0.19            # a capacitor, susceptance in per unit


def admittances():
    """The admittance matrix of the network, 14 × 14, in per unit of 100 MVA."""
    i, j = (BRANCHES[:, k].astype(int) - 1 for k in (0, 1))
    series, charging, tap = 1.0 / (BRANCHES[:, 2] + 1j * BRANCHES[:, 3]), 0.5j * BRANCHES[:, 4], BRANCHES[:, 5]
    rows = numpy.concatenate([i, j, i, j, [SHUNT_BUS]])
    columns = numpy.concatenate([i, j, j, i, [SHUNT_BUS]])
    values = numpy.concatenate([(series + charging) / tap**2, series + charging, -series / tap, -series / tap, [1j * SHUNT]])
    return scipy.sparse.coo_matrix((values, (rows, columns))).tocsr().tocoo()


class PowerFlow:
    """The equations P(θ, V) = P₀ of all buses but the slack and Q(θ, V) = Q₀ of the load buses; angles in radians."""

    def __init__(self):
        self.y = admittances()
        n = self.y.shape[0]
        self.angles = numpy.delete(numpy.arange(n), SLACK)
        self.magnitudes = numpy.setdiff1d(self.angles, PV)
        self.wanted = ((BUSES[:, 2] - BUSES[:, 0])[self.angles] / 100.0, -BUSES[self.magnitudes, 1] / 100.0)
        number = numpy.full(2 * n, -1)             # of an unknown and of the equation with the same place
        number[self.angles] = numpy.arange(self.angles.size)
        number[n + self.magnitudes] = self.angles.size + numpy.arange(self.magnitudes.size)
        i, j = self.y.row, self.y.col
        rows, columns = number[numpy.concatenate([i, i, n + i, n + i])], number[numpy.concatenate([j, n + j, j, n + j])]
        self.kept = (rows >= 0) & (columns >= 0)
        self.place = rows[self.kept], columns[self.kept]
        self.theta, self.v = numpy.zeros(n), numpy.where(numpy.isin(numpy.arange(n), [SLACK, *PV]), BUSES[:, 3], 1.0)

    def flows(self):
        """Parts of P and Q of each bus, one for each entry of the admittance matrix."""
        i, j = self.y.row, self.y.col
        flow = self.v[i] * self.v[j] * numpy.exp(1j * (self.theta[i] - self.theta[j])) * numpy.conj(self.y.data)
        return flow.real, flow.imag

    def evaluate(self):
        """(mismatch of P and Q, Jacobian for angles and relative magnitudes); the pattern is always the same."""
        i, n = self.y.row, self.v.size
        p_part, q_part = self.flows()
        p, q = numpy.bincount(i, p_part, n), numpy.bincount(i, q_part, n)
        own = i == self.y.col
        entries = numpy.concatenate([q_part - own * q[i], p_part + own * p[i], -p_part + own * p[i], q_part + own * q[i]])
        # coo_matrix keeps entries that are 0; a sum of two sparse matrices would drop them.
        jacobian = scipy.sparse.coo_matrix((entries[self.kept], self.place)).tocsc()
        return numpy.concatenate([self.wanted[0] - p[self.angles], self.wanted[1] - q[self.magnitudes]]), jacobian

    def mismatch_bound(self):
        """What rounding explains: 4·n·eps relative to the largest sum of the flows at a bus."""
        flow = numpy.bincount(self.y.row, numpy.abs(self.flows()[0] + 1j * self.flows()[1]))
        return 4.0 * self.v.size * numpy.finfo(float).eps * flow.max()

    def update(self, step):
        self.theta[self.angles] += step[:self.angles.size]
        self.v[self.magnitudes] *= 1.0 + step[self.angles.size:]


def newton(system, steps=10):
    """Newton's method from the state of `system`; returns the factor object and the largest mismatch before each step."""
    factor, errors = None, []
    for k in range(steps):
        mismatch, jacobian = system.evaluate()
        errors.append(abs(mismatch).max())
        print(f"step {k}: largest mismatch {errors[-1]:.2e}", end="")
        if errors[-1] <= system.mismatch_bound():
            print(f", below the bound {system.mismatch_bound():.2e}")
            return factor, errors
        print(f", {errors[-1] / errors[-2]**2:.2f} times the square of the one before" if k else "")
        factor = factor.refactorize(jacobian) if factor else gpusupernodal.lu(jacobian)
        system.update(factor(mismatch))
    raise RuntimeError(f"the mismatch is {errors[-1]} after {steps} steps, not below {system.mismatch_bound()}")


def main():
    system = PowerFlow()
    factor, errors = newton(system)
    report, degrees = factor.report(), numpy.degrees(system.theta)
    print(f"{factor.perturbed_pivots} pivots replaced, {report['factor.repivoted']:.0f} repetitions with other pivots, "
          f"growth {factor.growth:.1f}")
    for k in range(system.v.size):
        print(f"bus {k + 1:2}: {system.v[k]:.3f} per unit, {degrees[k]:6.2f} degrees")
    # Quadratic convergence, down to where rounding takes over. Both mismatches are per unit.
    assert all(after <= before**2 for before, after in zip(errors[:-2], errors[1:-1]))
    # The magnitudes are rounded to three digits; the last digit of the angles may be off by one: buses 7 and 8 have equal
    # angles, because no active power flows between them, and differ by 0.01 in print.
    assert (abs(system.v - BUSES[:, 3]) <= 0.0005).all() and (abs(degrees - BUSES[:, 4]) <= 0.01).all()
    assert (factor.status, factor.perturbed_pivots, report["factor.repivoted"]) == ("success", 0, 0)


if __name__ == "__main__":
    main()
