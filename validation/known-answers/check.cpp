// ranmar-known-answers: holds every backend of this machine against known-answers.txt. Reads that file;
// writes to standard output; ends with 1 where a number or a state differs, and with 77 where a backend that
// was asked for is not here.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranmar/engine.hpp"
#include "ranmar/fill.hpp"
#include "ranmar/state.hpp"
#include "support/command_line.hpp"
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif
#ifdef RANMAR_WITH_CUDA
#include "ranmar/cuda/stream.hpp"
#endif

namespace {

__extension__ using Position = unsigned __int128;

struct Backend {
  std::string name;  // reference, simd, engine, opencl, cuda
  int device = 0;
};

struct Answer {
  std::string what, source, form;  // what: numbers, digest, state
  std::int32_t seed = 0;
  Position position = 0;
  std::vector<std::uint64_t> values;
  int line = 0;
};

Position position_of(const std::string& digits) {
  Position value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return 0;
    value = 10 * value + static_cast<unsigned>(digit - '0');
  }
  return value;
}

std::vector<Answer> read_answers(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be read; give the path of known-answers.txt");
  std::vector<Answer> answers;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Answer answer;
    answer.line = number;
    std::string position;
    words >> answer.what;
    if (answer.what == "numbers") words >> answer.source;
    words >> answer.form >> answer.seed >> position;
    for (std::uint64_t value; words >> value;) answer.values.push_back(value);
    answer.position = position_of(position);
    const std::size_t least = answer.what == "state" ? 3 + ranmar::kLongLag : 1;
    if (answer.position == 0 || answer.values.size() < least || !words.eof())
      throw std::runtime_error(file + " has no known answer in line " + std::to_string(number) +
                               "; make it anew with make.py");
    answers.push_back(std::move(answer));
  }
  if (answers.empty()) throw std::runtime_error(file + " has no known answers; make it anew with make.py");
  return answers;
}

template <class Form>
ranmar::State<Form> state_before(std::int32_t seed, Position position) {
  const Position skipped = position - 1;
  return ranmar::engine_state<Form>(
      seed, static_cast<std::uint64_t>(skipped >> ranmar::kSubsequenceBits),
      static_cast<std::uint64_t>(skipped) & ((std::uint64_t{1} << ranmar::kSubsequenceBits) - 1));
}

/// The next n numbers by one backend; `state` moves past them.
template <class Form>
std::vector<typename Form::Real> make(const Backend& backend, ranmar::State<Form>& state, std::size_t n) {
  std::vector<typename Form::Real> out(n);
  [[maybe_unused]] const auto by_device = [&](auto stream) {
    stream.refill(out.data(), n);
    stream.wait();
    state = stream.state_at(n);
  };
  if (backend.name == "reference") {
    ranmar::fill_reference<Form>(state, out.data(), n);
  } else if (backend.name == "simd") {
    ranmar::fill_simd<Form>(state, out.data(), n);
  } else if (backend.name == "engine") {
    ranmar::Engine<Form> engine(state);
    for (auto& number : out) number = engine();
    engine.save(state);
  }
#ifdef RANMAR_WITH_OPENCL
  if (backend.name == "opencl") {
    // As long as one stream of this device is there, others need no new context and compile nothing.
    static const ranmar::opencl::Stream<Form> kept(state, backend.device);
    by_device(ranmar::opencl::Stream<Form>(state, backend.device));
  }
#endif
#ifdef RANMAR_WITH_CUDA
  if (backend.name == "cuda") by_device(ranmar::cuda::Stream<Form>(state, backend.device));
#endif
  return out;
}

template <class Form>
std::uint64_t integer(typename Form::Real number) {
  return static_cast<std::uint64_t>(std::ldexp(static_cast<double>(number), Form::kBits));
}

constexpr Position kMostStepped = 2'000'000;

/// At once; within a long fill, since the backends make whole rows in another way than single numbers; and
/// from the seed's first number on, where there are few before.
template <class Form>
bool numbers_agree(const Backend& backend, const Answer& answer) {
  for (const Position lead : {Position{0}, Position{200}, answer.position - 1}) {
    if (lead >= answer.position || lead >= kMostStepped) continue;
    auto state = state_before<Form>(answer.seed, answer.position - lead);
    const auto before = static_cast<std::size_t>(lead);
    const auto made = make<Form>(backend, state, before + answer.values.size());
    for (std::size_t i = 0; i < answer.values.size(); ++i)
      if (integer<Form>(made[before + i]) != answer.values[i]) return false;
  }
  return true;
}

template <class Form>
bool digest_agrees(const Backend& backend, const Answer& answer) {
  auto state = ranmar::seeded_state<Form>(answer.seed);
  std::uint64_t digest = 0;
  for (const auto number : make<Form>(backend, state, static_cast<std::size_t>(answer.position)))
    digest = 6364136223846793005U * digest + integer<Form>(number);
  return digest == answer.values[0];
}

/// The state before a position in RMMAQD's terms and back: by the engines' jump, by the library's own, ahead
/// and back, and, where the numbers before it are few, by drawing them.
bool state_agrees(const Backend& backend, const Answer& answer) {
  using ranmar::Form48;
  const auto agree = [&answer](const ranmar::State<Form48>& state) {
    const auto classic = ranmar::to_rmmaqd(state, static_cast<std::int32_t>(answer.values[0]));
    bool same = classic.i97 == static_cast<std::int32_t>(answer.values[0]) &&
                classic.j97 == static_cast<std::int32_t>(answer.values[1]) &&
                std::ldexp(classic.c, 24) == static_cast<double>(answer.values[2]);
    for (std::size_t i = 0; i < classic.u.size(); ++i)
      same = same && std::ldexp(classic.u[i], 48) == static_cast<double>(answer.values[3 + i]);
    return same && ranmar::from_rmmaqd(classic) == state;
  };
  if (!agree(state_before<Form48>(answer.seed, answer.position))) return false;
  const auto skipped = static_cast<std::int64_t>(answer.position - 1);
  const auto start = ranmar::seeded_state<Form48>(answer.seed);
  auto state = start;
  ranmar::jump(state, skipped);
  if (!agree(state)) return false;
  ranmar::jump(state, -skipped);
  if (state != start) return false;
  if (answer.position > kMostStepped) return true;
  if (skipped > 0) make<Form48>(backend, state, static_cast<std::size_t>(skipped));
  return agree(state);
}

bool right(const Backend& backend, const Answer& answer) {
  const auto of_form = [&]<class Form>(Form) {
    return answer.what == "digest" ? digest_agrees<Form>(backend, answer)
                                   : numbers_agree<Form>(backend, answer);
  };
  if (answer.what == "state") return state_agrees(backend, answer);
  if (answer.form == "48") return of_form(ranmar::Form48());
  return answer.form == "24" ? of_form(ranmar::Form24()) : of_form(ranmar::FormExtended48());
}

// Drivers are asked only where their backend is wanted: one that is set up badly may end the program.
std::vector<Backend> backends_here(const std::string& wanted) {
  std::vector<Backend> backends;
  const auto add = [&](const char* name, auto count) {
    if (!wanted.empty() && wanted != name) return;
    for (int i = 0; i < static_cast<int>(count()); ++i) backends.push_back({name, i});
  };
  for (const char* name : {"reference", "simd", "engine"}) add(name, [] { return 1; });
#ifdef RANMAR_WITH_OPENCL
  add("opencl", [] { return ranmar::opencl::devices().size(); });
#endif
#ifdef RANMAR_WITH_CUDA
  add("cuda", [] { return ranmar::cuda::device_count(); });
#endif
  return backends;
}

int check(const std::string& file, const std::string& wanted) {
  const auto answers = read_answers(file);
  const auto backends = backends_here(wanted);
  bool all_right = true;
  for (const auto& backend : backends) {
    int wrong = 0, first = 0;
    for (const auto& answer : answers)
      if (!right(backend, answer) && wrong++ == 0) first = answer.line;
    std::printf("%s, device %d: %zu answers, %d wrong", backend.name.c_str(), backend.device, answers.size(),
                wrong);
    if (wrong > 0) std::printf(", the first in line %d", first);
    std::printf("\n");
    std::fflush(stdout);
    all_right = all_right && wrong == 0;
  }
  if (!backends.empty()) return all_right ? 0 : 1;
  std::printf("SKIPPED: this machine has no backend %s\n", wanted.c_str());
  return 77;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string file, backend;
  support::read_options(argc, argv, "Prints for each backend and device how many known answers it gives",
                        {{"file", &file, "known-answers.txt"},
                         {"--backend", &backend, "this one: reference, simd, engine, opencl, cuda"}});
  return check(file, backend);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "ranmar-known-answers: error: %s\n", problem.what());
  return 1;
}
