// operator new and delete of the test program.
#include "failing_allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local int left = -1;  // allocations that still succeed; negative: all
constexpr int kMost = 4096;
void* watched[kMost];
int count = 0;

}  // namespace

FailingAllocations::FailingAllocations(int allowed) { left = allowed; }
FailingAllocations::~FailingAllocations() { left = -1; }
int FailingAllocations::living() { return count; }

void* operator new(std::size_t bytes) {
  if (left == 0) throw std::bad_alloc();
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (left > 0) {
    --left;
    if (count < kMost) watched[count++] = memory;
  }
  return memory;
}

// What the standard library may have instead: memory of one kind, which the operator below gives back.
void* operator new(std::size_t bytes, const std::nothrow_t& /*no exception*/) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept {
  for (int i = 0; i < count; ++i) {
    if (watched[i] == memory && memory != nullptr) {
      watched[i] = watched[--count];
      break;
    }
  }
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept { operator delete(memory); }
