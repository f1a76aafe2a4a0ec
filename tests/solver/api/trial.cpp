#include "tests/solver/api/trial.hpp"

#include <array>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

Ended ending_of(const std::function<void()>& call) {
  try {
    call();
    return Ended::done;
  } catch (const InvalidInput&) {
    return Ended::invalid_input;
  } catch (const InvalidState&) {
    return Ended::invalid_state;
  } catch (const NumericalFailure&) {
    return Ended::numerical_failure;
  } catch (const Cancelled&) {
    return Ended::cancelled;
  } catch (const std::domain_error&) {
    return Ended::callback_threw;
  } catch (const OutOfMemory&) {
    return Ended::no_memory;
  } catch (const std::bad_alloc&) {
    return Ended::no_memory;
  }
}

}  // namespace

template <class T>
Trial<T>::Trial(std::uint64_t seed) : random_(seed) {
  for (const io::SymmetricMatrix& a : {diagonal_spd(0), diagonal_spd(1), diagonal_spd(7), chain_spd(2),
                                       random_spd(30, 70, 6), random_spd(61, 300, 8), dense_spd(40, 3), star_spd(50, 20)})
    matrices_.push_back(rounded<T>(a));
  options_.backend = Backend::host;
  options_.threads = 2;
  options_.host_allocator = allocator_;
  solver_.set_options(options_);
}

template <class T>
void Trial<T>::step() {
  const std::array<void (Trial::*)(), 12> calls{
      &Trial::change_options, &Trial::change_options, &Trial::analyze, &Trial::compute, &Trial::factorize, &Trial::factorize,
      &Trial::factorize,      &Trial::refuse,         &Trial::solve,   &Trial::solve,   &Trial::look,      &Trial::move};
  (this->*calls[static_cast<std::size_t>(number(calls.size()))])();
  SCOPED_TRACE(history_);
  check_state();
}

/// Runs the call, sometimes in another thread and sometimes with a failing allocator.
template <class T>
Ended Trial<T>::attempt(const std::string& name, const std::function<void()>& call) {
  history_ += " " + name;
  const bool fails = chance(25);
  allocator_->throws = chance(50);
  allocator_->faults.arm(fails ? 1 + number(6) : 0, chance(50) ? Lasting::once : Lasting::from_then_on);
  stop_.fired = false;
  Ended ended = Ended::done;
  if (chance(30)) {
    std::thread([&] { ended = ending_of(call); }).join();
  } else {
    ended = ending_of(call);
  }
  allocator_->faults.disarm();
  const std::array<const char*, 7> names{"", "!input", "!state", "!numerical", "!cancelled", "!callback", "!memory"};
  history_ += names[static_cast<std::size_t>(ended)];
  return ended;
}

template <class T>
std::function<bool(const Progress&)> Trial<T>::callback(bool in_factorize) {
  return [this, in_factorize](const Progress&) {
    if (stop_.in_factorize != in_factorize || stop_.calls_left < 0 || stop_.calls_left-- != 0) return true;
    stop_.fired = true;
    if (stop_.throws) throw std::domain_error("the caller's own");
    return false;
  };
}

template <class T>
void Trial<T>::change_options() {
  options_.refinement.max_steps = chance(50) ? 0 : static_cast<int>(number(4));
  options_.refinement.backward_error = chance(50) ? 0.0 : 1.0;
  options_.check_right_hand_sides = chance(50);
  options_.check_finite = chance(80);
  options_.trace = chance(20);
  options_.threads = 1 + static_cast<int>(number(3));
  options_.ordering = static_cast<Ordering>(number(5));
  options_.merging = static_cast<Merging>(number(3));
  options_.block_width = chance(50) ? 0 : 8;
  options_.progress = chance(50) ? callback(false) : nullptr;
  options_.factor_progress = chance(50) ? callback(true) : nullptr;
  stop_ = {chance(40) ? static_cast<int>(number(8)) : -1, chance(50), chance(50), false};
  EXPECT_EQ(attempt("set_options", [&] { solver_.set_options(options_); }), Ended::done);
  if (chance(50)) return;
  pending_ = {static_cast<double>(number(4)), chance(10) ? -1.0 : (chance(50) ? 1.0 : 0.5)};
  if (pending_.scale < 0.0) pending_.offset = 0.0;
  EXPECT_EQ(attempt("set_shift", [&] { solver_.set_shift(pending_.offset, pending_.scale); }), Ended::done);
}

template <class T>
StoredMatrix<T> Trial<T>::random_form(std::size_t matrix) {
  const std::vector<Form> forms = all_forms();
  return store<T>(matrices_[matrix], forms[static_cast<std::size_t>(number(static_cast<std::int64_t>(forms.size())))]);
}

/// Offsets and indices have equal or different widths. Empty arrays may be null.
template <class T>
MatrixView<T> Trial<T>::view_of(const StoredMatrix<T>& a) {
  MatrixView<T> view = a.view();
  if (chance(30)) view.offsets = a.form.wide ? IndexArray(a.narrow_offsets.data()) : IndexArray(a.offsets.data());
  if (a.values.empty() && chance(50)) view.indices = IndexArray();
  if (a.n == 0 && chance(50)) view.offsets = IndexArray();
  return view;
}

template <class T>
void Trial<T>::model_analysis(std::size_t matrix, const StoredMatrix<T>& a) {
  analyzed_ = true;
  matrix_ = matrix;
  stored_ = a;
  analyzed_options_ = options_;
  keeps_a_ = options_.refinement.max_steps > 0;
  factorized_ = false;
  factorizations_ = 0;
  last_solve_ = SolveReport();
}

template <class T>
void Trial<T>::analyze() {
  const auto matrix = static_cast<std::size_t>(number(static_cast<std::int64_t>(matrices_.size())));
  const StoredMatrix<T> a = random_form(matrix);
  const MatrixView<T> view = view_of(a);
  Ended ended;
  if (chance(30)) {
    Solver<T> other(on(Backend::host));
    other.analyze(view);
    if (chance(50)) {
      ended = attempt("analyze_with_plan", [&] { solver_.analyze(view, other.plan()); });
    } else {
      const TemporaryFile file;
      save_plan(*other.plan(), file.path());
      ended = attempt("load_plan", [&] { solver_.load_plan(view, file.path()); });
    }
  } else {
    ended = attempt("analyze", [&] { solver_.analyze(view); });
  }
  if (ended == Ended::done) model_analysis(matrix, a);
  const bool requested = stop_.fired && !stop_.in_factorize;
  EXPECT_EQ(ended == Ended::cancelled, requested && !stop_.throws) << history_;
  EXPECT_EQ(ended == Ended::callback_threw, requested && stop_.throws) << history_;
  EXPECT_TRUE(ended == Ended::done || requested || ended == Ended::no_memory) << history_;
}

template <class T>
void Trial<T>::compute() {
  const auto matrix = static_cast<std::size_t>(number(static_cast<std::int64_t>(matrices_.size())));
  const StoredMatrix<T> a = random_form(matrix);
  MatrixView<T> view = view_of(a);
  const bool without_values = chance(15) && !a.values.empty();
  if (without_values) view.values = nullptr;
  const Ended ended = attempt("compute", [&] { solver_.compute(view); });
  const bool in_analysis = (stop_.fired && !stop_.in_factorize) || ended == Ended::no_memory || without_values;
  EXPECT_TRUE(ended == Ended::invalid_input || !without_values || stop_.fired || ended == Ended::no_memory) << history_;
  if (in_analysis) return;
  model_analysis(matrix, a);
  values_to_come_ = {};
  model_factorize(ended, a.values, "compute");
}

/// The analyzed values times 1 or 2, optionally with one NaN.
template <class T>
std::vector<T> Trial<T>::random_values() {
  std::vector<T> values = stored_.values;
  values_to_come_ = {chance(30) ? 2.0 : 1.0, false};
  for (T& value : values) value *= static_cast<T>(values_to_come_.factor);
  // Not for a full matrix: the entry could lie in the half that is not read, which is NaN in any case.
  if (!values.empty() && stored_.form.part != StoredPart::full && chance(10)) {
    values[static_cast<std::size_t>(number(static_cast<std::int64_t>(values.size())))] = std::numeric_limits<T>::quiet_NaN();
    values_to_come_.nan = true;
  }
  return values;
}

template <class T>
void Trial<T>::factorize() {
  const std::vector<T> values = random_values();
  const bool alone = chance(50);
  MatrixView<T> view = view_of(stored_);
  view.values = values.data();
  const Ended ended =
      attempt(alone ? "refactorize" : "factorize", [&] { alone ? solver_.refactorize(values) : solver_.factorize(view); });
  if (!analyzed_) {
    EXPECT_EQ(ended, Ended::invalid_state) << history_;
    return;
  }
  if (ended == Ended::no_memory) {
    EXPECT_NE(keeps_a_, options_.refinement.max_steps > 0) << "it takes memory for refinement alone" << history_;
    return;
  }
  model_factorize(ended, values, "factorize");
}

template <class T>
void Trial<T>::model_factorize(Ended ended, const std::vector<T>& values, const std::string& name) {
  const bool requested = stop_.fired && stop_.in_factorize;
  EXPECT_EQ(ended, !requested ? Ended::done : (stop_.throws ? Ended::callback_threw : Ended::cancelled)) << name << history_;
  keeps_a_ = options_.refinement.max_steps > 0;
  factorized_ = ended == Ended::done;
  if (!factorized_) return;
  ++factorizations_;
  values_ = values;
  shift_ = pending_;
  refinement_ = options_.refinement;
  known_ = values_to_come_;
  status_ = (shift_.scale < 0.0 || known_.nan) && stored_.n > 0 ? Status::not_positive_definite : Status::success;
  if (known_.nan && analyzed_options_.check_finite) status_ = Status::non_finite_input;
}

/// Makes an invalid call, which must throw and change nothing.
template <class T>
void Trial<T>::refuse() {
  const StoredMatrix<T> other = stored<T>(chain_spd(stored_.n + 3));
  MatrixView<T> no_values = stored_.view();
  no_values.values = nullptr;
  std::vector<T> x(static_cast<std::size_t>(stored_.n) + 1, T(1));
  const DenseView<T> too_long(x.data(), stored_.n + 1);
  Options wrong = options_;
  wrong.streams = 0;
  const std::vector<std::function<void()>> calls{
      [&] { solver_.factorize(other.view()); },
      [&] { solver_.factorize(no_values); },
      [&] { solver_.refactorize(Span<const T>(x.data(), stored_.values.size() + 1)); },
      [&] { solver_.solve(too_long, too_long); },
      [&] { solver_.set_options(wrong); },
      [&] { solver_.set_shift(HUGE_VAL); },
      [&] { solver_.reserve_right_hand_sides(0); },
      [&] { solver_.load_plan(other.view(), "no such file"); },
      [&] { solver_.analyze(other.view(), nullptr); }};
  const std::int64_t which = number(static_cast<std::int64_t>(calls.size()));
  if (which == 1 && stored_.values.empty()) return;
  const Ended ended = attempt("refused" + std::to_string(which), calls[static_cast<std::size_t>(which)]);
  Ended expected = Ended::invalid_input;
  if (which < 3 && !analyzed_) expected = Ended::invalid_state;
  if (which == 3 && expected_without_factor() != Ended::done) expected = expected_without_factor();
  EXPECT_EQ(ended, expected) << history_;
}

template <class T>
void Trial<T>::move() {
  history_ += " move";
  Solver<T> elsewhere(std::move(solver_));
  if (chance(30)) {
    Solver<T> other(on(Backend::host));
    other.compute(stored<T>(matrices_[4]).view());
    solver_ = std::move(other);
    expect_solves(solver_, matrices_[4]);
  }
  solver_ = std::move(elsewhere);
}

template class Trial<float>;
template class Trial<double>;

}  // namespace gpusupernodal::test
