// The C interface: sequences by number. Nothing of CUDA, so that who links the archive and calls only these
// needs no CUDA runtime.
#include "src/c_api.hpp"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

namespace {

using ranmar::Form24;
using ranmar::Form48;
using ranmar::FormExtended48;
using ranmar::Generator;
using ranmar::c_api::guarded;
using ranmar::c_api::require;
using ranmar::c_api::WrongForm;

constexpr std::uint64_t kBillion = 1000000000;
constexpr const char* kStateForm = "only the 48-bit form has the state of RMMAQD";

// The C state begins as the C++ one does.
static_assert(sizeof(ranmar::RmmaqdState) == offsetof(ranmar_rmmaqd_state, ijkl));

// What RMMAQD tells of a sequence in addition to its words.
struct Account {
  std::int32_t ijkl = 0;
  std::uint64_t position = 0;
  std::uint64_t turns = 0;  // how far I97 was below 97, modulo 97, before the number at position 0
};

thread_local char last_message[512] = "";

}  // namespace

namespace ranmar::c_api {

ranmar_status failed(ranmar_status status, const char* what) noexcept {
  std::snprintf(last_message, sizeof last_message, "%s", what);
  return status;
}

}  // namespace ranmar::c_api

struct ranmar_generator {
  std::variant<Generator<Form48>, Generator<Form24>, Generator<FormExtended48>> form;
  std::vector<Account> accounts;  // [0] is unused

  // The position after `numbers` more, of a sequence that has a seed.
  [[nodiscard]] std::uint64_t position_after(int sequence, std::uint64_t numbers) const {
    std::visit([&](const auto& g) { g.need_seed(sequence); }, form);
    const std::uint64_t position = accounts[sequence].position;
    if (numbers > std::numeric_limits<std::uint64_t>::max() - position)
      throw std::invalid_argument("the sequence's position would be 2^64 or more");
    return position + numbers;
  }

  template <class Real>
  void fill(int sequence, Real* out, std::size_t n) {
    if (n > 0) require(out, "out");
    const auto fill = [&]<class Form>(Generator<Form>& g) {
      if constexpr (std::is_same_v<typename Form::Real, Real>) {
        const std::uint64_t after = position_after(sequence, n);
        g.fill(sequence, out, n);
        accounts[sequence].position = after;
      } else {
        ranmar::c_api::refuse_form<Real>();
      }
    };
    std::visit(fill, form);
  }
};

extern "C" {

const char* ranmar_version(void) { return RANMAR_VERSION_TEXT; }

const char* ranmar_message(void) { return last_message; }

const char* ranmar_status_string(ranmar_status status) {
  static constexpr const char* kStrings[] = {"no error",
                                             "an argument is a null pointer, unknown or out of its range",
                                             "no such sequence",
                                             "the sequence has no seed yet",
                                             "the function is not for the generator's form",
                                             "out of memory",
                                             "an internal error",
                                             "no such device, or it failed"};
  const auto number = static_cast<std::size_t>(status);
  return number < std::size(kStrings) ? kStrings[number] : "not a status of this library";
}

ranmar_status ranmar_create(ranmar_generator** generator, ranmar_form form, int sequences,
                            const char* backend) {
  return guarded([&] {
    require(generator, "generator");
    *generator = nullptr;
    require(backend, "backend");
    const ranmar::Backend chosen = ranmar::backend_of(backend);
    *generator = ranmar::c_api::with_form(form, [&]<class Form>(Form) {
      return new ranmar_generator{Generator<Form>(chosen, sequences),
                                  std::vector<Account>(static_cast<std::size_t>(sequences) + 1)};
    });
  });
}

void ranmar_destroy(ranmar_generator* generator) { delete generator; }

const char* ranmar_backend(const ranmar_generator* generator) {
  if (generator == nullptr) return "";
  return std::visit([](const auto& g) { return ranmar::name(g.backend()).data(); }, generator->form);
}

ranmar_status ranmar_seed(ranmar_generator* generator, int sequence, int32_t ijkl, uint64_t skip) {
  return guarded(generator, "generator", [&] {
    std::visit([&](auto& g) { g.seed(sequence, ijkl, skip); }, generator->form);
    generator->accounts[sequence] = {ijkl, skip, 0};
  });
}

ranmar_status ranmar_fill(ranmar_generator* generator, int sequence, double* out, size_t n) {
  return guarded(generator, "generator", [&] { generator->fill(sequence, out, n); });
}

ranmar_status ranmar_fill_float(ranmar_generator* generator, int sequence, float* out, size_t n) {
  return guarded(generator, "generator", [&] { generator->fill(sequence, out, n); });
}

ranmar_status ranmar_skip(ranmar_generator* generator, int sequence, int64_t numbers) {
  return guarded(generator, "generator", [&] {
    std::uint64_t after = generator->position_after(sequence, 0);
    if (numbers < 0) {
      const std::uint64_t back = 0 - static_cast<std::uint64_t>(numbers);
      if (back > after) throw std::invalid_argument("a skip cannot go back beyond the sequence's start");
      after -= back;
    } else {
      after = generator->position_after(sequence, static_cast<std::uint64_t>(numbers));
    }
    std::visit([&](auto& g) { g.skip(sequence, numbers); }, generator->form);
    generator->accounts[sequence].position = after;
  });
}

ranmar_status ranmar_position(const ranmar_generator* generator, int sequence, uint64_t* position) {
  return guarded(generator, "generator", [&] {
    require(position, "position");
    *position = generator->position_after(sequence, 0);
  });
}

ranmar_status ranmar_export(const ranmar_generator* generator, int sequence, uint64_t behind,
                            ranmar_rmmaqd_state* state) {
  return guarded(generator, "generator", [&] {
    require(state, "state");
    const auto* g = std::get_if<Generator<Form48>>(&generator->form);
    if (g == nullptr) throw WrongForm(kStateForm);
    const std::uint64_t made = generator->position_after(sequence, 0);
    if (behind > made) throw std::invalid_argument("behind is more than the sequence's position");
    const std::uint64_t position = made - behind;
    if (!std::in_range<std::int32_t>(position / kBillion))
      throw std::invalid_argument("the position is 2^31 billions or more, which ntot2 cannot hold");
    if (!std::in_range<std::int64_t>(behind)) throw std::invalid_argument("behind is 2^63 or more");
    const ranmar::State<Form48> words = g->state(sequence, static_cast<std::int64_t>(behind));
    const Account& account = generator->accounts[sequence];
    const auto turned = static_cast<std::int32_t>((position + account.turns) % ranmar::kLongLag);
    const ranmar::RmmaqdState classic = ranmar::to_rmmaqd(words, ranmar::kLongLag - turned);
    std::memcpy(state, &classic, sizeof classic);
    state->ijkl = account.ijkl;
    state->ntot = static_cast<std::int32_t>(position % kBillion);
    state->ntot2 = static_cast<std::int32_t>(position / kBillion);
  });
}

ranmar_status ranmar_import(ranmar_generator* generator, int sequence, const ranmar_rmmaqd_state* state) {
  return guarded(generator, "generator", [&] {
    require(state, "state");
    if (state->ntot < 0 || state->ntot2 < 0) throw std::invalid_argument("a counter is negative");
    auto* g = std::get_if<Generator<Form48>>(&generator->form);
    if (g == nullptr) throw WrongForm(kStateForm);
    ranmar::RmmaqdState classic;
    std::memcpy(static_cast<void*>(&classic), state, sizeof classic);
    g->set_state(sequence, ranmar::from_rmmaqd(classic));
    const std::uint64_t position =
        static_cast<std::uint64_t>(state->ntot2) * kBillion + static_cast<std::uint64_t>(state->ntot);
    const auto turns =
        2 * ranmar::kLongLag - static_cast<std::uint64_t>(state->i97) - position % ranmar::kLongLag;
    generator->accounts[sequence] = {state->ijkl, position, turns};
  });
}

}  // extern "C"
