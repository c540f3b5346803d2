// The queue of batches, and what is done on the CPU where a device fails.
#include "corsika_runtime/cherenkov/deferred_light.hpp"

#include <chrono>
#include <cstdio>
#include <exception>

#include "ranmar/generator.hpp"

namespace cherenkov::corsika {

// Nothing where there is no device, or no longer.
template <class Work>
void DeferredLight::on_device(Work&& work) {
  if (device_ == nullptr) return;
  try {
    work();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cherenkov: %s; going on on the CPU\n", e.what());
    failed_ = std::move(device_);  // its memory still holds segments
    own_.resize(kBatchSegments);
  }
}

void DeferredLight::begin(const ranmar::State<ranmar::Form48>& start, ArrayGeometry geometry) {
  start_ = start;
  geometry_ = std::move(geometry);
  on_device([&] { device_->begin_event(start_, geometry_); });
}

void DeferredLight::add(const StepSegment& segment) {
  const std::uint64_t end = segment.first_azimuth_number + static_cast<std::uint64_t>(segment.bunches);
  if (filling_.count == kBatchSegments || (filling_.count > 0 && end - filling_.first > kBatchNumbers))
    submit();
  if (filling_.segments == nullptr) {
    on_device([&] { filling_.segments = device_->segments(); });
    if (device_ == nullptr) filling_.segments = own_.data();
  }
  if (filling_.count == 0) filling_.first = segment.first_azimuth_number;
  filling_.segments[filling_.count++] = segment;
  filling_.end = end;
}

void DeferredLight::add(const Bunch& bunch) { filling_.bunches.emplace_back(filling_.count, bunch); }

void DeferredLight::submit() {
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

void DeferredLight::flush() {
  if (filling_.count > 0 || !filling_.bunches.empty()) submit();
  while (!under_way_.empty()) retire_oldest();
}

void DeferredLight::retire_oldest() {
  const Batch batch = std::move(under_way_.front());
  under_way_.pop_front();
  candidates_.clear();
  bool told = batch.count == 0;
  if (batch.submitted) {
    const auto begin = std::chrono::steady_clock::now();
    on_device([&] { told = device_->wait(candidates_); });
    wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  if (!told) choose_here(batch);
  follow(batch);
}

void DeferredLight::choose_here(const Batch& batch) {
  candidates_.clear();
  ranmar::Generator<ranmar::Form48> generator(ranmar::Backend::kSimd, 1);
  generator.set_state(1, start_);
  generator.skip(1, static_cast<std::int64_t>(batch.first));
  std::vector<double> numbers(batch.end - batch.first);
  generator.fill(1, numbers.data(), numbers.size());
  choose_on_host({batch.segments, static_cast<std::size_t>(batch.count)}, numbers, batch.first, geometry_,
                 candidates_);
}

void DeferredLight::follow(const Batch& batch) {
  auto next = candidates_.cbegin();
  const auto follow_before = [&](int segment) {
    while (next != candidates_.cend() && next->segment < segment) {
      const auto first = next;
      while (next != candidates_.cend() && next->segment == first->segment) ++next;
      follow_.chosen(batch.segments[first->segment], std::span(first, next));
    }
  };
  for (const auto& [behind, bunch] : batch.bunches) {
    follow_before(behind);
    follow_.bunch(bunch);
  }
  follow_before(batch.count);
}

}  // namespace cherenkov::corsika
