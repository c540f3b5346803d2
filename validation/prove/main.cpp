// prove: every routine that the patcher replaces in a tree, against the stock body compiled from that same
// tree.
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "prove.hpp"
#include "support/command_line.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace fs = std::filesystem;
using prove::Routine;
using prove::Variant;

namespace {

/// All routines of a patched source file that are replaced, in its order: what the patcher's manifest says of
/// each, and its text.
std::vector<Routine> routines_of(const fs::path& patched_source, const nlohmann::json& manifest) {
  const std::string source = support::read_file(patched_source);
  std::vector<Routine> routines;
  std::size_t at = 0;
  for (const auto& one : manifest.at("routines")) {
    const std::string include = one.value("include", ""), name = one.at("name");
    if (!include.starts_with("ranmar_") || one.at("file") != "src/corsika.F") continue;
    const auto found = source.find(include, at);
    if (found == std::string::npos)
      throw std::runtime_error(patched_source.string() + " lacks the new text of " + name);
    const auto begin = source.rfind('\n', source.rfind("ranmar-overlay begin", found)) + 1;
    at = source.find('\n', source.find("ranmar-overlay end", found)) + 1;
    const auto traits = one.value("traits", nlohmann::json::object());
    // Two names: the first holds under __QGSII__.
    const auto slash = name.find('/');
    routines.push_back({.name = name.substr(slash == std::string::npos ? 0 : slash + 1),
                        .kind = include.substr(7, include.find('.') - 7),
                        .real = traits.value("result", "") == "REAL",
                        .second_name = slash == std::string::npos ? "" : name.substr(0, slash),
                        .entries = traits.value("entries", std::vector<std::string>()),
                        .sequence = traits.value("sequence", ""),
                        .text = source.substr(begin, at - begin)});
  }
  if (routines.empty()) throw std::runtime_error(patched_source.string() + " holds no replaced routine");
  return routines;
}

bool is_in_every_group(const Routine& routine) {
  return routine.kind == "rmmard" || routine.kind == "rmmaqd";
}

// Routines of the same name stand under different options: the n-th of each name goes to the n-th group,
// RMMARD and RMMAQD to each. A group makes four variants.
std::vector<Variant> variants_of(const std::vector<Routine>& routines) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::size_t> group_of;
  for (const Routine& routine : routines) group_of.push_back(seen[routine.name]++);
  std::vector<Variant> variants;
  for (std::size_t group = 0; group <= *std::max_element(group_of.begin(), group_of.end()); ++group) {
    for (const bool conex : {false, true}) {
      for (const bool many : {false, true}) {
        auto& variant = variants.emplace_back();
        variant.name = fmt::format("{}{}{}", group + 1, conex ? "-conex" : "", many ? "-multithin" : "");
        variant.conex = conex, variant.many = many;
        for (std::size_t i = 0; i < routines.size(); ++i)
          if ((group_of[i] == group || is_in_every_group(routines[i])) &&
              (conex || routines[i].sequence != "lseq"))
            variant.routines.push_back(routines[i]);
      }
    }
  }
  return variants;
}

void run(const std::vector<std::string>& argv, const std::string& what) {
  const auto result = support::run({.argv = argv});
  if (result.status != 0)
    throw std::runtime_error(what + " failed:\n" + result.output + "\ncommand: " + support::join(argv));
}

/// The words of a line. The generator's Fortran library is taken whole: the probe calls routines that nothing
/// else does. Other libraries of a link line want routines of a whole CORSIKA.
void add_words(std::vector<std::string>& argv, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const bool whole = word.ends_with("libranmar_fortran.a");
    if (whole) argv.emplace_back("-Wl,--whole-archive");
    argv.push_back(word);
    if (whole) argv.emplace_back("-Wl,--no-whole-archive");
  }
}

// Compiles a variant's routines to the shared library `library`. `replaced`: with __RANMARLIB__ defined, and
// linked by the link line of the build; else the stock bodies. `tree`: of CORSIKA, for its include files.
// `flags`: Fortran's. `work`: a folder for sources. Throws std::runtime_error with the compiler's message.
void compile_side(const Variant& variant, bool replaced, const fs::path& tree, const fs::path& work,
                  const std::string& flags, const fs::path& library) {
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
  if (replaced) add_words(compile, support::read_file(LINK_LINE));
  run(compile, "compiling " + stem);
}

// Makes a patched copy; its log and manifest get their names in `out` when they are whole.
void patch(const fs::path& tree, const fs::path& copy, const fs::path& work, const fs::path& out) {
  const auto result =
      support::run({.argv = {CORSIKA_PATCH, "apply", "--tree", tree.string(), "--out", copy.string(),
                             "--manifest", (work / "manifest.json").string()}});
  if (result.status != 0) throw std::runtime_error("patching a copy of the tree failed: " + result.output);
  support::write_file(out / "patch.log", result.output);
  support::write_file(out / "manifest.json", support::read_file(work / "manifest.json"));
}

}  // namespace

int main(int argc, char** argv) try {
  fs::path tree;
  fs::path out = "build/overlay/prove";
  std::uint64_t draws = 10000000;
  std::string flags = "-O2", library;
  support::read_options(
      argc, argv,
      "Compiles every stock body of a CORSIKA tree beside its replacement and compares results, the sequence "
      "used last and counters over a mixture of draws",
      {{"--tree,--corsika", &tree, "Unpacked stock tree; it is copied, never changed"},
       {"--out", &out, "Working folder"},
       {"--draws", &draws, "Draws of each variant of options"},
       {"--flags", &flags, "Fortran flags of both sides"},
       {"--library", &library,
        "Only compile the stock RMMARD and RMMAQD to this shared library (for the benchmark)"}});

  fs::create_directories(out);
  if (library.empty()) fs::remove(out / "prove.json");  // an earlier proof says nothing of this tree
  // The copy has a name that nobody has, so that no folder of the user's is in its way, nor another prove's.
  const support::TemporaryFolder work(fs::absolute(out), "prove");
  const fs::path copy = work.path() / "tree";
  patch(tree, copy, work.path(), out);

  const std::vector<Routine> routines = routines_of(
      copy / "src" / "corsika.F", nlohmann::json::parse(support::read_file(out / "manifest.json")));
  const std::vector<Variant> variants = variants_of(routines);
  if (!library.empty()) {
    Variant only{.name = "library", .routines = {}};
    for (const Routine& routine : routines)
      if (is_in_every_group(routine)) only.routines.push_back(routine);
    compile_side(only, false, copy, work.path(), flags, work.path() / "library.so");
    support::write_file(library, support::read_file(work.path() / "library.so"));  // under its name at once
    return 0;
  }

  fmt::print("{} routines, {} variants of options, {} draws each\n", routines.size(), variants.size(), draws);
  prove::Tally total;
  for (const Variant& variant : variants) {
    fmt::print(stderr, "prove: variant {} ({} routines)\n", variant.name, variant.routines.size());
    const fs::path stock = work.path() / (variant.name + "-stock.so");
    const fs::path replaced = work.path() / (variant.name + "-replaced.so");
    compile_side(variant, false, copy, work.path(), flags, stock);
    compile_side(variant, true, copy, work.path(), flags, replaced);
    for (const auto& [routine, compared] : prove::compare_draws(variant, stock, replaced, draws, work.path()))
      total[routine] += compared;
  }
  nlohmann::json json;
  fmt::print("{:<28} {:>12}  {}\n", "routine", "comparisons", "differences");
  for (const auto& [routine, compared] : total) {
    fmt::print("{:<28} {:>12}  none\n", routine, compared);
    json["routines"].push_back({{"name", routine}, {"comparisons", compared}, {"equal", true}});
  }
  json["draws_per_variant"] = draws;
  json["flags"] = flags;
  support::write_file(out / "prove.json", json.dump(2) + "\n");

  std::set<std::string> compared;
  for (const auto& [routine, count] : total) compared.insert(routine.substr(0, routine.find(' ')));
  for (const Routine& routine : routines) {
    if (compared.count(routine.name) == 0) throw std::runtime_error(routine.name + " was never compared");
  }
  fmt::print("every replaced routine equals its stock body\n");
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "overlay: error: {}\n", e.what());
  return 1;
}
