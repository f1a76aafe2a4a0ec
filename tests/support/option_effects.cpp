#include "tests/support/option_effects.hpp"

#include <cstddef>
#include <new>
#include <numeric>
#include <utility>

#include "gpusupernodal/plan_cache.hpp"

namespace gpusupernodal::test {
namespace {

constexpr std::int64_t order = 144;

class CountingAllocator final : public Allocator {
 public:
  explicit CountingAllocator(std::shared_ptr<int> calls) : calls_(std::move(calls)) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    ++*calls_;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  void deallocate(void* pointer, std::size_t, std::size_t alignment) noexcept override {
    ::operator delete(pointer, std::align_val_t(alignment));
  }

 private:
  std::shared_ptr<int> calls_;
};

void nothing(Options&) {}

std::function<bool(const Progress&)> counting(const OptionTrial& trial) {
  return [calls = trial.calls](const Progress&) { return ++*calls > 0; };
}

bool has_another_plan(OptionTrial& trial) { return trial.solver().plan() != trial.first_plan; }
bool was_called(OptionTrial& trial) { return *trial.calls > 0; }

std::vector<std::int64_t> rows_in_order() {
  std::vector<std::int64_t> rows(order);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

OptionEffect of_the_plan(std::string option, std::function<void(Options&)> change,
                         std::function<void(Options&)> base = nothing) {
  return {std::move(option), Acts::next_analyze, std::move(base),
          [change = std::move(change)](Options& o, OptionTrial&) { change(o); }, has_another_plan};
}

std::vector<OptionEffect> effects_on_the_plan() {
  const auto user = [](Options& o) {
    o.ordering = Ordering::user;
    o.permutation = rows_in_order();
  };
  return {of_the_plan("ordering", [](Options& o) { o.ordering = Ordering::natural; }),
          of_the_plan(
              "permutation", [](Options& o) { std::swap(o.permutation.front(), o.permutation.back()); }, user),
          of_the_plan("last_rows", [](Options& o) { o.last_rows = {{3}}; }),
          of_the_plan("ordering_seed", [](Options& o) { o.ordering_seed = 7; }),
          of_the_plan("expected_factorizations", [](Options& o) { o.expected_factorizations = 1; }),
          of_the_plan("merging", [](Options& o) { o.merging = Merging::none; }),
          of_the_plan(
              "merge_width", [](Options& o) { o.merge_width = 2; }, [](Options& o) { o.merging = Merging::narrow; }),
          of_the_plan("block_width", [](Options& o) { o.block_width = 16; })};
}

std::vector<OptionEffect> other_effects_of_analyze() {
  return {
      {"backend", Acts::next_analyze, nothing, [](Options& o, OptionTrial&) { o.backend = Backend::cuda; },
       [](OptionTrial& t) { return t.refused || t.solver().backend() == Backend::cuda; }},
      {"form", Acts::next_analyze, nothing, [](Options& o, OptionTrial&) { o.form = Form::lu; },
       [](OptionTrial& t) { return t.refused || has_another_plan(t); }},
      {"plan_cache", Acts::next_analyze, nothing, [](Options& o, OptionTrial&) { o.plan_cache = false; },
       [](OptionTrial& t) { return t.solver().analyze_report().plan_source == PlanSource::analyzed; }},
      // From two threads to one, because the machine may have only two cores.
      {"threads", Acts::next_analyze, nothing, [](Options& o, OptionTrial&) { o.threads = 1; },
       [](OptionTrial& t) { return t.solver().analyze_report().device.find("1 thread") == 0; }},
      {"check_finite", Acts::next_analyze, nothing, [](Options& o, OptionTrial&) { o.check_finite = false; },
       [](OptionTrial& t) { return !t.subject->tells_nan_in_matrix(); }},
      {"host_allocator", Acts::next_analyze, nothing,
       [](Options& o, OptionTrial& t) { o.host_allocator = std::make_shared<CountingAllocator>(t.calls); }, was_called},
      {"trace", Acts::next_analyze, nothing, [](Options& o, OptionTrial&) { o.trace = true; },
       [](OptionTrial& t) {
         try {
           return !t.solver().trace_json().empty();
         } catch (const InvalidState&) {
           return false;
         }
       }},
      {"progress", Acts::next_analyze, nothing, [](Options& o, OptionTrial& t) { o.progress = counting(t); }, was_called}};
}

bool refined(OptionTrial& trial) {
  trial.subject->solve();
  return trial.solver().solve_report().backward_error >= 0.0;
}
bool stepped(OptionTrial& trial) {
  trial.subject->solve();
  return trial.solver().solve_report().refinement_steps > 0;
}

std::vector<OptionEffect> later_effects() {
  const auto any_error_will_do = [](Options& o) {
    o.refinement.max_steps = 3;
    o.refinement.backward_error = 1.0;
  };
  const auto on = [](Options& o) { o.refinement.max_steps = 3; };
  return {
      {"refinement", Acts::next_factorize, nothing, [](Options& o, OptionTrial&) { o.refinement.max_steps = 3; }, refined},
      {"refinement", Acts::next_factorize, on, [](Options& o, OptionTrial&) { o.refinement.max_steps = 0; },
       [](OptionTrial& t) { return !refined(t); }},
      {"refinement", Acts::next_factorize, any_error_will_do,
       [](Options& o, OptionTrial&) { o.refinement.backward_error = 0.0; }, stepped},
      {"refinement", Acts::next_factorize, on, [](Options& o, OptionTrial&) { o.refinement.backward_error = 1.0; },
       [](OptionTrial& t) { return !stepped(t); }},
      {"factor_progress", Acts::next_factorize, nothing, [](Options& o, OptionTrial& t) { o.factor_progress = counting(t); },
       was_called},
      {"check_right_hand_sides", Acts::next_solve, [](Options& o) { o.check_right_hand_sides = false; },
       [](Options& o, OptionTrial&) { o.check_right_hand_sides = true; },
       [](OptionTrial& t) { return t.subject->refuses_nan_in_right_hand_side(); }},
      {"check_right_hand_sides", Acts::next_solve, [](Options& o) { o.check_right_hand_sides = true; },
       [](Options& o, OptionTrial&) { o.check_right_hand_sides = false; },
       [](OptionTrial& t) { return !t.subject->refuses_nan_in_right_hand_side(); }}};
}

void analyze_unless_refused(OptionTrial& trial) {
  try {
    trial.subject->analyze();
  } catch (const BackendUnavailable&) {
    trial.refused = true;
    return;
  } catch (const InvalidInput&) {  // Form::lu, because the subjects give one half of A.
    trial.refused = true;
    return;
  }
  trial.subject->factorize();
  trial.subject->solve();
}

}  // namespace

std::vector<OptionEffect> option_effects() {
  std::vector<OptionEffect> all = effects_on_the_plan();
  for (const auto& part : {other_effects_of_analyze(), later_effects()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<std::string> options_of_cuda_alone() {
  return {"device",         "devices",       "memory",        "device_memory_limit", "streams",
          "device_profile", "cuda_schedule", "deterministic", "device_allocator"};
}

std::vector<std::string> options_of_lu_alone() { return {"symmetry", "matching", "lu_schedule", "repivot", "perturbation"}; }

std::vector<std::string> option_names() {
  const Options defaults;
  const auto& [backend, form, symmetry, matching, lu_schedule, repivot, perturbation, ordering, permutation, last_rows,
               ordering_seed, expected_factorizations, plan_cache, merging, merge_width, block_width, threads, device,
               devices, memory, device_memory_limit, streams, device_profile, cuda_schedule, refinement, check_finite,
               deterministic, check_right_hand_sides, host_allocator, device_allocator, trace, progress, factor_progress] =
      defaults;
  static_cast<void>(backend);
  return {"backend",
          "form",
          "symmetry",
          "matching",
          "lu_schedule",
          "repivot",
          "perturbation",
          "ordering",
          "permutation",
          "last_rows",
          "ordering_seed",
          "expected_factorizations",
          "plan_cache",
          "merging",
          "merge_width",
          "block_width",
          "threads",
          "device",
          "devices",
          "memory",
          "device_memory_limit",
          "streams",
          "device_profile",
          "cuda_schedule",
          "refinement",
          "check_finite",
          "deterministic",
          "check_right_hand_sides",
          "host_allocator",
          "device_allocator",
          "trace",
          "progress",
          "factor_progress"};
}

std::vector<std::string> wrong_effects(const OptionEffect& effect, OptionSubject& subject) {
  std::vector<std::string> wrong;
  OptionTrial trial;
  trial.subject = &subject;
  const auto look = [&](const char* when, bool expected) {
    if (effect.acted(trial) != expected) wrong.push_back(effect.option + (expected ? " has not acted " : " acted ") + when);
  };
  clear_plan_cache();
  Options options;
  options.backend = Backend::host;
  options.threads = 2;
  effect.base(options);
  subject.set(options);
  // Analyzes twice, so that the second plan comes from the cache.
  for (int repetition = 0; repetition < 2; ++repetition) analyze_unless_refused(trial);
  trial.first_plan = subject.solver().plan();
  look("before it was changed", false);
  effect.change(options, trial);
  subject.set(options);
  subject.solve();
  look("by the next solve", effect.acts == Acts::next_solve);
  subject.factorize();
  subject.solve();
  look("by the next factorize", effect.acts != Acts::next_analyze);
  analyze_unless_refused(trial);
  look("by the next analyze", true);
  return wrong;
}

}  // namespace gpusupernodal::test
