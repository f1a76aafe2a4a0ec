#include "tests/support/thread_fabric.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gpusupernodal::test {
namespace {

struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("another part failed") {}
};

/// A message that waits for its receiver: the memory of the sender, which is read when it is received.
struct Message {
  const void* data = nullptr;
  std::int64_t bytes = 0;
};

/// The messages on their way, in queues of each pair of parts.
class Post {
 public:
  explicit Post(int parts)
      : parts_(parts), sent_(square(parts)), broadcast_(square(parts)), pending_(static_cast<std::size_t>(parts), 0) {}

  int parts() const { return parts_; }

  void send(int from, int to, const Message& message) {
    const std::lock_guard lock(mutex_);
    if (stopped_) throw Stopped();
    sent_[place(from, to)].push_back(message);
    ++pending(from);
    changed_.notify_all();
  }
  void receive(int from, int to, void* data, std::int64_t bytes) { take(sent_[place(from, to)], from, data, bytes); }
  /// Blocks until all messages of a part have been received.
  void wait_for(int from) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || pending(from) == 0; });
    if (stopped_) throw Stopped();
  }
  void broadcast(int from, int part, void* data, std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (pending(part) > 0) throw std::logic_error("a broadcast while sends are pending");
      for (int p = 0; part == from && p < parts_; ++p) {
        if (p == part) continue;
        broadcast_[place(from, p)].push_back({data, bytes});
        ++pending(from);
      }
      changed_.notify_all();
    }
    if (part == from) {
      wait_for(from);
    } else {
      take(broadcast_[place(from, part)], from, data, bytes);
    }
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool empty() const {
    for (const int count : pending_) {
      if (count > 0) return false;
    }
    return true;
  }

 private:
  using Queue = std::deque<Message>;

  static std::size_t square(int parts) { return static_cast<std::size_t>(parts) * static_cast<std::size_t>(parts); }
  std::size_t place(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(parts_) + static_cast<std::size_t>(to);
  }
  int& pending(int from) { return pending_[static_cast<std::size_t>(from)]; }

  void take(Queue& queue, int from, void* data, std::int64_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || !queue.empty(); });
    if (stopped_) throw Stopped();
    const Message message = queue.front();
    if (message.bytes != bytes) throw std::logic_error("a message of another size");
    std::memcpy(data, message.data, static_cast<std::size_t>(bytes));
    queue.pop_front();
    --pending(from);
    changed_.notify_all();
  }

  int parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Queue> sent_;
  std::vector<Queue> broadcast_;
  std::vector<int> pending_;  ///< Messages of each part that have not been received.
  bool stopped_ = false;
};

class ThreadFabric final : public Fabric {
 public:
  ThreadFabric(Post& post, int part) : post_(post), part_(part) {}

  int parts() const override { return post_.parts(); }
  int part() const override { return part_; }
  void send(int to, const void* data, std::int64_t bytes) override {
    require_other(to);
    if (bytes > 0) post_.send(part_, to, {data, bytes});
  }
  void receive(int from, void* data, std::int64_t bytes) override {
    require_other(from);
    if (bytes > 0) post_.receive(from, part_, data, bytes);
  }
  void wait_for_sends() override { post_.wait_for(part_); }
  void broadcast(int from, void* data, std::int64_t bytes) override {
    if (bytes > 0) post_.broadcast(from, part_, data, bytes);
  }

 private:
  void require_other(int part) const {
    if (part == part_ || part < 0 || part >= parts()) throw std::logic_error("a message of a part to itself or to no part");
  }

  Post& post_;
  int part_;
};

}  // namespace

void run_parts(int parts, const std::function<void(Fabric&)>& work) {
  Post post(parts);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  std::vector<std::thread> threads;
  for (int p = 0; p < parts; ++p) {
    threads.emplace_back([&, p] {
      ThreadFabric fabric(post, p);
      try {
        work(fabric);
      } catch (const Stopped&) {
      } catch (...) {
        errors[static_cast<std::size_t>(p)] = std::current_exception();
        post.stop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  if (!post.empty()) throw std::logic_error("messages were not received");
}

}  // namespace gpusupernodal::test
