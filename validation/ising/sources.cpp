// Sources of numbers for the host's chains.
#include "sources.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "r250.hpp"
#include "ranmar/engine.hpp"
#include "ranmar/fill.hpp"
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif
#ifdef RANMAR_WITH_CUDA
#include "ranmar/cuda/stream.hpp"
#endif

namespace validation {
namespace {

template <class Form>
Refill host(int seed, ranmar::Backend backend) {
  return [state = ranmar::seeded_state<Form>(seed), made = std::vector<typename Form::Real>(),
          backend](std::vector<double>& numbers) mutable {
    made.resize(numbers.size());
    ranmar::fill<Form>(backend, state, made.data(), made.size());
    std::copy(made.begin(), made.end(), numbers.begin());
  };
}

}  // namespace

Refill open_source(const std::string& name, int seed) {
  using ranmar::Form48;
  if (name == "reference" || name == "simd") return host<Form48>(seed, ranmar::backend_of(name));
  if (name == "form24") return host<ranmar::Form24>(seed, ranmar::Backend::kSimd);
  if (name == "extended") return host<ranmar::FormExtended48>(seed, ranmar::Backend::kSimd);
  if (name == "engine")
    return [engine = ranmar::Engine<Form48>(seed)](std::vector<double>& numbers) mutable {
      for (auto& number : numbers) number = engine();
    };
  if (name == "instances")  // eight instances of one sequence in turn
    return [engines = std::vector<ranmar::Engine<Form48>>(), seed](std::vector<double>& numbers) mutable {
      for (std::uint64_t k = engines.size(); k < 8; ++k) engines.emplace_back(seed, k);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = engines[i % 8]();
    };
  if (name == "r250")
    return [r250 = R250(static_cast<std::uint32_t>(seed))](std::vector<double>& numbers) mutable {
      for (auto& number : numbers) number = r250() * 0x1p-32;
    };
  [[maybe_unused]] const auto device = [](auto stream) {
    return [stream](std::vector<double>& numbers) {
      stream->refill(numbers.data(), numbers.size());
      stream->wait();
    };
  };
  if (name == "opencl") {
#ifdef RANMAR_WITH_OPENCL
    if (!ranmar::opencl::devices().empty())
      return device(std::make_shared<ranmar::opencl::Stream<Form48>>(ranmar::seeded_state<Form48>(seed)));
#endif
    return {};
  }
  if (name == "cuda") {
#ifdef RANMAR_WITH_CUDA
    if (ranmar::cuda::device_count() > 0)
      return device(std::make_shared<ranmar::cuda::Stream<Form48>>(ranmar::seeded_state<Form48>(seed)));
#endif
    return {};
  }
  throw std::invalid_argument("the source cannot be " + name + "; see --help");
}

Refill all_equal(Refill first, std::vector<std::pair<std::string, Refill>> others, std::uint64_t& numbers) {
  return [=, block = std::vector<double>(), &numbers](std::vector<double>& made) mutable {
    first(made);
    block.resize(made.size());
    for (auto& [name, other] : others) {
      other(block);
      // No number is a zero or no number, so equal bytes and equal numbers are the same.
      if (block == made) continue;
      const auto at = std::mismatch(made.begin(), made.end(), block.begin()).first - made.begin();
      throw std::runtime_error("number " + std::to_string(numbers + static_cast<std::uint64_t>(at) + 1) +
                               " of " + name + " is another");
    }
    numbers += made.size();
  };
}

}  // namespace validation
