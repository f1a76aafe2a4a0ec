#include "solver/plan/plan_file.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/output_file.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t format = 2;
constexpr std::size_t version_words = 2;
constexpr std::size_t header_words = 11;
constexpr std::int64_t longest_reason = 4096;
constexpr std::uint64_t widest_block = 65536;
constexpr std::int64_t word_bytes = 8;

/// Converts between the machine's byte order and that of the file; its own inverse.
void swap_on_big_endian(std::span<std::uint64_t> words) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint64_t& word : words) word = __builtin_bswap64(word);
  }
}

/// Appends the text in `count` words, padded with zeros; a character's position does not depend on the machine.
void append_text(Words& words, const std::string& text, std::size_t count) {
  for (std::size_t w = 0; w < count; ++w) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && 8 * w + k < text.size(); ++k)
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[8 * w + k])) << (8 * k);
    words.push_back(word);
  }
}

std::string text_from(std::span<const std::uint64_t> words, std::size_t length) {
  std::string text;
  for (std::size_t k = 0; k < length; ++k) text += static_cast<char>(words[k / 8] >> (8 * (k % 8)) & 0xffU);
  return text;
}

std::uint64_t magic() {
  Words word;
  append_text(word, "gsnplan\n", 1);
  return word.front();
}

template <class Ids>
void append_ids(Words& words, const Ids& ids) {
  bool high = false;
  for (const auto id : ids) {
    const auto half = static_cast<std::uint64_t>(static_cast<std::uint32_t>(id.value));
    if (high) {
      words.back() |= half << 32U;
    } else {
      words.push_back(half);
    }
    high = !high;
  }
}

template <class Ids>
std::span<const std::uint64_t> take_ids(std::span<const std::uint64_t> words, Ids& ids, std::size_t count) {
  ids.assign(count, {});
  std::size_t k = 0;
  for (auto& id : ids) {
    id.value = static_cast<std::int32_t>(static_cast<std::uint32_t>(words[k / 2] >> (32 * (k % 2))));
    ++k;
  }
  return words.subspan((count + 1) / 2);
}

std::uint64_t checksum(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) mix(hash, word);
  return hash;
}

Words words_of(const FactorPlan& plan) {
  const std::string reason = plan.structure().symbolic_report.reason.substr(0, static_cast<std::size_t>(longest_reason));
  Words words{magic(), format};
  append_text(words, version(), version_words);
  words.push_back(static_cast<std::uint64_t>(plan.symbolic.order()));
  words.push_back(static_cast<std::uint64_t>(plan.assembly.entries_of_a));
  words.push_back(plan.structure().pattern_hash);
  words.push_back(static_cast<std::uint64_t>(plan.structure().symbolic_report.ordering));
  words.push_back(static_cast<std::uint64_t>(plan.structure().block_width));
  words.push_back(static_cast<std::uint64_t>(plan.symbolic.supernodes()));
  words.push_back(reason.size());
  append_text(words, reason, (reason.size() + 7) / 8);
  append_ids(words, plan.symbolic.first_column);
  append_ids(words, plan.symbolic.permutation.old_of_new);
  words.push_back(checksum(words));
  return words;
}

/// Header fields whose values can be checked individually.
struct Sizes {
  std::int64_t n = 0;
  std::int64_t supernodes = 0;
  std::int64_t reason = 0;
  std::uint64_t ordering = 0;
  std::uint64_t block_width = 0;

  bool possible() const {
    return ordering < ordering_names.size() && block_width <= widest_block && n >= 0 &&
           n <= std::numeric_limits<std::int32_t>::max() && supernodes >= 0 && supernodes <= n && reason >= 0 &&
           reason <= longest_reason;
  }
  std::int64_t bytes() const {
    const std::int64_t words =
        static_cast<std::int64_t>(header_words) + (reason + 7) / 8 + (supernodes + 2) / 2 + (n + 1) / 2;
    return (words + 1) * word_bytes;
  }
};

/// An open plan file and its length.
class PlanReader {
 public:
  explicit PlanReader(const std::string& path) : path_(path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) fail<InvalidInput>("the plan file {} cannot be read: {}", path, error.message());
    bytes_ = static_cast<std::int64_t>(size);
    file_.open(path, std::ios::binary);
    if (!file_) fail<InvalidInput>("the plan file {} cannot be read: {}", path, std::strerror(errno));
  }

  std::int64_t bytes() const { return bytes_; }
  std::int64_t read(std::span<std::uint64_t> words) {
    file_.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size_bytes()));
    swap_on_big_endian(words);
    return file_.gcount();
  }

 private:
  const std::string& path_;
  std::ifstream file_;
  std::int64_t bytes_ = 0;
};

[[noreturn]] void fail_length(const std::string& path, std::int64_t bytes) {
  fail<InvalidInput>("the plan file {} is damaged: its {} bytes are not as many as its header says", path, bytes);
}

/// Returns all words of the file after checking magic, format, length and checksum.
Words read_words(const std::string& path, Sizes& sizes) {
  PlanReader reader(path);
  Words words(header_words, 0);
  const std::int64_t got = reader.read(words);
  if (got < word_bytes || words[0] != magic()) fail<InvalidInput>("{} is not a plan file of gpusupernodal", path);
  if (got < static_cast<std::int64_t>(header_words) * word_bytes) fail_length(path, reader.bytes());
  if (words[1] != format) {
    fail<InvalidInput>(
        "the plan file {} has format {}, but this version of gpusupernodal ({}) reads format {}; save it again", path,
        words[1], version(), format);
  }
  sizes = {static_cast<std::int64_t>(words[4]), static_cast<std::int64_t>(words[9]), static_cast<std::int64_t>(words[10]),
           words[7], words[8]};
  if (!sizes.possible() || sizes.bytes() != reader.bytes()) fail_length(path, reader.bytes());
  words.resize(static_cast<std::size_t>(sizes.bytes() / word_bytes));
  const auto rest = std::span(words).subspan(header_words);
  if (reader.read(rest) != static_cast<std::int64_t>(rest.size_bytes())) fail_length(path, reader.bytes());
  if (checksum(std::span(words).first(words.size() - 1)) != words.back())
    fail<InvalidInput>("the plan file {} is damaged: its checksum does not fit its contents", path);
  return words;
}

}  // namespace

void write_plan_file(const FactorPlan& plan, const std::string& path) {
  Words words = words_of(plan);
  swap_on_big_endian(words);
  OutputFile file(path);
  file.write(words.data(), words.size() * sizeof(words[0]));
  if (const std::error_code error = file.commit())
    fail<InvalidInput>("the plan file {} cannot be written: {}", path, error.message());
}

StoredPlan read_plan_file(const std::string& path) {
  Sizes sizes;
  const Words words = read_words(path, sizes);
  StoredPlan plan;
  plan.path = path;
  plan.n = sizes.n;
  plan.entries = static_cast<std::int64_t>(words[5]);
  plan.pattern_hash = words[6];
  plan.ordering = static_cast<Ordering>(words[7]);
  plan.block_width = static_cast<std::int32_t>(words[8]);
  std::span<const std::uint64_t> rest = std::span(words).subspan(header_words);
  plan.reason = text_from(rest, static_cast<std::size_t>(sizes.reason));
  rest = rest.subspan(static_cast<std::size_t>((sizes.reason + 7) / 8));
  rest = take_ids(rest, plan.structure.first_column, static_cast<std::size_t>(sizes.supernodes + 1));
  take_ids(rest, plan.structure.old_of_new, static_cast<std::size_t>(sizes.n));
  return plan;
}

}  // namespace gpusupernodal
