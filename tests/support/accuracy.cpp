#include "tests/support/accuracy.hpp"

#include "io/residual.hpp"

namespace gpusupernodal::test {

double backward_error(const io::SymmetricMatrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  return io::backward_error(a, x, b);
}

}  // namespace gpusupernodal::test
