// How fills of device memory are cut into blocks, and the jumps that set the blocks' start states: the host's
// part, of CUDA and of OpenCL. The start state of a block is, with OpenCL, that of its first number in the
// next fill; with CUDA, that of the number 97 before.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "ranmar/engine.hpp"

namespace ranmar {

/// For how many sizes of fills the jumps are kept.
inline constexpr std::size_t kPlans = 8;
inline constexpr std::size_t kLongestFill = std::size_t{1} << 40;
inline constexpr int kMostInstances = 1 << 20;
inline constexpr int kWideRow = 2 * RANMAR_ROW;  ///< a block is a multiple of this many numbers
inline constexpr int kTableBits = 32;  ///< Plan::table: 0 to 31 jumps by block, 32 to 63 by instance

/// How one fill is cut: into blocks of `block_numbers` (a multiple of 64; an instance's last may be shorter),
/// the blocks of one instance after those of the instance before.
struct Layout {
  std::uint64_t instance_numbers;
  std::uint64_t block_numbers;
  std::uint32_t blocks_per_instance;
  std::uint32_t blocks;  // of all instances
};

/// A jump: its polynomial, with coefficients of the form's word length, and what it subtracts from c.
template <class Form>
struct Stride {
  typename Form::Word polynomial[kLongLag];
  typename Form::Arithmetic down;
};

template <class Form>
Stride<Form> stride_of(const JumpPolynomial& polynomial, typename Form::Arithmetic down) {
  Stride<Form> stride;
  std::copy(polynomial.begin(), polynomial.end(), stride.polynomial);
  stride.down = down;
  return stride;
}

// Jumps by numbers, 2*numbers, 4*numbers, ...
template <class Form>
std::vector<Stride<Form>> doubling_strides(std::int64_t numbers, int count) {
  std::vector<Stride<Form>> strides;
  JumpPolynomial polynomial = jump_polynomial(numbers);
  std::uint64_t down = arithmetic_distance<Form>(numbers);
  for (int k = 0; k < count; ++k, down = 2 * down % Form::kModulus) {
    if (k > 0) polynomial = doubled(polynomial);
    strides.push_back(stride_of<Form>(polynomial, static_cast<typename Form::Arithmetic>(down)));
  }
  return strides;
}

/// The layout of a fill of n numbers of each instance, n above 0, in rows of kWideRow numbers. most_blocks:
/// of all instances together, for doubles; floats have twice as many. least_rows: that a block has at least.
template <class Form>
Layout layout_of(std::size_t n, int instances, std::uint64_t most_blocks, int least_rows) {
  const std::uint64_t rows = (n + kWideRow - 1) / kWideRow;
  const std::uint64_t all_blocks = most_blocks * sizeof(double) / sizeof(typename Form::Real);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, all_blocks / static_cast<std::uint64_t>(instances));
  Layout layout{};
  layout.instance_numbers = n;
  // An odd number of rows: blocks run in step, and those that start at multiples of a large power of two
  // apart would meet in the same banks of memory.
  const std::uint64_t block_rows =
      std::max<std::uint64_t>(static_cast<std::uint64_t>(least_rows), (rows + blocks - 1) / blocks) | 1;
  layout.block_numbers = block_rows * kWideRow;
  layout.blocks_per_instance = static_cast<std::uint32_t>((rows + block_rows - 1) / block_rows);
  layout.blocks = layout.blocks_per_instance * static_cast<std::uint32_t>(instances);
  return layout;
}

/// Numbers of a piece of a refill of n, which goes to the host piece by piece; 1 where n is 0. Pieces of
/// equal size need no new start states, so a few more pieces are worth it.
inline std::size_t piece_of(std::size_t n, std::size_t largest) {
  if (n == 0) return 1;
  const std::size_t fewest = (n + largest - 1) / largest;
  for (std::size_t pieces = fewest; pieces <= fewest + fewest / 2; ++pieces)
    if (n % pieces == 0) return n / pieces;
  return largest;
}

/// One sequence, or instances of it, in fills of a device. Throws std::invalid_argument where a value is out
/// of its range.
template <class Form>
struct Blocks {
  struct Plan {
    Layout layout;
    Stride<Form> stride;              // by a whole fill
    std::vector<Stride<Form>> table;  // for the kernel that sets start states
    std::shared_ptr<void> on_device;  // what a backend keeps of them
  };

  State<Form> start;
  int instances;
  std::uint64_t most_blocks;  // of doubles; of floats twice as many
  int least_rows;
  std::uint64_t position = 0;
  std::size_t aimed_at = 0;                // size of the fill that the start states are for; 0: none are set
  std::map<std::size_t, Plan> plans = {};  // by size of the fill

  /// units: multiprocessors or compute units, blocks_per_unit blocks each.
  Blocks(const State<Form>& from, int count, int units, int blocks_per_unit, int least)
      : start(from),
        instances(count),
        most_blocks(static_cast<std::uint64_t>(units) * static_cast<std::uint64_t>(blocks_per_unit)),
        least_rows(least) {
    if (instances < 1 || instances > kMostInstances)
      throw std::invalid_argument("instances must be 1 to 1048576");
    if (blocks_per_unit < 1 || least_rows < 1)
      throw std::invalid_argument("a tuning value is out of its range");
  }

  /// Whether there is anything to fill. Throws std::invalid_argument for a null pointer or too large an n.
  [[nodiscard]] static bool wanted(const void* out, std::size_t n) {
    if (n > 0 && out == nullptr) throw std::invalid_argument("out is a null pointer");
    if (n > kLongestFill) throw std::invalid_argument("a fill has at most 2^40 numbers of an instance");
    return n > 0;
  }

  /// The state before the next number of an instance, from 0 on. Throws std::invalid_argument for no
  /// instance.
  [[nodiscard]] State<Form> state_at(int instance) const {
    if (instance < 0 || instance >= instances) throw std::invalid_argument("no such instance");
    State<Form> state = detail::jumped(start, static_cast<std::int64_t>(position));
    const auto far = static_cast<std::uint64_t>(instance);
    detail::jump_ahead<Form>({far >> (64 - kSubsequenceBits), far << kSubsequenceBits}, state.x.data(),
                             &state.c);
    return state;
  }

  /// The plan of a fill of n numbers of each instance. kPlans are kept; then all are made anew.
  Plan& plan(std::size_t n) {
    if (const auto known = plans.find(n); known != plans.end()) return known->second;
    Plan made;
    const auto numbers = static_cast<std::int64_t>(n);
    made.layout = layout_of<Form>(n, instances, most_blocks, least_rows);
    made.stride = stride_of<Form>(jump_polynomial(numbers), arithmetic_distance<Form>(numbers));
    made.table = doubling_strides<Form>(static_cast<std::int64_t>(made.layout.block_numbers),
                                        std::bit_width(made.layout.blocks_per_instance - 1));
    if (instances > 1) {
      made.table.resize(kTableBits);
      const auto far =
          doubling_strides<Form>(kInstanceDistance, std::bit_width(static_cast<unsigned>(instances - 1)));
      made.table.insert(made.table.end(), far.begin(), far.end());
    }
    if (plans.size() == kPlans) plans.clear();
    return plans[n] = std::move(made);
  }
};

}  // namespace ranmar
