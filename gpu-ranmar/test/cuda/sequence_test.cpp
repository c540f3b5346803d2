// A CUDA device's sequences.
#include "ranmar/cuda/sequence.hpp"

#include "device.hpp"

namespace {

struct SequencePart {
  template <class Real>
  using Target = Real*;
  static constexpr int kTrials = 12, kMany = 600;
  static constexpr std::size_t kStep = 1, kCut = 3000001, kLarge = 20000003, kLong = 40000;

  template <class Form>
  static std::vector<backend::Tuning> tunings() {
    return {{1, 1}, {16, 4}, {4, 24}, {32, 1}};
  }
  template <class Form>
  static auto make(const ranmar::State<Form>& start, int instances = 1, const backend::Tuning& tuning = {}) {
    return backend::Sequence<Form>(start, instances, tuning);
  }
  template <class Form>
  static void fill(backend::Sequence<Form>& sequence, const Guarded<typename Form::Real>& out,
                   std::size_t n) {
    sequence.fill(out.data(), n);
  }
};

}  // namespace

#include "sequence_cases.hpp"
