// Solves a linear program, min cᵀx subject to A x = b and x ≥ 0, by an interior point method. Each step factorizes
// A·D·Aᵀ for another diagonal D: NormalEquations makes its values where the solver reads them, on a device as well.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <random>
#include <vector>

using Vector = std::vector<double>;

// Rows of a few random entries, and a slack for each row.
struct Program {
  int rows = 300;
  int columns = 900;
  std::vector<int> offsets{0};
  std::vector<int> indices;
  Vector values;

  Program() {
    std::mt19937 random(1);
    for (int i = 0; i < rows; ++i) {
      const int width = (columns - rows) / 6;
      for (int k = 0; k < 6; ++k) {  // One in each sixth of the columns: they ascend.
        indices.push_back(k * width + static_cast<int>(random() % static_cast<unsigned>(width)));
        values.push_back(static_cast<double>(random() % 1000) / 500.0 - 1.0);
      }
      indices.push_back(columns - rows + i);
      values.push_back(1.0);
      offsets.push_back(static_cast<int>(indices.size()));
    }
  }
  gpusupernodal::SparseView<double> view() const {
    gpusupernodal::SparseView<double> a;
    a.rows = rows;
    a.columns = columns;
    a.offsets = offsets.data();
    a.indices = indices.data();
    a.values = values.data();
    return a;
  }
};

// A x and Aᵀ y.
struct Products {
  gpusupernodal::SparseOperator<double> a;

  explicit Products(const Program& program)
      : a([] {
          gpusupernodal::OperatorOptions options;
          options.backend = gpusupernodal::Backend::host;
          options.transposed = true;
          return options;
        }()) {
    a.analyze(program.view());
  }
  Vector times(const Vector& x) {
    Vector y(static_cast<std::size_t>(a.rows()));
    a.multiply({x.data(), a.columns()}, {y.data(), a.rows()});
    return y;
  }
  Vector transposed_times(const Vector& y) {
    Vector x(static_cast<std::size_t>(a.columns()));
    a.multiply_transposed({y.data(), a.rows()}, {x.data(), a.columns()});
    return x;
  }
};

double dot(const Vector& x, const Vector& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double largest(const Vector& x) {
  double most = 0.0;
  for (const double entry : x) most = std::max(most, std::abs(entry));
  return most;
}

// The longest step to the border of x ≥ 0, a little shortened.
double step_length(const Vector& x, const Vector& dx) {
  double step = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (dx[i] < 0.0) step = std::min(step, -0.99 * x[i] / dx[i]);
  }
  return step;
}

int main() {
  const Program program;
  Products a(program);
  const auto m = static_cast<std::size_t>(program.rows), n = static_cast<std::size_t>(program.columns);
  const Vector b = a.times(Vector(n, 1.0));  // x = 1 is feasible.
  Vector c(n);
  for (std::size_t j = 0; j < n; ++j) c[j] = 1.0 + static_cast<double>(j % 7) / 7.0;

  gpusupernodal::NormalEquations<double> normal;
  normal.analyze(program.view());  // The pattern of A·Aᵀ is found once,
  gpusupernodal::Solver<double> solver;
  solver.analyze(normal.matrix());  // and ordered once.
  const auto count = static_cast<std::size_t>(normal.report().entries);

  Vector x(n, 1.0), y(m, 0.0), z = c;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double mu = dot(x, z) / static_cast<double>(n);
    Vector primal = a.times(x), dual = a.transposed_times(y);
    for (std::size_t i = 0; i < m; ++i) primal[i] = b[i] - primal[i];
    for (std::size_t j = 0; j < n; ++j) dual[j] = c[j] - dual[j] - z[j];
    if (std::max({mu, largest(primal), largest(dual)}) < 1e-9) {
      std::printf("%d steps, objective %.9f, gap %.1e\n", iteration, dot(c, x), dot(c, x) - dot(b, y));
      return std::abs(dot(c, x) - dot(b, y)) <= 1e-6 * std::abs(dot(c, x)) ? 0 : 1;
    }
    Vector d(n), centre(n), weighted(n);
    for (std::size_t j = 0; j < n; ++j) {
      d[j] = x[j] / z[j];
      centre[j] = 0.1 * mu / x[j] - z[j];
      weighted[j] = d[j] * (dual[j] - centre[j]);
    }
    normal.compute(d);
    const auto matrix = normal.matrix();  // Its values are in the memory of the backend, and stay there.
    solver.refactorize({matrix.values, count}, matrix.value_space);
    if (solver.status() != gpusupernodal::Status::success) return 1;

    Vector right = a.times(weighted), dy(m);
    for (std::size_t i = 0; i < m; ++i) right[i] += primal[i];
    solver.solve({right.data(), program.rows}, {dy.data(), program.rows});
    Vector dx = a.transposed_times(dy), dz(n);
    for (std::size_t j = 0; j < n; ++j) {
      dx[j] = d[j] * (dx[j] - dual[j] + centre[j]);
      dz[j] = centre[j] - dx[j] / d[j];
    }
    const double primal_step = step_length(x, dx), dual_step = step_length(z, dz);
    for (std::size_t j = 0; j < n; ++j) {
      x[j] += primal_step * dx[j];
      z[j] += dual_step * dz[j];
    }
    for (std::size_t i = 0; i < m; ++i) y[i] += dual_step * dy[i];
  }
  std::printf("no solution after 60 steps\n");
  return 1;
}
