// operator new of the test program, which fails on demand.
#include <cstdlib>
#include <new>

thread_local int allocations_left = -1;  // that still succeed, in this thread; negative: all

void* operator new(std::size_t bytes) {
  void* memory = allocations_left == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  return memory;
}

// What the standard library may have instead: memory of one kind, which the operator below gives back.
void* operator new(std::size_t bytes, const std::nothrow_t& /*no exception*/) noexcept {
  return allocations_left == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
