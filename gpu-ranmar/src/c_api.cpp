#include "src/c_api.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "ranmar/generator.hpp"
#include "ranmar/ranmar.h"

namespace {

constexpr std::uint64_t kBillion = 1000000000;

// What RMMAQD tells of a sequence beside its words.
struct Account {
  std::int32_t ijkl = 0;
  std::uint64_t position = 0;
  std::int32_t start_i97 = ranmar::kLongLag;  // I97 at `start`
  std::uint64_t start = 0;
};

thread_local std::string last_message;  // NOLINT(cert-err58-cpp)

using ranmar::c_api::guarded;
using ranmar::c_api::require;
using ranmar::c_api::WrongForm;

}  // namespace

namespace ranmar::c_api {

ranmar_status failed(ranmar_status status, const char* what) {
  try {
    last_message = what;
  } catch (const std::bad_alloc&) {
    last_message.clear();
  }
  return status;
}

}  // namespace ranmar::c_api

struct ranmar_generator {
  std::variant<ranmar::Generator<ranmar::Form48>, ranmar::Generator<ranmar::Form24>> form;
  std::vector<Account> accounts;

  Account& account(int sequence) { return accounts.at(static_cast<std::size_t>(sequence) - 1); }
  [[nodiscard]] const Account& account(int sequence) const {
    return accounts.at(static_cast<std::size_t>(sequence) - 1);
  }

  template <class Form>
  ranmar::Generator<Form>& of(const char* hint) {
    auto* generator = std::get_if<ranmar::Generator<Form>>(&form);
    if (generator == nullptr) throw WrongForm(hint);
    return *generator;
  }
};

extern "C" {

const char* ranmar_version(void) { return RANMAR_VERSION; }

const char* ranmar_message(void) { return last_message.c_str(); }

ranmar_status ranmar_create(ranmar_generator** generator, ranmar_form form, int sequences,
                            const char* backend) {
  return guarded([&] {
    require(generator, "generator");
    require(backend, "backend");
    *generator = nullptr;
    const ranmar::Backend chosen = ranmar::backend_of(backend);
    if (form != RANMAR_48_BIT && form != RANMAR_24_BIT)
      throw std::invalid_argument("form is neither 48 nor 24");
    if (form == RANMAR_48_BIT) {
      *generator = new ranmar_generator{ranmar::Generator<ranmar::Form48>(chosen, sequences), {}};
    } else {
      *generator = new ranmar_generator{ranmar::Generator<ranmar::Form24>(chosen, sequences), {}};
    }
    (*generator)->accounts.resize(static_cast<std::size_t>(sequences));
  });
}

void ranmar_destroy(ranmar_generator* generator) { delete generator; }

const char* ranmar_backend(const ranmar_generator* generator) {
  if (generator == nullptr) return "";
  return std::visit([](const auto& g) { return ranmar::name(g.backend()).data(); }, generator->form);
}

ranmar_status ranmar_seed(ranmar_generator* generator, int sequence, int32_t ijkl, uint64_t skip) {
  return guarded([&] {
    require(generator, "generator");
    std::visit([&](auto& g) { g.seed(sequence, ijkl, skip); }, generator->form);
    generator->account(sequence) = {ijkl, skip, ranmar::kLongLag, 0};
  });
}

ranmar_status ranmar_fill(ranmar_generator* generator, int sequence, double* out, size_t n) {
  return guarded([&] {
    require(generator, "generator");
    if (n > 0) require(out, "out");
    generator->of<ranmar::Form48>("the 24-bit form makes floats: call ranmar_fill_float")
        .fill(sequence, out, n);
    generator->account(sequence).position += n;
  });
}

ranmar_status ranmar_fill_float(ranmar_generator* generator, int sequence, float* out, size_t n) {
  return guarded([&] {
    require(generator, "generator");
    if (n > 0) require(out, "out");
    generator->of<ranmar::Form24>("the 48-bit form makes doubles: call ranmar_fill").fill(sequence, out, n);
    generator->account(sequence).position += n;
  });
}

ranmar_status ranmar_skip(ranmar_generator* generator, int sequence, int64_t numbers) {
  return guarded([&] {
    require(generator, "generator");
    std::visit([&](auto& g) { g.skip(sequence, numbers); }, generator->form);
    generator->account(sequence).position += static_cast<std::uint64_t>(numbers);
  });
}

ranmar_status ranmar_position(const ranmar_generator* generator, int sequence, uint64_t* position) {
  return guarded([&] {
    require(generator, "generator");
    require(position, "position");
    const bool seeded = std::visit([&](const auto& g) { return g.seeded(sequence); }, generator->form);
    if (!seeded) throw std::logic_error("the sequence has no seed yet");
    *position = generator->account(sequence).position;
  });
}

ranmar_status ranmar_export(const ranmar_generator* generator, int sequence, uint64_t behind,
                            ranmar_rmmaqd_state* state) {
  return guarded([&] {
    require(generator, "generator");
    require(state, "state");
    auto& g =
        const_cast<ranmar_generator*>(generator)->of<ranmar::Form48>("only the 48-bit form has this state");
    const ranmar::State<ranmar::Form48> words = g.state(sequence, static_cast<std::int64_t>(behind));
    const Account& account = generator->account(sequence);
    const std::uint64_t position = account.position - behind;
    const auto turned = static_cast<std::int64_t>(position - account.start) % ranmar::kLongLag;
    const std::int64_t i97 =
        (account.start_i97 - 1 - turned + std::int64_t{2} * ranmar::kLongLag) % ranmar::kLongLag + 1;
    const ranmar::RmmaqdState classic = ranmar::to_rmmaqd(words, static_cast<std::int32_t>(i97));
    std::copy(classic.u.begin(), classic.u.end(), state->u);
    state->c = classic.c;
    state->i97 = classic.i97;
    state->j97 = classic.j97;
    state->ijkl = account.ijkl;
    state->ntot = static_cast<std::int32_t>(position % kBillion);
    state->ntot2 = static_cast<std::int32_t>(position / kBillion);
  });
}

ranmar_status ranmar_import(ranmar_generator* generator, int sequence, const ranmar_rmmaqd_state* state) {
  return guarded([&] {
    require(generator, "generator");
    require(state, "state");
    if (state->ntot < 0 || state->ntot2 < 0) throw std::invalid_argument("a counter is negative");
    auto& g = generator->of<ranmar::Form48>("only the 48-bit form has this state");
    ranmar::RmmaqdState classic;
    std::copy(state->u, state->u + ranmar::kLongLag, classic.u.begin());
    classic.c = state->c;
    classic.i97 = state->i97;
    classic.j97 = state->j97;
    g.set_state(sequence, ranmar::from_rmmaqd(classic));
    const std::uint64_t position =
        static_cast<std::uint64_t>(state->ntot2) * kBillion + static_cast<std::uint64_t>(state->ntot);
    generator->account(sequence) = {state->ijkl, position, state->i97, position};
  });
}

}  // extern "C"
