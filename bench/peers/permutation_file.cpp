#include "bench/peers/permutation_file.hpp"

#include <fstream>

namespace gpusupernodal::bench {

StoredPermutation read_permutation(const std::string& path, std::int64_t n) {
  StoredPermutation stored;
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return stored;
  stored.old_of_new.resize(static_cast<std::size_t>(n));
  const std::streamsize bytes = static_cast<std::streamsize>(n) * static_cast<std::streamsize>(sizeof(std::int64_t));
  file.read(reinterpret_cast<char*>(stored.old_of_new.data()), bytes);
  if (file.gcount() != bytes || file.peek() != std::ifstream::traits_type::eof()) {
    throw std::runtime_error(path + " is not a permutation of this matrix's order");
  }
  std::ifstream cost(path + ".json");
  if (cost) stored.cost = Fields::parse(cost);
  return stored;
}

void write_permutation(const std::string& path, const StoredPermutation& permutation) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(permutation.old_of_new.data()),
             static_cast<std::streamsize>(permutation.old_of_new.size() * sizeof(std::int64_t)));
  std::ofstream(path + ".json") << permutation.cost.dump() << "\n";
  if (!file) throw std::runtime_error(path + " cannot be written");
}

}  // namespace gpusupernodal::bench
