#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/fuzz/byte_source.hpp"
#include "tests/fuzz/targets.hpp"

namespace gpusupernodal::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void replace(std::span<const std::uint8_t> content) const {
    const bool done = ftruncate(descriptor_, 0) == 0 &&
                      pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size());
    if (!done) throw std::runtime_error("writing to memory failed");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

Bytes gzip(std::span<const std::uint8_t> content) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 1, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("zlib");
  Bytes packed(deflateBound(&stream, static_cast<uLong>(content.size())) + 32);
  stream.next_in = const_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

void expect(bool holds, const char* what) {
  if (!holds) throw Finding(what);
}

/// Checks compressed columns. The rows of column j begin at j if only the lower triangle is stored, else at 0.
template <class Matrix>
void check_columns(const Matrix& a, bool lower) {
  const auto n = static_cast<std::size_t>(a.n);
  expect(a.n >= 0 && a.offsets.size() == n + 1 && a.offsets[0] == 0, "the offsets of a matrix that was read");
  expect(a.indices.size() == a.values.size(), "indices and values of different number");
  expect(a.offsets[n] == static_cast<std::int64_t>(a.indices.size()), "the last offset");
  for (std::size_t j = 0; j < n; ++j) {
    expect(a.offsets[j] <= a.offsets[j + 1], "offsets that decrease");
    std::int64_t last = lower ? static_cast<std::int64_t>(j) - 1 : -1;
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      expect(a.indices[e] > last && a.indices[e] < a.n, "rows that do not ascend within the stored part");
      last = a.indices[e];
      expect(std::isfinite(a.values[e]), "a value that is not finite");
    }
  }
}

void check(const io::SymmetricMatrix& a) { check_columns(a, true); }
void check(const io::GeneralMatrix& a) { check_columns(a, false); }

void check(const io::DenseMatrix& b) {
  expect(b.rows >= 0 && b.cols >= 0, "negative sizes");
  expect(static_cast<std::int64_t>(b.values.size()) == b.rows * b.cols, "the number of values");
  for (const double value : b.values) expect(std::isfinite(value), "a value that is not finite");
}

/// Result of reading a file: its numbers or the error's sentence.
struct Outcome {
  std::string sentence;
  std::vector<double> values;
  bool operator==(const Outcome&) const = default;
};

template <class Read>
Outcome outcome_of(const std::string& path, Read read) {
  Outcome outcome;
  try {
    auto matrix = read(path);
    check(matrix);
    outcome.values = std::move(matrix.values);
  } catch (const io::FileError& error) {
    outcome.sentence = error.what();
    expect(outcome.sentence.rfind(path + ":", 0) == 0, "a sentence that does not begin with the file");
    expect(outcome.sentence.back() == '.', "a sentence without an end");
  }
  return outcome;
}

enum class Reader { symmetric, dense, general };

Reader reader_of(std::uint8_t first) {
  if (first / 4 % 2 != 0) return Reader::dense;
  return first / 8 % 2 != 0 ? Reader::general : Reader::symmetric;
}

Outcome read_symmetric(const std::string& path) {
  return outcome_of(path, [](const std::string& p) {
    io::SymmetricMatrix a = io::read_matrix_market(p);
    const io::GeneralMatrix all = io::read_general_matrix_market(p);
    const io::GeneralMatrix expected = io::expanded(a);
    expect(all.offsets == expected.offsets && all.indices == expected.indices && all.values == expected.values,
           "a symmetric matrix that is read differently as a general one");
    return a;
  });
}

Outcome read(const MemoryFile& file, Reader reader) {
  if (reader == Reader::symmetric) return read_symmetric(file.path());
  if (reader == Reader::dense) return outcome_of(file.path(), [](const std::string& path) { return io::read_dense(path); });
  return outcome_of(file.path(), [](const std::string& path) { return io::read_general_matrix_market(path); });
}

}  // namespace

void fuzz_reader(std::span<const std::uint8_t> bytes) {
  static const MemoryFile file;
  ByteSource source(bytes);
  const std::uint8_t first = source.take();
  const int mode = first % 4;
  const Reader reader = reader_of(first);
  if (mode < 2) {
    file.replace(source.rest());
    const Outcome plain = read(file, reader);
    const bool is_gzip = source.rest().size() > 1 && source.rest()[0] == 0x1f && source.rest()[1] == 0x8b;
    if (mode == 0 || is_gzip) return;
    file.replace(gzip(source.rest()));
    expect(read(file, reader) == plain, "compressed and plain text are read differently");
    return;
  }
  const std::size_t place = source.take() * std::size_t{256} + source.take();
  const std::uint8_t change = source.take();
  Bytes packed = gzip(source.rest());
  if (mode == 2) packed.resize(place % packed.size());
  if (mode == 3) packed[place % packed.size()] ^= change;
  file.replace(packed);
  read(file, reader);
}

}  // namespace gpusupernodal::fuzz
