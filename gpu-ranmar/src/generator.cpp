// Generator: sequences by number, each made by the backend that its owner chose.
#include "ranmar/generator.hpp"

#include <stdexcept>
#include <string>

#include "ranmar/engine.hpp"
#include "ranmar/jump.hpp"

namespace ranmar {

template <class Form>
Generator<Form>::Generator(Backend backend, int sequences) : backend_(backend) {
  if (sequences < 1 || sequences > kMostSequences) {
    throw std::invalid_argument("a generator has 1 to " + std::to_string(kMostSequences) +
                                " sequences, not " + std::to_string(sequences));
  }
  sequences_.resize(static_cast<std::size_t>(sequences));
}

template <class Form>
std::optional<State<Form>>& Generator<Form>::slot(int sequence) {
  if (sequence < 1 || sequence > sequences()) {
    throw BadSequence("sequence " + std::to_string(sequence) + " is not in 1.." +
                      std::to_string(sequences()));
  }
  return sequences_[static_cast<std::size_t>(sequence) - 1];
}

template <class Form>
const State<Form>& Generator<Form>::live(int sequence) const {
  const auto& state = const_cast<Generator*>(this)->slot(sequence);
  if (!state) throw NotSeeded("sequence " + std::to_string(sequence) + " has no seed yet");
  return *state;
}

template <class Form>
void Generator<Form>::seed(int sequence, std::int32_t ijkl, std::uint64_t skip) {
  slot(sequence) = engine_state<Form>(ijkl, 0, skip);
}

template <class Form>
bool Generator<Form>::seeded(int sequence) const {
  return const_cast<Generator*>(this)->slot(sequence).has_value();
}

template <class Form>
void Generator<Form>::fill(int sequence, typename Form::Real* out, std::size_t n) {
  ranmar::fill(backend_, const_cast<State<Form>&>(live(sequence)), out, n);
}

template <class Form>
void Generator<Form>::skip(int sequence, std::int64_t numbers) {
  jump(const_cast<State<Form>&>(live(sequence)), numbers);
}

template <class Form>
State<Form> Generator<Form>::state(int sequence, std::int64_t behind) const {
  State<Form> state = live(sequence);
  jump(state, -behind);
  return state;
}

template <class Form>
void Generator<Form>::set_state(int sequence, const State<Form>& state) {
  slot(sequence) = state;
}

template class Generator<Form48>;
template class Generator<Form24>;
template class Generator<FormExtended48>;

}  // namespace ranmar
