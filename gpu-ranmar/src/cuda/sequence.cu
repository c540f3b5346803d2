// Fills of device memory: cut into blocks, whose start states jumps set, and launched.
#include <algorithm>

#include "ranmar/cuda/sequence.hpp"
#include "src/blocks.hpp"
#include "src/cuda/kernels.cuh"
#include "src/cuda/runtime.hpp"

namespace ranmar::cuda {

template <class Form>
struct Sequence<Form>::Impl {
  Blocks<Form> blocks;
  int staging_bytes = 0;  // shared memory of a block of fill_blocks
  Memory states = {}, table = {};
  std::size_t most_states = 0, longest_table = 0;

  // Sets the start states for this fill, where the last fill has not left them.
  void aim(const typename Blocks<Form>::Plan& plan, cudaStream_t stream) {
    if (blocks.aimed_at == plan.layout.instance_numbers) return;
    if (plan.layout.blocks > most_states || plan.table.size() > longest_table) {
      CUDA_CALL(cudaStreamSynchronize, stream);  // the old ones may be in use
      most_states = std::max<std::size_t>(most_states, plan.layout.blocks);
      longest_table = std::max({longest_table, plan.table.size(), std::size_t{1}});
      states = new_memory(most_states * sizeof(State<Form>));
      table = new_memory(longest_table * sizeof(Stride<Form>));
    }
    if (!plan.table.empty()) {
      CUDA_CALL(cudaMemcpyAsync, table.get(), plan.table.data(), plan.table.size() * sizeof(Stride<Form>),
                cudaMemcpyHostToDevice, stream);
    }
    State<Form> before = blocks.state_at(0);
    jump(before, -kLongLag);
    aim_blocks<Form>
        <<<plan.layout.blocks, kWideRow, 0, stream>>>(static_cast<State<Form>*>(states.get()), before,
                                                      static_cast<Stride<Form>*>(table.get()), plan.layout);
    check(cudaGetLastError(), "aim_blocks");
    blocks.aimed_at = plan.layout.instance_numbers;
  }
};

template <class Form>
Sequence<Form>::Sequence(const State<Form>& start, int instances, const Tuning& tuning) {
  int device = 0;
  int multiprocessors = 0;
  CUDA_CALL(cudaGetDevice, &device);
  CUDA_CALL(cudaDeviceGetAttribute, &multiprocessors, cudaDevAttrMultiProcessorCount, device);
  impl_.reset(
      new Impl{{start, instances, multiprocessors, tuning.blocks_per_multiprocessor, tuning.least_rows}});
  int capability = 0;
  CUDA_CALL(cudaDeviceGetAttribute, &capability, cudaDevAttrComputeCapabilityMajor, device);
  if (capability >= 9) {  // bulk copies
    impl_->staging_bytes = kBuffers * RowWriter<Form>::kBufferBytes;
    CUDA_CALL(cudaFuncSetAttribute, fill_blocks<Form>, cudaFuncAttributeMaxDynamicSharedMemorySize,
              impl_->staging_bytes);
  }
}

template <class Form>
void Sequence<Form>::fill(typename Form::Real* out, std::size_t n, cudaStream_t stream) {
  if (!Blocks<Form>::wanted(out, n)) return;
  const auto& plan = impl_->blocks.plan(n);
  impl_->aim(plan, stream);
  fill_blocks<Form><<<plan.layout.blocks, kWideRow, impl_->staging_bytes, stream>>>(
      static_cast<State<Form>*>(impl_->states.get()), out, plan.layout, plan.stride);
  check(cudaGetLastError(), "fill_blocks");
  impl_->blocks.position += n;
}

template <class Form>
State<Form> Sequence<Form>::state(int instance) const {
  return impl_->blocks.state_at(instance);
}

template class Sequence<Form48>;
template class Sequence<Form24>;
template class Sequence<FormExtended48>;

}  // namespace ranmar::cuda
