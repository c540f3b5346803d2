#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "prove.hpp"
#include "support/process.hpp"

namespace prove {
namespace {

void run(const std::vector<std::string>& argv, const std::string& what) {
  const auto result = support::run({.argv = argv});
  if (result.status != 0)
    throw std::runtime_error(what + " failed:\n" + result.output + "\ncommand: " + support::join(argv));
}

void add_words(std::vector<std::string>& argv, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) argv.push_back(word);
}

// The link line, with the generator's Fortran library taken whole: the probe calls routines that nothing else
// does. Other libraries of the line want routines of a whole CORSIKA.
std::string link_line() {
  std::ifstream file(LINK_LINE);
  std::string line;
  if (!std::getline(file, line))
    throw std::runtime_error("cannot read " LINK_LINE ": build fortran-bindings first");
  return std::regex_replace(line, std::regex(R"(\S*libranmar_fortran\.a)"),
                            "-Wl,--whole-archive $& -Wl,--no-whole-archive");
}

}  // namespace

std::string in_library(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name + "_";
}

void compile_side(const Variant& variant, bool replaced, const std::filesystem::path& tree,
                  const std::filesystem::path& work, const std::string& flags,
                  const std::filesystem::path& library) {
  const std::string stem = variant.name + (replaced ? "-replaced" : "-stock");
  const std::string source = work / (stem + ".F"), plain = work / (stem + ".f");
  {
    std::ofstream out(source, std::ios::binary);
    for (const Routine& routine : variant.routines) out << routine.text;
    std::ifstream probe(PROVE_DIR "/probe.F", std::ios::binary);
    out << probe.rdbuf();
    if (!out || !probe) throw std::runtime_error("cannot write " + source);
  }
  std::vector<std::string> preprocess{"cpp", "-traditional-cpp"}, compile{"gfortran", "-std=legacy", "-w"};
  if (replaced) preprocess.push_back("-D__RANMARLIB__=1");
  if (variant.conex) preprocess.push_back("-D__CONEX__=1");
  if (variant.many) preprocess.insert(preprocess.end(), {"-D__MULTITHIN__=1", "-D__QGSII__=1"});
  // A tree's own conex.h, where its CONEX package is unpacked, comes before ours.
  for (const char* folder : {"src", "include", "conex"})
    preprocess.push_back("-I" + (tree / folder).string());
  preprocess.insert(preprocess.end(), {"-I" BINDINGS_INCLUDE, "-I" PROVE_DIR, source, plain});
  run(preprocess, "preprocessing " + stem);
  add_words(compile, flags);
  compile.insert(compile.end(), {"-fPIC", "-shared", "-Wl,-Bsymbolic", plain, "-o", library});
  if (replaced) add_words(compile, link_line());
  run(compile, "compiling " + stem);
}

Side::Side(const std::filesystem::path& library, const Variant& variant)
    : handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)), second_names_(variant.many) {
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

std::string Side::name_of(const Routine& routine) const {
  const bool second = second_names_ && !routine.second_name.empty();
  return in_library(second ? routine.second_name : routine.name);
}

std::uint64_t Side::function(const Routine& routine) const {
  double dummy = 1.;  // whatever type the dummy argument has, it is not read
  const std::string name = name_of(routine);
  if (routine.real) return std::bit_cast<std::uint32_t>(call<float>(name, &dummy));
  return std::bit_cast<std::uint64_t>(call<double>(name, &dummy));
}

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
