#include "corsika_runtime/cherenkov/deferred.hpp"

#include <chrono>
#include <cstdio>
#include <exception>

#include "ranmar/generator.hpp"

namespace cherenkov::corsika {

// Nothing where there is no device, or no longer.
template <class Work>
void Deferred::on_device(Work&& work) {
  if (device_ == nullptr) return;
  try {
    work();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cherenkov: %s; going on on the CPU\n", e.what());
    failed_ = std::move(device_);  // its memory still holds stretches
    own_.resize(kBatchStretches);
  }
}

void Deferred::begin(const ranmar::State<ranmar::Form48>& start, Scene scene) {
  start_ = start;
  scene_ = std::move(scene);
  on_device([&] { device_->begin_event(start_, scene_); });
}

void Deferred::add(const Stretch& stretch) {
  const std::uint64_t end = stretch.azimuth + static_cast<std::uint64_t>(stretch.bunches);
  if (filling_.count == kBatchStretches || (filling_.count > 0 && end - filling_.first > kBatchNumbers))
    submit();
  if (filling_.stretches == nullptr) {
    on_device([&] { filling_.stretches = device_->stretches(); });
    if (device_ == nullptr) filling_.stretches = own_.data();
  }
  if (filling_.count == 0) filling_.first = stretch.azimuth;
  filling_.stretches[filling_.count++] = stretch;
  filling_.end = end;
}

void Deferred::add(const Bunch& bunch) { filling_.bunches.emplace_back(filling_.count, bunch); }

void Deferred::submit() {
  under_way_.push_back(std::exchange(filling_, {}));
  Batch& batch = under_way_.back();
  if (batch.count > 0) {
    ++batches_;
    on_device([&] {
      device_->submit(batch.count, batch.first, batch.end);
      batch.submitted = true;
    });
  }
  // The batch before this one frees the memory that is filled next. Without a device there is one memory for
  // all.
  while (under_way_.size() > 1 || (!under_way_.empty() && !works())) retire_oldest();
}

void Deferred::flush() {
  if (filling_.count > 0 || !filling_.bunches.empty()) submit();
  while (!under_way_.empty()) retire_oldest();
}

void Deferred::retire_oldest() {
  const Batch batch = std::move(under_way_.front());
  under_way_.pop_front();
  chosen_.clear();
  bool told = batch.count == 0;
  if (batch.submitted) {
    const auto begin = std::chrono::steady_clock::now();
    on_device([&] { told = device_->wait(chosen_); });
    wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  if (!told) choose_here(batch);
  follow(batch);
}

void Deferred::choose_here(const Batch& batch) {
  chosen_.clear();
  ranmar::Generator<ranmar::Form48> generator(ranmar::Backend::kSimd, 1);
  generator.set_state(1, start_);
  generator.skip(1, static_cast<std::int64_t>(batch.first));
  std::vector<double> numbers(batch.end - batch.first);
  generator.fill(1, numbers.data(), numbers.size());
  choose_on_host({batch.stretches, static_cast<std::size_t>(batch.count)}, numbers, batch.first, scene_,
                 chosen_);
}

void Deferred::follow(const Batch& batch) {
  auto next = chosen_.cbegin();
  const auto follow_before = [&](int stretch) {
    while (next != chosen_.cend() && next->stretch < stretch) {
      const auto first = next;
      while (next != chosen_.cend() && next->stretch == first->stretch) ++next;
      follow_.chosen(batch.stretches[first->stretch], std::span(first, next));
    }
  };
  for (const auto& [behind, bunch] : batch.bunches) {
    follow_before(behind);
    follow_.bunch(bunch);
  }
  follow_before(batch.count);
}

}  // namespace cherenkov::corsika
