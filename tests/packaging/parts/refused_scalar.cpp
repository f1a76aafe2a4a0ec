/// Does not compile with a library that was built without complex_double.

#include <complex>
#include <gpusupernodal/solver.hpp>

int main() { gpusupernodal::Solver<std::complex<double>> solver; }
