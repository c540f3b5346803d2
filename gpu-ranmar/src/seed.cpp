// The start of a sequence from its seed.
#include "ranmar/detail/words.hpp"
#include "ranmar/state.hpp"

namespace ranmar {

template <class Form>
State<Form> seeded_state(std::int32_t ijkl) {
  State<Form> state;
  detail::seed_words<Form>(ijkl, state.x.data());
  return state;
}

template State<Form48> seeded_state<Form48>(std::int32_t);
template State<Form24> seeded_state<Form24>(std::int32_t);
template State<FormExtended48> seeded_state<FormExtended48>(std::int32_t);

}  // namespace ranmar
