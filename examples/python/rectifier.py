"""A diode bridge in time steps by Newton's method: pivots that go bad during a sequence, and what the status says.

A source of 10 V and 50 Hz with a resistance and an inductance feeds a bridge of four diodes, a capacitor and a load. The
analysis sees conducting diodes. When all of them block, the conductances of both nodes of the source fall to GMIN, and the
pivots that were good are far too small. docs/power-flow.md explains the program; an assertion fails if an answer is wrong.
"""
import numpy
import scipy.sparse

import gpusupernodal

SATURATION, THERMAL = 1e-12, 0.02585                    # A, V: i = SATURATION·(exp(v / THERMAL) − 1)
LARGEST = 0.9                                           # V: above it a diode's curve continues as its tangent
RESISTANCE, INDUCTANCE, LOAD, CAPACITANCE = 0.1, 1e-3, 100.0, 1e-4
STEP, STEPS = 2e-4, 100                                 # s; one period of the source
A, B, OUT, CURRENT, GROUND = 0, 1, 2, 3, 4              # unknowns: three voltages to ground, the current of the source
ANODE, CATHODE = numpy.array([A, B, GROUND, GROUND]), numpy.array([OUT, OUT, A, B])

# Each diode adds its conductance at four places; capacitor and load add one, the source five. Duplicates are summed.
ROWS = numpy.concatenate([ANODE, CATHODE, ANODE, CATHODE, [OUT, A, B, CURRENT, CURRENT, CURRENT]])
COLUMNS = numpy.concatenate([ANODE, CATHODE, CATHODE, ANODE, [OUT, CURRENT, CURRENT, A, B, CURRENT]])
KEPT = (ROWS != GROUND) & (COLUMNS != GROUND)


def diodes(v, gmin):
    """Currents and conductances of diodes with the voltages v and a conductance gmin beside each."""
    bounded = numpy.minimum(v, LARGEST)
    slope = SATURATION / THERMAL * numpy.exp(bounded / THERMAL)
    return SATURATION * numpy.expm1(bounded / THERMAL) + slope * (v - bounded) + gmin * v, slope + gmin


def equations(x, before, source, gmin):
    """(residual of the 4 equations, largest term in each, Jacobian) of a step of implicit Euler from the state `before`."""
    v = numpy.append(x[:CURRENT], [0.0, 0.0])           # the place of the current, then the ground
    current, g = diodes(v[ANODE] - v[CATHODE], gmin)
    store, impedance = CAPACITANCE / STEP, RESISTANCE + INDUCTANCE / STEP
    terms = [(ANODE, current), (CATHODE, -current), ([OUT, OUT], [x[OUT] / LOAD + store * x[OUT], -store * before[OUT]]),
             ([A, B], [-x[CURRENT], x[CURRENT]]),
             ([CURRENT] * 4, [x[A] - x[B], impedance * x[CURRENT], -INDUCTANCE / STEP * before[CURRENT], -source])]
    residual, largest = numpy.zeros(5), numpy.zeros(5)
    for rows, values in terms:
        numpy.add.at(residual, rows, values)
        numpy.maximum.at(largest, rows, numpy.abs(values))
    entries = numpy.concatenate([g, g, -g, -g, [1.0 / LOAD + store, -1.0, 1.0, 1.0, -1.0, impedance]])
    jacobian = scipy.sparse.coo_matrix((entries[KEPT], (ROWS[KEPT], COLUMNS[KEPT])), shape=(4, 4)).tocsc()
    return residual[:4], largest[:4], jacobian


class Bridge:
    """Time steps with one factor object; `report_only` leaves pivots as they are (repivot = report)."""

    def __init__(self, gmin, report_only=False):
        self.gmin, self.before, self.newton_steps = gmin, numpy.zeros(4), 0
        self.x = numpy.array([0.7, -0.7, 0.0, 0.0])     # two diodes conduct
        jacobian = equations(self.x, self.before, 0.0, gmin)[2]
        self.factor = gpusupernodal.lu(jacobian, repivot="report" if report_only else "auto")

    def equations(self, time):
        return equations(self.x, self.before, 10.0 * numpy.sin(100.0 * numpy.pi * time), self.gmin)

    def expect_solved(self, time):
        """The residual of each equation is what rounding explains: 4·n·eps, relative to its terms and |J|·|x|."""
        residual, largest, jacobian = self.equations(time)
        assert (abs(residual) <= 16.0 * numpy.finfo(float).eps * (largest + abs(jacobian) @ abs(self.x))).all(), time

    def step(self, time):
        """Newton's method for one time step; no voltage changes by more than 0.3 V at once."""
        for _ in range(200):
            residual, _, jacobian = self.equations(time)
            change = self.factor.refactorize(jacobian)(residual)
            damping = min(1.0, 0.3 / max(abs(change[:CURRENT]).max(), 0.3))
            self.x = self.x - damping * change
            self.newton_steps += 1
            if damping == 1.0 and abs(change).max() < 1e-9:
                self.expect_solved(time)
                self.before = self.x
                return
        raise RuntimeError(f"Newton's method does not converge at {time} s")

    def run(self):
        """One period. Prints a line when what the reports say about the pivots changes; returns for each time step how often
        the factorization has been repeated, and the growth."""
        history, said = [], None
        for k in range(1, STEPS + 1):
            self.step(k * STEP)
            factor, report = self.factor, self.factor.report()
            repivoted, refined = (int(report[name]) for name in ("factor.repivoted", "solve.refinement_steps"))
            history.append((repivoted, factor.growth))
            if (repivoted, refined > 0) != said:
                print(f"  time step {k}: {factor.status}, {factor.perturbed_pivots} pivots replaced, growth {factor.growth:.1e}, "
                      f"{refined} refinement steps, repeated with other pivots: {repivoted}")
                said = repivoted, refined > 0
        return numpy.array(history).T


def main():
    print("repivot = report:")
    reporting = Bridge(1e-12, report_only=True)
    try:
        reporting.run()
        raise AssertionError("the pivots of the first matrix cannot suit all others")
    except gpusupernodal.UnstableFactorization as error:
        print(f"  {error}")
        assert reporting.factor.status == "unstable" and reporting.factor.perturbed_pivots > 0

    print("repivot = auto, the default:")
    bridge = Bridge(1e-12)
    repivoted, growth = bridge.run()
    factor = bridge.factor
    print(f"  {bridge.newton_steps} Newton steps, {bridge.x[OUT]:.3f} V at the load")
    assert repivoted[-1] == 1 and growth[repivoted == 0].max() > 100.0 and growth[repivoted == 1].max() <= 100.0
    assert factor.status == "success" and factor.perturbed_pivots == 0

    print("blocking diodes without GMIN:")
    blocking = numpy.array([50.0, 50.0, 100.0, 0.0])    # 50 V in reverse at each diode: exp(−50 V / THERMAL) is 0
    try:
        factor.refactorize(equations(blocking, blocking, 0.0, 0.0)[2])
        raise AssertionError("the voltages of the source to ground are not determined")
    except gpusupernodal.SingularMatrix as error:
        print(f"  {error}")
        assert factor.status == "singular" and error.column in (A, B)
    factor.refactorize(bridge.equations(0.0)[2])        # the object can be used again
    assert factor.status == "success"


if __name__ == "__main__":
    main()
