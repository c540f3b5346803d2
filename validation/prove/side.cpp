#include "side.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace prove {
namespace {

std::string quoted(const std::filesystem::path& path) {
  std::string text = "'";
  for (char c : path.string()) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void run(const std::string& command, const std::string& what) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command);
  std::string output;
  char buffer[4096];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) output += buffer;
  if (pclose(pipe) != 0) throw std::runtime_error(what + " failed:\n" + output + "\ncommand: " + command);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The link line, with the generator's Fortran library taken whole: the probe calls routines that nothing else
// does. Other libraries of the line want routines of a whole CORSIKA.
std::string with_all_routines(const std::string& line) {
  std::istringstream words(line);
  std::string all;
  for (std::string word; words >> word;)
    all += word.ends_with("libranmar_fortran.a") ? "-Wl,--whole-archive " + word + " -Wl,--no-whole-archive "
                                                 : word + " ";
  return all;
}

}  // namespace

void compile_side(const Variant& variant, bool replaced, const std::filesystem::path& tree,
                  const std::filesystem::path& work, const Toolchain& tools,
                  const std::filesystem::path& library) {
  const std::string stem = variant.name + (replaced ? "-replaced" : "-stock");
  const std::filesystem::path source = work / (stem + ".F");
  const std::filesystem::path plain = work / (stem + ".f");
  {
    std::ofstream out(source, std::ios::binary);
    for (const Routine& routine : variant.routines) out << routine.text;
    std::ifstream probe(tools.probe / "probe.F", std::ios::binary);
    out << probe.rdbuf();
    if (!out || !probe) throw std::runtime_error("cannot write " + source.string());
  }
  std::string defines = replaced ? " -D__RANMARLIB__=1" : "";
  for (const std::string& define : variant.defines) defines += " -D" + define;
  // A tree's own conex.h, where its CONEX package is unpacked, comes before ours.
  run(fmt::format("{} -traditional-cpp{} -I{} -I{} -I{} -I{} -I{} {} {}", tools.cpp, defines,
                  quoted(tree / "src"), quoted(tree / "include"), quoted(tree / "conex"),
                  quoted(tools.includes), quoted(tools.probe), quoted(source), quoted(plain)),
      "preprocessing " + stem);
  run(fmt::format("{} -std=legacy -w {} -fPIC -shared -Wl,-Bsymbolic {} -o {} {}", tools.fortran, tools.flags,
                  quoted(plain), quoted(library), replaced ? with_all_routines(tools.link_line) : ""),
      "compiling " + stem);
}

Side::Side(const std::filesystem::path& library, const Variant& variant)
    : handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)),
      second_names_(variant.second_names) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
}

void* Side::symbol(const std::string& name, bool required) const {
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  void* address = dlsym(handle_, name.c_str());
  if (address == nullptr && required) throw std::runtime_error("the compiled routines hold no " + name);
  known_.emplace(name, address);
  return address;
}

template <class Result, class... Arguments>
Result Side::call(const std::string& name, Arguments... arguments) const {
  return reinterpret_cast<Result (*)(Arguments...)>(symbol(name))(arguments...);
}

std::string Side::name_of(const Routine& routine) const {
  const bool second = second_names_ && !routine.second_name.empty();
  return lower(second ? routine.second_name : routine.name) + "_";
}

int Side::kseq() const {
  std::int32_t kseq = 0, last = 0;
  call<void>("prvget_", &kseq, &last);
  return kseq;
}

int Side::last_sequence() const {
  std::int32_t kseq = 0, last = 0;
  call<void>("prvget_", &kseq, &last);
  return last;
}

void Side::conex(bool active, std::int32_t sequence) const {
  const std::int32_t on = active ? 1 : 0;
  call<void>("prvset_", &on, &sequence);
}

void Side::rmmaqd(std::array<std::int32_t, 3>& seed, std::int32_t& sequence, Option option) const {
  const std::int32_t number = option;
  call<void>("prvaqd_", seed.data(), &sequence, &number);
}

void Side::open_unit(const std::string& file) const {
  const auto length = static_cast<std::int32_t>(file.size());
  call<void>("prvopn_", file.c_str(), &length, file.size());
}

void Side::close_unit() const { call<void>("prvcls_"); }

void Side::rmmard(double* out, std::int32_t n, std::int32_t sequence) const {
  call<void>("rmmard_", out, &n, &sequence);
}

void Side::vector(const Routine& routine, double* out, std::int32_t n) const {
  call<void>(name_of(routine), out, &n);
}

std::uint64_t Side::function(const Routine& routine) const {
  double dummy = 1.;  // whatever type the dummy argument has, it is not read
  const std::string name = name_of(routine);
  if (routine.real) return std::bit_cast<std::uint32_t>(call<float>(name, &dummy));
  return std::bit_cast<std::uint64_t>(call<double>(name, &dummy));
}

double Side::entry(const std::string& name) const { return call<double>(lower(name) + "_"); }

double Side::g900st(double seed) const { return call<double>("g900st_", &seed); }

std::vector<double> Side::kept_state() const {
  const void* common = symbol("cxransto_", false);
  if (common == nullptr) return {};
  std::vector<double> state(100);
  std::memcpy(state.data(), common, 100 * sizeof(double));
  std::int32_t counters[3];
  std::memcpy(counters, static_cast<const char*>(common) + 100 * sizeof(double), sizeof(counters));
  for (std::int32_t counter : counters) state.push_back(counter);
  return state;
}

}  // namespace prove
