/// \file
/// Factorizations of several devices.

#include <set>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/value_kernels.hpp"
#include "solver/cuda/run/level_progress.hpp"
#include "solver/cuda/run/ranges.hpp"
#include "solver/cuda/run/several_devices.hpp"

namespace gpusupernodal::cuda {

/// Brings A's values to all devices and resets the status of all but the first. Returns A's values on the first.
template <class T>
const void* SeveralDevices<T>::take_values(const FactorInput<T>& input) const {
  const void* values = nullptr;
  const std::int64_t count = plan_->plans.front()->structure->assembly.entries_of_a;
  each([&](const Member& member) {
    CudaExecutor<T>& executor = *member;
    executor.scale_ = input.scale;
    executor.shift_ = input.shift;
    if (&member == &members_.front()) {
      values = executor.values_on_device(input);
      return;
    }
    transfer(executor.a_, reinterpret_cast<const Number*>(input.values), count, member.main());
    reset_status(executor.reset_arguments(executor.a_, static_cast<double>(input.scale)), member.main());
  });
  if (input.space == MemorySpace::host) wait_for_all();
  return values;
}

template <class T>
void SeveralDevices<T>::factorize(const FactorInput<T>& input) {
  const Range range("factorize");
  guarded([&] {
    if (input.report_progress != nullptr) (*input.report_progress)(0.0);
    launch(input);
    if (input.report_progress == nullptr) return;
    first().wait();
    (*input.report_progress)(1.0);
  });
}

/// As CudaExecutor::launch_factorization: from the second factorization on by one graph.
template <class T>
void SeveralDevices<T>::launch(const FactorInput<T>& input) {
  const cudaStream_t main = members_.front().main();
  begin_all();
  const ResetArguments arguments = first().reset_arguments(take_values(input), static_cast<double>(input.scale));
  end_all();
  const bool plain = input.shift != Real(0) || input.report_progress != nullptr;
  if (!plain && factorized_ && !replay_.is_recorded() && !replay_.is_refused())
    replay_.record(main, arguments, [&] { run(Real(0), nullptr); });
  if (plain || !replay_.is_recorded() || !replay_.launch(arguments, main)) {
    reset_status(arguments, main);
    run(input.shift, input.report_progress);
  }
  factorized_ = factorized_ || !plain;
  first().status_known_.record(main);
  first().join();
}

/// Launches everything after the statuses have been reset.
template <class T>
void SeveralDevices<T>::run(Real shift, const ProgressCallback* report_progress) const {
  const auto top = static_cast<std::size_t>(plan_->map->first_top_level);
  const auto flops_of = [&](std::size_t level) {
    double flops = 0.0;
    for (const auto& plan : plan_->plans) flops += plan->launches.levels[level].flops;
    return flops;
  };
  double flops = 0.0;
  for (std::size_t level = 0; level < plan_->levels(); ++level) flops += flops_of(level);
  LevelProgress progress(flops, report_progress);
  const auto launched = [&](std::size_t level) {
    if (report_progress != nullptr && level + 1 < plan_->levels())
      progress.level_launched(flops_of(level), [&] { wait_for_all(); });
  };
  begin_all();
  each([&](const Member& member) {
    member->assemble_panels(shift);
    member.assembled->record(member.main());
  });
  for (std::size_t level = 0; level < top; ++level) {
    each([&](const Member& member) {
      member->runner_.begin_level(level, member->values_);
      member->runner_.end_level(level, member->values_);
    });
    launched(level);
  }
  if (top < plan_->levels()) add_contributions();
  std::vector<bool> has_sent(members_.size(), false);
  for (std::size_t level = top; level < plan_->levels(); ++level) {
    each([&](const Member& member) { member->runner_.begin_level(level, member->values_); });
    send_pieces(static_cast<std::int32_t>(level), has_sent);
    each([&](const Member& member) { member->runner_.end_level(level, member->values_); });
    launched(level);
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    receive(m, has_sent);
    if (has_sent[m]) members_[m].sent->make_wait(members_[m].main());  // Merges of inverses write into what it sends.
  }
  each([&](const Member& member) {
    member->finish_factor();
    member->copy_status();
  });
  end_all();
  for (std::size_t m = 1; m < members_.size(); ++m)
    take_failure(first().status_, members_[m]->status_, members_.front().main());
}

/// Adds what the subtrees of other devices subtract from the block columns of each. Until then, a device has summed it in
/// its copy of the top.
template <class T>
void SeveralDevices<T>::add_contributions() const {
  each([&](const Member& member) {
    member->runner_.finish_products_before(static_cast<std::size_t>(plan_->map->first_top_level));
    member.ready->record(member.main());
  });
  for (const TopContribution& c : plan_->contributions) {
    const Member& to = member(c.to);
    const DeviceGuard guard(to.device);
    member(c.from).ready->make_wait(to.main());
    add_values(top_of(c.to) + c.first, top_of(c.from) + c.first, c.count, to.main());
  }
}

/// Sends the pieces that the level's launches factorize to all other devices. If the next products of a device read pieces
/// of others, its main stream waits for all pieces that have been sent. `has_sent` says for each device whether it has sent
/// any.
template <class T>
void SeveralDevices<T>::send_pieces(std::int32_t level, std::vector<bool>& has_sent) const {
  const auto [first_piece, last_piece] = plan_->pieces_of_level(level);
  std::set<PartId> owners;
  for (std::size_t i = first_piece; i < last_piece; ++i) {
    const TopPiece& piece = plan_->pieces[i];
    const Member& owner = member(piece.owner);
    const DeviceGuard guard(owner.device);
    if (!has_sent[static_cast<std::size_t>(piece.owner.value)]) {
      has_sent[static_cast<std::size_t>(piece.owner.value)] = true;
      for (const Member& reader : members_) reader.assembled->make_wait(owner.copies->get());
    }
    if (owners.insert(piece.owner).second) {
      owner.ready->record(owner.main());
      owner.ready->make_wait(owner.copies->get());
    }
    for (PartId p : plan_->map->parts.shares.ids()) {
      if (p == piece.owner) continue;
      transfer(top_of(p) + piece.first, static_cast<const Number*>(top_of(piece.owner) + piece.first), piece.count,
               owner.copies->get());
    }
  }
  for (const PartId p : owners) {
    const Member& owner = member(p);
    const DeviceGuard guard(owner.device);
    owner.sent->record(owner.copies->get());
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (plan_->reads_others[m][static_cast<std::size_t>(level)]) receive(m, has_sent);
  }
}

/// Makes the main stream of a device wait for all pieces that others have sent.
template <class T>
void SeveralDevices<T>::receive(std::size_t reader, const std::vector<bool>& has_sent) const {
  const DeviceGuard guard(members_[reader].device);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (m != reader && has_sent[m]) members_[m].sent->make_wait(members_[reader].main());
  }
}

#define INSTANTIATE(T) template void SeveralDevices<T>::factorize(const FactorInput<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
