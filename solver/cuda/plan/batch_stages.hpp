#pragma once

/// \file
/// Divides sums into tasks that run in stages.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/common/batch_records.hpp"

namespace gpusupernodal::cuda {

/// Tasks by stage: stage s has tasks stage_first[s] … stage_first[s+1]−1. All tasks of a stage are independent, and may read
/// what earlier stages have written.
template <class Term>
struct BatchStages {
  std::vector<BatchTask> tasks;
  std::vector<Term> terms;
  std::vector<std::int32_t> stage_first{0};

  int stages() const { return static_cast<int>(stage_first.size()) - 1; }
};

/// A term, and the last stage that writes what it reads; −1 if none does.
template <class Term>
struct StagedTerm {
  std::int32_t stage = -1;
  Term term;
};

/// Places sums one after another; a sum may refer to those placed before. A long sum is divided, so that a stage does not
/// wait for one task: terms are subtracted as soon as `eager_terms` of them can be computed.
template <class Term>
class StagePlanner {
 public:
  /// Places the sum of a target, and returns the stage after which it is complete. Orders `terms` by stage. With
  /// `always`, there is a task even without terms; else the stage is then −1.
  std::int32_t place(std::int32_t target, std::vector<StagedTerm<Term>>& terms, std::int32_t pivot, bool always) {
    if (terms.empty() && !always) return -1;
    std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.stage < b.stage; });
    std::int32_t stage = -1;  // Stage of the last task for this target.
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
      const std::size_t size = i + 1 - begin;
      const bool is_ready = size >= eager_terms && terms[i + 1].stage > terms[i].stage;
      if (!is_ready && size < most_terms) continue;
      stage = std::max(terms[i].stage, stage) + 1;
      add(stage, {target, 0, static_cast<std::int32_t>(size), -1}, terms, begin);
      begin = i + 1;
    }
    stage = std::max(terms.empty() ? -1 : terms.back().stage, stage) + 1;
    add(stage, {target, 0, static_cast<std::int32_t>(terms.size() - begin), pivot}, terms, begin);
    return stage;
  }

  /// Number of terms placed so far.
  std::int64_t terms() const { return static_cast<std::int64_t>(terms_.size()); }

  /// All tasks; in each stage the longest first, so that neighbouring teams of a warp take equally long.
  BatchStages<Term> finish() {
    BatchStages<Term> result;
    for (std::vector<BatchTask>& stage : stages_) {
      std::stable_sort(stage.begin(), stage.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
      result.tasks.insert(result.tasks.end(), stage.begin(), stage.end());
      result.stage_first.push_back(static_cast<std::int32_t>(result.tasks.size()));
    }
    result.terms = std::move(terms_);
    return result;
  }

 private:
  static constexpr std::size_t eager_terms = 8;
  static constexpr std::size_t most_terms = 64;

  void add(std::int32_t stage, BatchTask task, const std::vector<StagedTerm<Term>>& terms, std::size_t begin) {
    const auto at = static_cast<std::size_t>(stage);
    if (at >= stages_.size()) stages_.resize(at + 1);
    task.first = static_cast<std::int32_t>(terms_.size());
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(task.count); ++i) terms_.push_back(terms[i].term);
    stages_[at].push_back(task);
  }

  std::vector<Term> terms_;
  std::vector<std::vector<BatchTask>> stages_;
};

}  // namespace gpusupernodal::cuda
