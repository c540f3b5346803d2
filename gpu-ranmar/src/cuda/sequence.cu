// Fills of device memory: cut into blocks, aimed by jumps, and launched.
#include <algorithm>
#include <bit>
#include <deque>
#include <stdexcept>
#include <vector>

#include "ranmar/cuda/sequence.hpp"
#include "ranmar/jump.hpp"
#include "src/cuda/check.hpp"
#include "src/cuda/kernels.cuh"

namespace ranmar::cuda {
namespace {

constexpr std::size_t kLongestFill = std::size_t{1} << 40;
constexpr std::size_t kPlans = 8;  // sizes of fills whose polynomials are kept

template <class Form>
Stride<Form> stride_of(const JumpPolynomial& polynomial, typename Form::Arithmetic down) {
  Stride<Form> stride;
  for (int i = 0; i < kLongLag; ++i) {
    stride.polynomial[i] = static_cast<typename Form::Word>(polynomial[static_cast<std::size_t>(i)]);
  }
  stride.down = down;
  return stride;
}

// Jumps by numbers, 2*numbers, 4*numbers, ...
template <class Form>
std::vector<Stride<Form>> doubling_strides(std::int64_t numbers, int count) {
  std::vector<Stride<Form>> strides;
  JumpPolynomial polynomial = jump_polynomial(numbers);
  std::uint64_t down = arithmetic_distance<Form>(numbers);
  for (int k = 0; k < count; ++k) {
    if (k > 0) {
      polynomial = doubled(polynomial);
      down = 2 * down % Form::kModulus;
    }
    strides.push_back(stride_of<Form>(polynomial, static_cast<typename Form::Arithmetic>(down)));
  }
  return strides;
}

// Memory of the device, freed with its owner.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  void reserve(std::size_t count) {
    if (count <= size_) return;
    cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
    check(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc", Fault::kOutOfMemory);
    size_ = count;
  }
  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class Form>
Layout layout_of(std::size_t n, int instances, int multiprocessors, const Tuning& tuning) {
  const std::uint64_t rows = (n + kWideRow - 1) / kWideRow;
  const std::uint64_t all_blocks = static_cast<std::uint64_t>(multiprocessors) *
                                   tuning.blocks_per_multiprocessor * sizeof(double) /
                                   sizeof(typename Form::Real);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, all_blocks / static_cast<std::uint64_t>(instances));
  Layout layout{};
  layout.instance_numbers = n;
  // An odd number of rows: blocks run in step, and those that start at multiples of a large power of two
  // apart would meet in the same banks of memory.
  const std::uint64_t block_rows =
      std::max<std::uint64_t>(static_cast<std::uint64_t>(tuning.least_rows), (rows + blocks - 1) / blocks) |
      1;
  layout.block_numbers = block_rows * kWideRow;
  layout.blocks_per_instance = static_cast<std::uint32_t>((rows + block_rows - 1) / block_rows);
  layout.blocks = layout.blocks_per_instance * static_cast<std::uint32_t>(instances);
  return layout;
}

}  // namespace

template <class Form>
struct Sequence<Form>::Impl {
  struct Plan {
    Layout layout;
    Stride<Form> stride;              // by a whole fill
    std::vector<Stride<Form>> table;  // for aim_blocks
  };

  State<Form> start;
  int instances;
  Tuning tuning;
  int multiprocessors = 0;
  int staging_bytes = 0;  // shared memory of a block of fill_blocks
  std::uint64_t position = 0;
  std::size_t aimed_at = 0;  // size of the fill that the blocks are aimed at; 0: none
  std::deque<Plan> plans;    // the one used last first
  DeviceArray<State<Form>> states;
  DeviceArray<Stride<Form>> table;

  [[nodiscard]] State<Form> state_at(int instance) const {
    State<Form> state = start;
    jump(state, static_cast<std::int64_t>(position));
    if (instance > 0) {
      const auto strides =
          doubling_strides<Form>(kInstanceDistance, std::bit_width(static_cast<unsigned>(instance)));
      for (std::size_t k = 0; k < strides.size(); ++k) {
        if ((instance >> k & 1) == 0) continue;
        JumpPolynomial polynomial;
        std::copy(std::begin(strides[k].polynomial), std::end(strides[k].polynomial), polynomial.begin());
        const auto c = state.c;
        apply_jump(state, polynomial, 0);
        state.c = c >= strides[k].down ? c - strides[k].down : c + (Form::kModulus - strides[k].down);
      }
    }
    return state;
  }

  const Plan& plan(std::size_t n) {
    const auto found = std::find_if(plans.begin(), plans.end(),
                                    [n](const Plan& p) { return p.layout.instance_numbers == n; });
    if (found != plans.begin() && found != plans.end()) {
      std::rotate(plans.begin(), found, found + 1);
    } else if (found == plans.end()) {
      Plan made;
      const auto numbers = static_cast<std::int64_t>(n);
      made.layout = layout_of<Form>(n, instances, multiprocessors, tuning);
      made.stride = stride_of<Form>(jump_polynomial(numbers), arithmetic_distance<Form>(numbers));
      made.table = doubling_strides<Form>(static_cast<std::int64_t>(made.layout.block_numbers),
                                          std::bit_width(made.layout.blocks_per_instance - 1));
      if (instances > 1) {
        made.table.resize(kTableBits);
        const auto far =
            doubling_strides<Form>(kInstanceDistance, std::bit_width(static_cast<unsigned>(instances - 1)));
        made.table.insert(made.table.end(), far.begin(), far.end());
      }
      if (plans.size() == kPlans) plans.pop_back();
      plans.push_front(std::move(made));
    }
    return plans.front();
  }

  // Leaves the blocks where this fill starts.
  void aim(const Plan& plan, cudaStream_t stream) {
    if (aimed_at == plan.layout.instance_numbers) return;
    if (plan.layout.blocks * sizeof(State<Form>) > states.bytes() ||
        plan.table.size() * sizeof(Stride<Form>) > table.bytes()) {
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize",
            Fault::kLost);  // the old ones may be in use
      states.reserve(plan.layout.blocks);
      table.reserve(plan.table.size());
    }
    if (!plan.table.empty()) {
      check(cudaMemcpyAsync(table.get(), plan.table.data(), plan.table.size() * sizeof(Stride<Form>),
                            cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync", Fault::kCopy);
    }
    State<Form> before = state_at(0);
    jump(before, -kLongLag);
    aim_blocks<Form>
        <<<plan.layout.blocks, kWideRow, 0, stream>>>(states.get(), before, table.get(), plan.layout);
    check(cudaGetLastError(), "aim_blocks", Fault::kLaunch);
    aimed_at = plan.layout.instance_numbers;
  }

  void fill(typename Form::Real* out, std::size_t n, cudaStream_t stream) {
    const Plan& plan = this->plan(n);
    aim(plan, stream);
    fill_blocks<Form><<<plan.layout.blocks, kWideRow, staging_bytes, stream>>>(states.get(), out, plan.layout,
                                                                               plan.stride);
    check(cudaGetLastError(), "fill_blocks", Fault::kLaunch);
    position += n;
  }
};

template <class Form>
Sequence<Form>::Sequence(const State<Form>& start, int instances, const Tuning& tuning) {
  if (instances < 1 || instances > 1 << 20) throw std::invalid_argument("instances must be 1 to 1048576");
  if (tuning.blocks_per_multiprocessor < 1 || tuning.least_rows < 1) {
    throw std::invalid_argument("a tuning value is out of its range");
  }
  impl_ = std::make_unique<Impl>();
  impl_->start = start;
  impl_->instances = instances;
  impl_->tuning = tuning;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice", Fault::kNoDevice);
  check(cudaDeviceGetAttribute(&impl_->multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute", Fault::kNoDevice);
  int capability = 0;
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute", Fault::kNoDevice);
  if (capability >= 9) {  // bulk copies
    impl_->staging_bytes = kBuffers * RowWriter<Form>::kBufferBytes;
    check(cudaFuncSetAttribute(fill_blocks<Form>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               impl_->staging_bytes),
          "cudaFuncSetAttribute", Fault::kLaunch);
  }
}

template <class Form>
Sequence<Form>::~Sequence() = default;
template <class Form>
Sequence<Form>::Sequence(Sequence&&) noexcept = default;
template <class Form>
Sequence<Form>& Sequence<Form>::operator=(Sequence&&) noexcept = default;

template <class Form>
void Sequence<Form>::fill(typename Form::Real* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  if (out == nullptr) throw std::invalid_argument("out is a null pointer");
  if (n > kLongestFill) throw std::invalid_argument("a fill has at most 2^40 numbers");
  impl_->fill(out, n, stream);
}

template <class Form>
State<Form> Sequence<Form>::state(int instance) const {
  if (instance < 0 || instance >= impl_->instances) throw std::invalid_argument("no such instance");
  return impl_->state_at(instance);
}

template <class Form>
std::uint64_t Sequence<Form>::position() const {
  return impl_->position;
}

template <class Form>
std::size_t Sequence<Form>::device_bytes() const {
  return impl_->states.bytes() + impl_->table.bytes();
}

template class Sequence<Form48>;
template class Sequence<Form24>;
template class Sequence<FormExtended48>;

}  // namespace ranmar::cuda
