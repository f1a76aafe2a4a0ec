#include "solver/sparse/format_model.hpp"

#include <gtest/gtest.h>

#include "io/symmetric_matrix.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

RowPattern half_of(const std::string& spec) {
  const io::SymmetricMatrix a = io::generate(spec);
  return make_row_pattern({a.n, a.n, a.offsets.data(), a.indices.data(), StoredPart::lower, Compression::columns});
}

/// The pattern as a general matrix.
RowPattern full_of(const std::string& spec) {
  RowPattern pattern = half_of(spec);
  pattern.symmetric = false;
  return pattern;
}

const LayoutWish on_device{Format::automatic, Backend::cuda, 8};

/// The models state what the layouts store; only columns that do not fit 16 bits cost more than predicted.
TEST(FormatModel, StatesWhatLayoutsStore) {
  std::vector<Entries> matrices = general_matrices();
  for (const Backend backend : {Backend::host, Backend::cuda}) {
    for (const Entries& a : matrices) {
      if (a.of.empty() || a.columns > 65536) continue;
      const Stored<double> stored = store<double>(a);
      const RowPattern pattern = make_row_pattern(stored.pattern());
      for (const LayoutCandidate& candidate : layout_candidates(pattern, {Format::automatic, backend, 8})) {
        if (!candidate.refusal.empty()) continue;
        const SparseLayout layout = candidate.make();
        double values = static_cast<double>(layout.stored_values);
        for (const SparseLayout& rest : layout.rest) values += static_cast<double>(rest.stored_values);
        const double padded = layout.format == Format::hyb ? 32.0 * candidate.shape.steps : 0.0;  // Rows of the last slice.
        EXPECT_LE(std::abs(candidate.shape.stored_values - values), padded) << a.name << ", " << candidate.kernel;
        if (layout.format == Format::hyb || layout.format == Format::coo) continue;
        const double bytes =
            8.0 * values + static_cast<double>(layout.index_bytes()) + 8.0 * static_cast<double>(a.rows + a.columns);
        EXPECT_NEAR(candidate.shape.bytes, bytes, 64.0 + 4.0 * static_cast<double>(candidate.shape.steps))
            << a.name << ", " << candidate.kernel;
        EXPECT_GT(candidate.seconds, 0.0);
      }
    }
  }
}

TEST(FormatModel, ChoosesByBytesOnLargeMatrices) {
  EXPECT_EQ(layout_candidates(half_of("lap3d:40"), on_device).front().format, Format::dia);
  EXPECT_EQ(layout_candidates(full_of("elas:20"), on_device).front().format, Format::block);
  EXPECT_EQ(layout_candidates(full_of("shell:60"), on_device).front().format, Format::block);
}

TEST(FormatModel, TakesCooForAnExtremelyLongRow) {
  const Stored<double> stored = store<double>(one_dense_row(60000));
  const auto candidates = layout_candidates(make_row_pattern(stored.pattern()), on_device);
  EXPECT_TRUE(candidates.front().format == Format::coo || candidates.front().format == Format::hyb)
      << candidates.front().kernel;
}

TEST(FormatModel, PredictsMoreTimeForMoreBytesAndForLessCache) {
  const KernelFigures kernel{1e-6, 1e-8, 0.9, 1e-10, 1e-11};
  const MachineFigures machine{4e12, 8e12, 3e7};
  double before = 0.0;
  for (double bytes = 1e5; bytes < 1e10; bytes *= 1.3) {
    const StoredShape shape{bytes / 12.0, bytes, 0.0, 10.0, 1000.0, 10000.0};
    const double seconds = predicted_seconds(shape, kernel, machine);
    EXPECT_GE(seconds, before) << bytes;
    EXPECT_GE(seconds, kernel.start + bytes / machine.cache_rate);
    before = seconds;
  }
  EXPECT_NEAR(before, 1e10 / 4e12 / 0.9, 0.3 * before);
}

LayoutCandidate only_candidate(const RowPattern& pattern, Format format, const ProductFigures& figures) {
  return layout_candidates(pattern, {format, Backend::host, 8, 1, std::make_shared<const ProductFigures>(figures)}).front();
}

/// On the host each diagonal costs a run of a loop for a few hundred rows, and those of a half are run twice.
TEST(FormatModel, CountsRunsAlongDiagonalsOnTheHost) {
  const RowPattern half = half_of("elas:12"), full = full_of("elas:12");
  const auto& figures = built_in_figures(Backend::host);
  const StoredShape of_half = only_candidate(half, Format::dia, figures).shape;
  const StoredShape of_full = only_candidate(full, Format::dia, figures).shape;
  constexpr double rows = 5184.0, diagonals = 99.0, runs = 11.0;  // 5184 rows, 512 at once.
  EXPECT_EQ(of_full.warps, diagonals * runs);
  EXPECT_EQ(of_half.warps, diagonals * runs);
  EXPECT_GE(of_full.warp_steps, diagonals * rows);
  EXPECT_EQ(of_half.warp_steps, of_full.warp_steps);
  EXPECT_LT(of_half.bytes, 0.6 * of_full.bytes);
}

/// A kernel that multiplies slowly loses to one that moves more bytes, unless many threads share the multiplications.
TEST(FormatModel, WeighsMultiplicationsByThreads) {
  StoredShape shape{353736.0, 4.3e6, 0.0, 81.0, 5184.0, 353736.0};
  const KernelFigures kernel{1e-7, 0.0, 1.0, 1e-9, 1e-9};
  const MachineFigures machine{1e11, 5e10, 3e7, 5e10, 0.0};
  const double one = predicted_seconds(shape, kernel, machine);
  EXPECT_GE(one, 1e-9 * shape.warp_steps);
  double before = one;
  for (int workers = 2; workers <= 16; workers *= 2) {
    shape.workers = workers;
    const double seconds = predicted_seconds(shape, kernel, machine);
    EXPECT_LT(seconds, before) << workers;
    EXPECT_GE(seconds, (one - kernel.start) / workers) << workers;
    before = seconds;
  }
}

/// One thread and several round alike, so they must take the same format: of five diagonals, DIA is predicted to be the
/// fastest with one thread and CSR with several.
TEST(FormatModel, ChoosesTheSameForAnyNumberOfThreads) {
  Entries a{"five diagonals", 10000, 10000, {}};
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (const std::int64_t distance : {0, 1, 2}) {
      if (i >= distance) a(i, i - distance) = a(i - distance, i) = 1.0;
    }
  }
  const Stored<double> stored = store<double>(a, Compression::rows, StoredPart::lower);
  for (const bool symmetric : {false, true}) {
    RowPattern pattern = make_row_pattern(stored.pattern());
    pattern.symmetric = symmetric;
    const auto kernels = [&](int threads) {
      std::vector<std::string> names;
      for (const LayoutCandidate& one : layout_candidates(pattern, {Format::automatic, Backend::host, 8, threads}))
        names.push_back(one.kernel);
      return names;
    };
    const std::vector<std::string> expected = kernels(1);
    for (const int threads : {0, 2, 3, 8, 64}) EXPECT_EQ(kernels(threads), expected) << threads << " threads";
  }
  for (const char* const name : {"elas:6", "elas:12", "lap2d:100", "lap3d:20", "shell:24", "lap27:14"}) {
    for (const RowPattern& pattern : {half_of(name), full_of(name)}) {
      EXPECT_EQ(layout_candidates(pattern, {Format::automatic, Backend::host, 8, 2}).front().kernel,
                layout_candidates(pattern, {Format::automatic, Backend::host, 8, 1}).front().kernel)
          << name;
    }
  }
}

/// The figures that a wish names decide, whatever the built-in ones are.
TEST(FormatModel, ChoosesByTheGivenFigures) {
  const RowPattern pattern = full_of("lap3d:12");
  ProductFigures figures = built_in_figures(Backend::host);
  figures.csr.start = figures.dia.start = 1e-3;
  figures.sell.start = figures.coo.start = figures.hyb.start = figures.block.start = 1.0;
  figures.csr.start = 1e-6;
  const auto chosen = [&] {
    const LayoutWish wish{Format::automatic, Backend::host, 8, 1, std::make_shared<const ProductFigures>(figures)};
    return layout_candidates(pattern, wish).front().format;
  };
  EXPECT_EQ(chosen(), Format::csr);
  figures.csr.start = 1.0;
  EXPECT_EQ(chosen(), Format::dia);
}

TEST(FormatModel, HybIsAsWideAsAThirdOfTheRows) {
  Entries a{"steps", 9, 20, {}};
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) a(i, j) = 1.0;
  }
  const Stored<double> stored = store<double>(a);
  const RowPattern pattern = make_row_pattern(stored.pattern());
  const auto candidates = layout_candidates(pattern, {Format::hyb, Backend::host, 8});
  EXPECT_EQ(candidates.front().kernel, "hyb, 7 wide");  // Rows 6, 7 and 8 have seven entries and more.
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
