/// Uses one Eigen class: EIGEN_FORM is LLT, LDLT or LU. Compiles if the library has the form.

#include <Eigen/SparseCore>
#include <gpusupernodal/eigen.hpp>

#define CLASS_OF_FORM(form) GpuSupernodal##form
#define CLASS_OF(form) CLASS_OF_FORM(form)

void use(const Eigen::SparseMatrix<double>& a) { Eigen::CLASS_OF(EIGEN_FORM)<Eigen::SparseMatrix<double>> solver(a); }
