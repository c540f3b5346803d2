// operator new of the test program, which fails on demand.
#include "failing_allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local int left = -1;  // allocations that still succeed; negative: all
}  // namespace

FailingAllocations::FailingAllocations(int allowed) { left = allowed; }
FailingAllocations::~FailingAllocations() { left = -1; }

void* operator new(std::size_t bytes) {
  void* memory = left == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (left > 0) --left;
  return memory;
}

// What the standard library may have instead: memory of one kind, which the operator below gives back.
void* operator new(std::size_t bytes, const std::nothrow_t& /*no exception*/) noexcept {
  return left == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
