// Allocations of the whole test program that fail on demand.
#pragma once

/// While it lives, operator new of this thread succeeds `allowed` times and then throws std::bad_alloc.
class FailingAllocations {
 public:
  explicit FailingAllocations(int allowed);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};
