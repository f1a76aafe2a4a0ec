#pragma once

/// \file
/// Options of the solver. The defaults are measured choices (bench/notebook).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/allocator.hpp"

namespace gpusupernodal {

/// Backend that holds the values and computes. `automatic` takes CUDA if a device is found and the cost model predicts
/// that it is faster.
enum class Backend { automatic, host, cuda };

/// Fill-reducing ordering. `nested_dissection` is the library's own and uses all threads; `metis` runs on one thread;
/// `user` takes Options::permutation.
enum class Ordering { automatic, nested_dissection, metis, amd, natural, user };

/// Kind of factorization. `llt`: Cholesky, for symmetric (Hermitian) positive definite matrices. `lu`: for any square matrix
/// that is given with all its entries (StoredPart::full). docs/lu.md has the method. `ldlt`: for symmetric, Hermitian and
/// complex symmetric matrices that are not definite. docs/ldlt.md has the method.
enum class Form { llt, lu, ldlt };

/// What a complex matrix is of which one triangle is read: equal to its adjoint, or to its transpose.
enum class Symmetry { hermitian, symmetric };

/// Row exchanges before an LU factorization. `product`: the exchange that maximizes the product of the magnitudes on the
/// diagonal [DK01], computed from the values given to analyze; `none`: rows stay where they are; `automatic`: `product` if a
/// diagonal entry is missing or, after scaling rows and columns, less than 1/1000 of the largest entries; otherwise `none`.
enum class MatchingRule { automatic, product, none };

/// What to do when an LU or LDLᵀ factorization is unstable. `automatic`: repeat it when the outcome is first needed (status,
/// solve or report). LU first exchanges rows by a matching of the current values, then by threshold pivoting [GP88], each
/// with a new plan. LDLᵀ keeps its plan. In the last attempt only pivots below eps are replaced, unless
/// Options::perturbation is set. `report`: do not repeat it. LU with MatchingRule::none is never repeated, nor is LDLᵀ with
/// a perturbation, nor LU on dense storage, which exchanges rows in each factorization. Nothing is repeated after a graph of
/// the caller has captured a call of the solver, or without memory for it.
enum class Repivot { automatic, report };

/// How LU works. `supernodes`: on the symmetrized pattern, as Cholesky does. `columns`: a first factorization on the host
/// exchanges rows by threshold pivoting and fixes the pattern of L + U, which is then factorized in place by levels of
/// columns (docs/lu-columns.md; US patent 9,170,836). `dense`: on dense storage with row exchanges in each factorization,
/// for orders up to 3000, on the host only (docs/lu-dense.md). `automatic`: `columns` where the cost model expects them to
/// take less time for `expected_factorizations`, on a device only if the symmetrized pattern has more than 3 times their
/// entries; otherwise `dense` on the host for orders 200 to 1000 where L and U are nearly full, if `matching` is automatic;
/// otherwise `supernodes`.
enum class LuSchedule { automatic, supernodes, columns, dense };

/// Rule for merging supernodes. `narrow`: merge if child and parent are both narrower than `merge_width` [ZDG];
/// `bounded`: merge while the explicit zeros stay under a bound that falls with the width [AG89, CDHR08].
enum class Merging { none, narrow, bounded };

/// How the CUDA backend schedules wide supernodes. `levels`: the library's own kernels; one launch handles all
/// independent pieces of a level of the assembly tree. `streams`: the founding schedule [ZDG], block tasks by cuBLAS
/// and cuSOLVER ordered by streams and events, kept as a baseline.
enum class CudaSchedule { levels, streams };

/// Where a CUDA device keeps the factor. `device`: in its memory. `hybrid`: what exceeds the memory of the device, or
/// Options::device_memory_limit, is in page-locked host memory, from which each solve reads it (docs/hybrid-memory.md). For
/// Form::llt and CudaSchedule::levels on one device, without `deterministic` and `trace`. `automatic`: as `hybrid` where
/// this is possible and the factor does not fit.
enum class FactorMemory { automatic, device, hybrid };

/// Iterative refinement in solve: x += A⁻¹(b − A x).
struct Refinement {
  int max_steps = 0;  ///< Maximum number of steps; 0: off.
  double backward_error = 0.0;  ///< Stop at ‖b − Ax‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞) ≤ this; 0: when a step no longer halves it.
};

/// Argument of a progress callback.
struct Progress {
  const char* phase = "";  ///< Name of the step that begins, or "factorize"; a string of static lifetime.
  double fraction = 0.0;   ///< Completed fraction of the phase, in [0, 1].
};

/// Options of a solver; the defaults suit most matrices, docs/options.md says how to choose.
/// Changes act from the next analyze on, except those of `refinement` and `factor_progress` (next factorize) and
/// `check_right_hand_sides` (next solve).
struct Options {
  Backend backend = Backend::automatic;  ///< Where to factorize and solve.

  Form form = Form::llt;  ///< Kind of factorization.
  /// For complex scalars: `symmetric` needs Form::ldlt. Form::lu reads all entries, and real matrices are both.
  Symmetry symmetry = Symmetry::hermitian;
  /// For Form::lu: exchange of rows. Unless it is `none`, analyze reads the values if they are given, and waits for a device
  /// that holds them; without values it exchanges nothing.
  MatchingRule matching = MatchingRule::automatic;
  /// For Form::lu: `columns` takes the time of a sparse LU on one core in analyze, and reads the values as `matching` does;
  /// `dense` takes only scales from them.
  LuSchedule lu_schedule = LuSchedule::automatic;
  /// For Form::lu and Form::ldlt: whether to repeat an unstable factorization. LU then takes memory for a second factor and
  /// the time of one or two analyses; threshold pivoting also takes the time of a sparse LU on one core.
  Repivot repivot = Repivot::automatic;
  /// For Form::lu and Form::ldlt: a pivot below this number times the largest magnitude in the scaled matrix is replaced by
  /// that product, and solves are then refined. 0: the square root of the scalar's machine precision; for LuSchedule::dense
  /// that precision itself.
  double perturbation = 0.0;

  Ordering ordering = Ordering::automatic;  ///< Fill-reducing ordering.
  /// For Ordering::user: permutation[k] is the row of A (zero-based) to eliminate k-th. The order is then postordered,
  /// as is that of Ordering::natural: rows may move so that each supernode's columns are adjacent, but L has the same
  /// fill. Solver::old_of_new() returns the order used, to which System::l, System::lt and extract_l refer.
  /// LuSchedule::columns and LuSchedule::dense do not postorder.
  std::vector<std::int64_t> permutation;
  /// Rows of A (zero-based) to eliminate after all others, as for a Schur complement: groups in order of elimination.
  /// Every ordering respects the groups and is free within a group; a user's permutation must respect them. No
  /// supernode contains rows of two groups. For Form::lu, these and `permutation` are columns of A; rows follow their
  /// columns through the exchange of rows. LuSchedule::dense exchanges rows across the groups.
  std::vector<std::vector<std::int64_t>> last_rows;
  /// Seed of Ordering::nested_dissection: one seed gives one order, on any number of threads.
  std::uint64_t ordering_seed = 0;
  /// Expected number of factorizations per analysis. Ordering::automatic weighs the time of an ordering against what it
  /// saves in each of them: with 1 it takes a quick ordering if that is faster in total, from 1000 on it searches
  /// longer.
  std::int32_t expected_factorizations = 100;
  /// Reuse the plan of an earlier analyze with equal pattern and options, and keep new plans for later ones, within
  /// set_plan_cache_limits (plan_cache.hpp).
  bool plan_cache = true;
  Merging merging = Merging::bounded;  ///< Rule for merging supernodes.
  std::int32_t merge_width = 64;       ///< The width t of Merging::narrow.
  std::int32_t block_width = 0;        ///< Columns of a block; 0: the backend's default (cuda 1024, host 128 to 384). Blocks
                                       ///< end at multiples of 512 columns too.

  /// Host threads; 0: all that the process may use. The solver never uses more than that or than the program's
  /// tbb::global_control allows; AnalyzeReport::device states how many the host backend uses.
  int threads = 0;
  int device = -1;  ///< CUDA device; −1: the calling thread's current device.
  /// CUDA devices that factorize and solve together, for Form::llt and CudaSchedule::levels without `deterministic` and
  /// `trace`, with plain memory of CUDA; empty: Options::device alone. The first holds the vectors of refinement, and the
  /// stream of the solver belongs to it.
  /// A device may be listed several times, for tests. The host backend ignores them. docs/devices.md says when several pay.
  std::vector<int> devices;
  FactorMemory memory = FactorMemory::automatic;  ///< Where a CUDA device keeps the factor.
  /// Most bytes of device memory that a solver may take on CUDA; 0: what is free. Vectors for several right-hand sides
  /// (Solver::reserve_right_hand_sides) come in addition.
  std::int64_t device_memory_limit = 0;
  int streams = 4;  ///< CUDA streams, 1 to 32, for tasks (`streams`) or for products that are needed late (`levels`).
  /// Device whose figures CUDA plans are made for: a name that the library knows ("H200", "H100"). Empty: the device
  /// found, else the H200. Solver::preview uses it to estimate a device's needs on a machine without one.
  std::string device_profile;

  CudaSchedule cuda_schedule = CudaSchedule::levels;  ///< CUDA schedule for wide supernodes.

  Refinement refinement;     ///< For solves with System::a; from the next factorize on.
  bool check_finite = true;  ///< Report NaN and Inf in A as a status with its position.
  /// Make every factorization of equal values on one device bitwise reproducible (CudaSchedule::levels). Factorizations
  /// on the host, and all solves, always are. docs/schedules.md states the cost.
  bool deterministic = false;
  /// Refuse NaN and Inf in right-hand sides in host memory, naming row and right-hand side. In device memory, or if
  /// this is off, they propagate to x.
  bool check_right_hand_sides = true;

  std::shared_ptr<Allocator> host_allocator;    ///< nullptr: aligned operator new.
  std::shared_ptr<Allocator> device_allocator;  ///< nullptr: cudaMalloc.

  /// Record what runs where and when, for Solver::trace_json and FactorReport::regimes. While on, it takes 96 bytes of
  /// host memory per task; on CUDA it also takes device memory and times each launch by events, which slows down small
  /// factorizations. See docs/observability.md.
  bool trace = false;

  /// Called between the steps of analyze, from the calling thread; return false to cancel (analyze throws Cancelled).
  /// Its exceptions propagate out of analyze. It may use other solvers but must not call members of the solver that
  /// calls it; this also holds for factor_progress.
  std::function<bool(const Progress&)> progress;
  /// Called in factorize and refactorize, from the calling thread, with the fraction of the flops done: first 0, then in
  /// steps of about 1 % (CUDA: 5 %; LU by columns on CUDA: no steps), finally 1. Return false to cancel: Cancelled is
  /// thrown, no factor exists, and the next factorize works. Acts from the next factorize on. If set, CUDA waits for the
  /// device up to twenty times in each factorize that is not captured in a graph; if not set, it costs nothing.
  std::function<bool(const Progress&)> factor_progress;
};

}  // namespace gpusupernodal
