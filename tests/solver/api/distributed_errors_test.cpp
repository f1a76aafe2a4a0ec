#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/distributed_parts.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Expects that call(fabric) throws on all of three parts: InvalidState that names `part` on the others, and on `part` an
/// error that has `text`.
void expect_error_on_all(int part, const std::string& text, const std::function<void(Fabric&)>& call) {
  run_parts(3, [&](Fabric& fabric) {
    try {
      call(fabric);
      ADD_FAILURE() << "no error on part " << fabric.part();
    } catch (const Error& error) {
      const std::string message = error.what();
      if (fabric.part() != part) {
        EXPECT_EQ(message.find("part " + std::to_string(part) + " of 3 failed: "), 0U) << message;
        EXPECT_NE(dynamic_cast<const InvalidState*>(&error), nullptr) << message;
      }
      EXPECT_NE(message.find(text), std::string::npos) << message;
    }
  });
}

TEST(DistributedErrors, OfOnePartAreErrorsOfAll) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  expect_error_on_all(0, "part 0 gave no plan", [](Fabric& fabric) { DistributedSolver<double>(fabric).analyze(nullptr); });
  expect_error_on_all(0, "limits of memory", [&](Fabric& fabric) {
    DistributionOptions limits;
    limits.memory_limits = {1, 2, 3};
    DistributedSolver<double>(fabric).analyze(fabric.part() == 0 ? Solver<double>::preview(a.view()).plan : nullptr, {},
                                              limits);
  });
  const auto with_solver = [&](const std::function<void(DistributedSolver<double>&, OwnPart<double>&, int)>& call) {
    return [&, call](Fabric& fabric) {
      DistributedSolver<double> solver(fabric);
      analyze(solver, a);
      OwnPart<double> own(a, solver, fabric.part());
      call(solver, own, fabric.part());
    };
  };
  expect_error_on_all(1, "occurs twice", with_solver([](auto& solver, OwnPart<double>& own, int part) {
                        if (part == 1) {
                          own.rows.push_back(own.rows.front());
                          own.columns.push_back(own.columns.front());
                        }
                        solver.set_entries(own.rows, own.columns, StoredPart::lower);
                      }));
  expect_error_on_all(1, "values, but set_entries named", with_solver([](auto& solver, OwnPart<double>& own, int part) {
                        solver.set_entries(own.rows, own.columns, StoredPart::lower);
                        if (part == 1) own.values.pop_back();
                        solver.factorize(own.values);
                      }));
  expect_error_on_all(2, "2 columns on this part, but 1 on part 0",
                      with_solver([](auto& solver, OwnPart<double>& own, int part) {
                        solver.set_entries(own.rows, own.columns, StoredPart::lower);
                        solver.factorize(own.values);
                        const auto count = static_cast<std::int64_t>(solver.rows().size());
                        std::vector<double> x(static_cast<std::size_t>(2 * count), 1.0);
                        const DenseView<double> view(x.data(), count, part == 2 ? 2 : 1, std::max<std::int64_t>(count, 1));
                        solver.solve(view, view);
                      }));
}

TEST(DistributedErrors, PlansForLuAreRefused) {
  const io::SymmetricMatrix a = io::generate("lap2d:6");
  Options lu;
  lu.form = Form::lu;
  MatrixView<double> full = a.view();
  full.part = StoredPart::full;
  const auto plan = Solver<double>::preview(full, lu).plan;
  EXPECT_THROW(distribution(*plan, {2, {}, {}}), InvalidInput);
}

TEST(DistributedErrors, OfTheAnalysisReachAllPartsAndLeaveThemUsable) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  MatrixView<double> wrong = a.view();
  wrong.indices = IndexArray();
  std::vector<double> x(static_cast<std::size_t>(a.n));
  const std::vector<double> b = random_vector(a.n, 3);
  run_parts(3, [&](Fabric& fabric) {
    DistributedSolver<double> solver(fabric);
    EXPECT_THROW(solver.analyze([&] { return Solver<double>::preview(wrong).plan; }), Error);
    EXPECT_FALSE(solver.is_analyzed());
    EXPECT_THROW(solver.analyze([]() -> std::shared_ptr<const FactorPlan> { throw std::bad_alloc(); }), std::exception);
    analyze(solver, a);
    const OwnPart<double> own(a, solver, fabric.part());
    solver.set_entries(own.rows, own.columns, StoredPart::lower);
    EXPECT_THROW(solver.analyze([&] { return Solver<double>::preview(wrong).plan; }), Error);
    EXPECT_EQ(solver.factorize(own.values), Status::success);
    solve_columns(solver, b, x);
  });
  EXPECT_LE(backward_error(a, x, b), backward_error_bound<double>(a.n));
}

TEST(DistributedErrors, OtherFormsAreRefused) {
  const io::SymmetricMatrix a = io::generate("lap2d:6");
  for (const Form form : {Form::ldlt, Form::lu}) {
    Options options;
    options.form = form;
    run_parts(2, [&](Fabric& fabric) {
      DistributedSolver<double> solver(fabric);
      const auto plan = fabric.part() == 0 ? Solver<double>::preview(a.view()).plan : nullptr;
      EXPECT_THROW(solver.analyze(plan, options), InvalidInput);
    });
  }
}

TEST(DistributedErrors, DiagonalsThatAreNotRealAreRefused) {
  using C = std::complex<double>;
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{100}, a.n - 1}) {
    std::atomic<int> refused = 0;
    run_parts(3, [&](Fabric& fabric) {
      DistributedSolver<C> solver(fabric);
      analyze(solver, a);
      const OwnPart<C> own(a, solver, fabric.part());
      solver.set_entries(own.rows, own.columns, StoredPart::lower);
      std::vector<C> values = own.values;
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (own.rows[k] == bad && own.columns[k] == bad) values[k] += C(0, 1);
      }
      try {
        solver.factorize(values);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        const std::string text = "diagonal entry of row " + std::to_string(bad) + " ";
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        ++refused;
      }
      EXPECT_EQ(solver.factorize(own.values), Status::success);
    });
    EXPECT_EQ(refused, 3);
  }
}

TEST(DistributedErrors, ComplexEntriesOfTheOtherHalfAreRefused) {
  using C = std::complex<double>;
  const io::SymmetricMatrix a = io::generate("lap3d:5");
  run_parts(2, [&](Fabric& fabric) {
    DistributedSolver<C> solver(fabric);
    analyze(solver, a);
    const OwnPart<C> own(a, solver, fabric.part());
    try {
      solver.set_entries(own.rows, own.columns);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("is not in the upper half of A"), std::string::npos) << error.what();
    }
    solver.set_entries(own.rows, own.columns, StoredPart::lower);
  });
}

TEST(DistributedErrors, RefusedEntriesLeaveThoseOfBefore) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  const std::vector<double> b = random_vector(a.n, 3);
  std::vector<double> x(b.size());
  run_parts(3, [&](Fabric& fabric) {
    DistributedSolver<double> solver(fabric);
    analyze(solver, a);
    const OwnPart<double> own(a, solver, fabric.part());
    EXPECT_THROW(solver.factorize(own.values), InvalidState);
    solver.set_entries(own.rows, own.columns, StoredPart::lower);
    ASSERT_EQ(solver.factorize(own.values), Status::success);
    OwnPart<double> other(a, solver, fabric.part());
    std::reverse(other.rows.begin(), other.rows.end());
    std::reverse(other.columns.begin(), other.columns.end());
    if (fabric.part() == 1) other.rows.back() = -1;
    EXPECT_THROW(solver.set_entries(other.rows, other.columns, StoredPart::lower), Error);
    solve_columns(solver, b, x);  // The factor is there too.
    ASSERT_EQ(solver.factorize(own.values), Status::success);
    solve_columns(solver, b, x);
  });
  EXPECT_LE(backward_error(a, x, b), backward_error_bound<double>(a.n));
}

TEST(DistributedErrors, NullPointersAreRefused) {
  const io::SymmetricMatrix a = io::generate("lap2d:8");
  run_parts(2, [&](Fabric& fabric) {
    DistributedSolver<double> solver(fabric);
    analyze(solver, a);
    const OwnPart<double> own(a, solver, fabric.part());
    EXPECT_THROW(solver.set_entries({nullptr, own.rows.size()}, own.columns, StoredPart::lower), InvalidInput);
    EXPECT_THROW(solver.set_entries(own.rows, {nullptr, own.rows.size()}, StoredPart::lower), InvalidInput);
    solver.set_entries(own.rows, own.columns, StoredPart::lower);
    EXPECT_THROW(solver.factorize({nullptr, own.rows.size()}), InvalidInput);
    EXPECT_EQ(solver.factorize(own.values), Status::success);
  });
}

/// Part 1's allocator refuses its k-th request, for every k: all parts throw, and succeed once there is memory.
TEST(DistributedErrors, MemoryThatIsShortOnOnePartLeavesAllUsable) {
  const io::SymmetricMatrix a = io::generate("lap3d:7");
  constexpr std::int64_t columns = 5;
  const std::vector<double> b = random_vector(a.n * columns, 3);
  bool refused = true;
  for (std::int64_t k = 0; refused; ++k) {
    std::vector<double> x(b.size());
    std::atomic<int> errors = 0;
    run_parts(3, [&](Fabric& fabric) {
      Options options;
      const auto allocator = std::make_shared<CountingAllocator>();
      options.host_allocator = allocator;
      if (fabric.part() == 1) allocator->refuse_after(k);
      DistributedSolver<double> solver(fabric);
      const auto try_again = [&](const auto& call) {
        try {
          return call();
        } catch (const Error&) {
          ++errors;
        }
        allocator->refuse_after(std::numeric_limits<std::int64_t>::max());
        call();
      };
      try_again([&] { analyze(solver, a, options); });
      const OwnPart<double> own(a, solver, fabric.part());
      solver.set_entries(own.rows, own.columns, StoredPart::lower);
      ASSERT_EQ(solver.factorize(own.values), Status::success);
      try_again([&] { solve_columns(solver, b, x, columns); });
    });
    EXPECT_TRUE(errors == 0 || errors == 3) << errors;
    refused = errors > 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::vector<double> of_column(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
      const std::vector<double> rhs(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
      EXPECT_LE(backward_error(a, of_column, rhs), backward_error_bound<double>(a.n)) << "request " << k;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
