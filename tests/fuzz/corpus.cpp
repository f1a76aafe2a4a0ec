#include "tests/fuzz/corpus.hpp"

#include <charconv>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace gpusupernodal::fuzz {

std::vector<std::vector<std::uint8_t>> read_corpus(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<std::vector<std::uint8_t>> inputs;
  std::string line;
  while (std::getline(file, line)) {
    std::vector<std::uint8_t>& input = inputs.emplace_back(line.size() / 2);
    for (std::size_t i = 0; i < input.size(); ++i) {
      const char* const digits = line.data() + 2 * i;
      if (std::from_chars(digits, digits + 2, input[i], 16).ptr != digits + 2) {
        throw std::runtime_error(path + ":" + std::to_string(inputs.size()) + ": not hexadecimal digits");
      }
    }
  }
  return inputs;
}

}  // namespace gpusupernodal::fuzz
