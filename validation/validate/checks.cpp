// Which checks there are, short and full.
#include "check.hpp"

namespace validation {
namespace {

/// A word for sh.
std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

class List {
 public:
  explicit List(const Setup& setup) : setup_(setup) {}

  std::vector<Check> all() {
    add_known_answers();
    add_cherenkov();
    add_identity();
    add_ising();
    add_showers();
    add_dieharder();
    add_testu01();
    add_practrand();
    add_nist();
    add_mutation();
    add_fuzzing();
    return std::move(checks_);
  }

 private:
  [[nodiscard]] std::string program(const std::string& name) const {
    return quoted((setup_.programs / name).string());
  }

  [[nodiscard]] std::string script(const std::string& name) const {
    return quoted((setup_.scripts / name).string());
  }

  void add(Check check) { checks_.push_back(std::move(check)); }

  void add_known_answers() {
    for (const std::string backend : {"reference", "simd", "engine", "opencl", "cuda"}) {
      add({.name = "known-answers-" + backend,
           .group = "Known answers",
           .claim = "the backend " + backend + " gives the known answers",
           .command = program("ranmar-known-answers") + " " + quoted(setup_.known_answers.string()) +
                      " --backend " + backend});
    }
  }

  void add_cherenkov() {
    const std::string bunches = setup_.full ? "1000000000" : "5000000";
    add({.name = "brute-force",
         .group = "Cherenkov light",
         .claim = "no skipped bunch hits a telescope",
         .command = program("brute_force") + " --quiet --bunches " + bunches,
         .timeout_s = 6 * 3600});
    add({.name = "brute-force-weakened",
         .group = "Cherenkov light",
         .claim = "brute force sees a margin that is too small",
         .command = program("brute_force") + " --quiet --bunches 1000000 --weaken 60 --expect-misses"});
    add({.name = "brute-force-curved",
         .group = "Cherenkov light",
         .claim = "with CURVED, no skipped bunch hits a telescope",
         .command = program("brute_force") + " --curved --quiet --bunches " + bunches,
         .timeout_s = 6 * 3600});
    add({.name = "brute-force-curved-weakened",
         .group = "Cherenkov light",
         .claim = "with CURVED, brute force sees spheres that are too small",
         .command = program("brute_force") +
                    " --curved --quiet --bunches 1000000 --weaken-spheres 10 --expect-misses"});
    add({.name = "sums",
         .group = "Cherenkov light",
         .claim = "sums by lanes equal sums one by one",
         .command = program("sums") + " --terms " + (setup_.full ? "1000000000" : "10000000"),
         .timeout_s = 6 * 3600});
  }

  void add_identity() {
    const auto overlay = program("overlay");
    const std::string corsika = " --corsika " + quoted(setup_.corsika);
    const auto out = [this](const char* folder) {
      return " --out " + quoted((setup_.out / folder).string());
    };
    add({.name = "prove",
         .group = "Identity",
         .claim = "every replaced routine gives the numbers and states of the stock body",
         .command = overlay + " prove" + corsika + out("prove") + " --draws " +
                    (setup_.full ? "10000000" : "100000"),
         .timeout_s = 3 * 3600});
    std::string run = overlay + " compare" + corsika + out("compare") + " --quick --no-gprof";
    if (setup_.corsika == "standin") run += setup_.full ? " --showers 3" : " --showers 2 --erange 100,500";
    add({.name = "identity",
         .group = "Identity",
         .claim = "stock and patched programs write the same bytes",
         .command = run,
         .timeout_s = 3 * 3600});
    if (!setup_.full || setup_.corsika == "standin") return;
    add({.name = "matrix",
         .group = "Identity",
         .claim = "the same bytes with every profile, flags, generator and Cherenkov stage",
         .command = script("acceptance/matrix") + " --overlay " + overlay + corsika + out("matrix") + " --showers 2",
         .timeout_s = 24 * 3600});
  }

  struct Chain {
    std::string source, algorithm;
    int size;
    std::string ratio;
    long sweeps;
    std::string options{};
    Judge how = Judge::kIsing;
  };

  void add_chain(const Chain& chain) {
    const std::string what =
        chain.algorithm + " on " + std::to_string(chain.size) + "^2 spins at " + chain.ratio + " Tc";
    add({.name = "ising-" + chain.source + "-" + chain.algorithm + "-" + std::to_string(chain.size) + "-" +
                 chain.ratio,
         .group = "Ising model",
         .claim = chain.how == Judge::kIsing
                      ? chain.source + " gives the exact energy and specific heat: " + what
                      : chain.source + " is caught: " + what,
         .command = program("ranmar-ising") + " --source " + chain.source + chain.options + " --algorithm " +
                    chain.algorithm + " --size " + std::to_string(chain.size) + " --temperature " +
                    chain.ratio + " --sweeps " + std::to_string(chain.sweeps),
         .judge = chain.how,
         .timeout_s = setup_.full ? 12 * 3600 : 600});
  }

  /// Chains on the host. One chain is that of every backend, because each backend's numbers are compared.
  void add_ising() {
    const std::string others = " --equal simd,engine,opencl,cuda";
    const long many = setup_.full ? 1000000 : 10000;
    add_chain({"r250", "wolff", 16, "1", setup_.full ? 1000000 : 150000, "", Judge::kIsingCaught});
    for (const std::string source : {"reference", "form24", "extended", "instances"}) {
      const bool backends = source == "reference";
      const std::string options = backends ? others : "";
      add_chain({source, "wolff", 16, "1", setup_.full ? 10000000 : 30000, options});
      add_chain({source, "wolff", 64, "1", many, options});
      if (!setup_.full && !backends) continue;
      for (const std::string ratio : {"0.95", "1.05"}) add_chain({source, "wolff", 64, ratio, many, options});
      if (!backends) continue;
      for (const std::string ratio : {"0.95", "1", "1.05"}) {
        if (!setup_.full && ratio == "1") continue;  // its memory is longer than a short chain
        add_chain({source, "metropolis", 64, ratio, many, options});
        if (!setup_.full) continue;
        add_chain({source, "metropolis", 128, ratio, many, options});
        add_chain({source, "wolff", 128, ratio, many, options});
      }
    }
    add_kernel_chains();
  }

  /// Chains that draw inside a CUDA kernel.
  void add_kernel_chains() {
    add_chain({"cuda-kernel-r250", "wolff", 16, "1", 2000000, "", Judge::kIsingCaught});
    for (const std::string source : {"cuda-kernel", "cuda-kernel-form24", "cuda-kernel-extended"}) {
      for (const int size : {64, 128}) {
        if (!setup_.full && size == 128) continue;
        for (const std::string ratio : {"0.95", "1", "1.05"}) {
          add_chain({source, "wolff", size, ratio, 1000000});
          // 100 chains, each longer than its memory.
          if (setup_.full) add_chain({source, "metropolis", size, ratio, 100000000, " --chains 100"});
        }
      }
    }
  }

  void add_showers() {
    if (!setup_.full) return;
    const auto compare = [this](const std::string& name, const std::string& corsika,
                                const std::string& options) {
      add({.name = "showers-" + name,
           .group = "Showers",
           .claim =
               "showers of other seeds, instances, the extended form and consecutive seeds have the same "
               "distributions: " +
               name,
           .command = script("showers/start") + " " + quoted((setup_.out / ("showers-" + name)).string()) +
                      " --corsika " + quoted(corsika) + " -- " + options,
           .timeout_s = 6 * 3600});
    };
    compare("standin", "standin", "--faults --energy 50");
    if (setup_.corsika != "standin") compare("corsika", setup_.corsika, "--faults --energy 300");
  }

  void add_battery(const std::string& battery, const std::string& subject, const std::string& test,
                   const std::string& command, Judge how, std::vector<std::string> known = {},
                   int timeout_s = 6 * 3600) {
    add({.name = battery + "-" + subject + "-" + test,
         .group = battery,
         .claim = battery + " " + test + (how == Judge::kAccepted ? " accepts " : " rejects ") + subject,
         .command = command,
         .judge = how,
         .known_weaknesses = std::move(known),
         .timeout_s = setup_.full ? timeout_s : 600});
  }

  void add_one_dieharder(const std::string& subject, int test, int tuple, Judge how = Judge::kAccepted) {
    // A seed of its own for each test: a test that is run alone gives what it gives here.
    const int seed = 12345 + 4 * (100 * test + (tuple < 0 ? 0 : tuple));
    const std::string number = std::to_string(test) + (tuple < 0 ? "" : "." + std::to_string(tuple));
    std::string command = program("ranmar-stream") + " " + subject + " --seed " + std::to_string(seed) +
                          " | dieharder -g 200 -d " + std::to_string(test);
    if (tuple >= 0) command += " -n " + std::to_string(tuple);
    add_battery("dieharder", subject, number, command, how);
  }

  void add_dieharder() {
    if (!setup_.has_dieharder) {
      add({.name = "dieharder",
           .group = "dieharder",
           .claim = "dieharder accepts the generator",
           .command = "echo 'SKIPPED: there is no dieharder; install the package dieharder'; exit 77"});
      return;
    }
    if (!setup_.full) {
      for (const std::string subject : {"form48", "instances-8", "seeds-4"})
        for (const int test : {0, 8, 10, 15, 100, 205}) add_one_dieharder(subject, test, -1);
      for (const std::string subject : {"form48-low24", "form24", "extended"})
        for (const int test : {0, 8, 15}) add_one_dieharder(subject, test, -1);
      add_one_dieharder("randu", 8, -1, Judge::kRejected);
      add_one_dieharder("form24-padded", 8, -1, Judge::kRejected);
      return;
    }
    for (const std::string subject :
         {"form48", "instances-8", "form48-low24", "form24", "seeds-4", "extended"}) {
      for (int test = 0; test <= 17; ++test)
        if (test != 14) add_one_dieharder(subject, test, -1);  // 14: not to be used, dieharder says
      for (const int test : {100, 101, 102, 204, 205, 206, 207, 208, 209})
        add_one_dieharder(subject, test, -1);
      for (int tuple = 1; tuple <= 12; ++tuple) add_one_dieharder(subject, 200, tuple);
      for (int tuple = 2; tuple <= 5; ++tuple) {
        add_one_dieharder(subject, 201, tuple);
        add_one_dieharder(subject, 202, tuple);
      }
      for (int tuple = 0; tuple <= 32; ++tuple) add_one_dieharder(subject, 203, tuple);
    }
  }

  void add_testu01() {
    if (!setup_.has_testu01) {
      add({.name = "testu01",
           .group = "TestU01",
           .claim = "TestU01 accepts the generator",
           .command = "echo 'SKIPPED: TestU01 was not found when the tools were built; give cmake "
                      "-DTESTU01_DIR=FOLDER'; exit 77"});
      return;
    }
    const auto run = [this](const std::string& battery, int tests, const std::string& subject, Judge how,
                            const std::vector<std::string>& known) {
      for (int test = 1; test <= tests; ++test)
        add_battery(
            battery, subject, std::to_string(test),
            program("ranmar-testu01") + " " + battery + " " + std::to_string(test) + " " + subject + " 12345",
            how, known);
    };
    // Bits 25 and lower of a number have no arithmetic part: docs/results.md.
    const std::vector<std::string> weak{"WeightDistrib", "WeightDistrib, r = 24"};
    run("SmallCrush", 10, "form48", Judge::kAccepted, weak);
    for (const std::string subject : {"form48-high24", "form48-low24", "form48-reversed", "form24",
                                      "extended", "instances-8", "instances-64", "seeds-4"})
      if (setup_.full || subject == "instances-8" || subject == "extended")
        run("SmallCrush", 10, subject, Judge::kAccepted, {});
    add_battery("SmallCrush", "randu", "1", program("ranmar-testu01") + " SmallCrush 1 randu 12345",
                Judge::kRejected);
    if (!setup_.full) return;
    for (const std::string subject :
         {"form48", "instances-8", "form48-low24", "seeds-4", "extended", "form24"})
      run("Crush", 96, subject, Judge::kAccepted, subject == "form48" ? weak : std::vector<std::string>{});
    for (const std::string subject : {"form48", "instances-8"})
      run("BigCrush", 106, subject, Judge::kAccepted,
          subject == "form48" ? std::vector<std::string>{"Gap, r = 25", "WeightDistrib, r = 26",
                                                         "WeightDistrib, r = 28", "HammingIndep, L=300, r=26"}
                              : std::vector<std::string>{});
  }

  void add_practrand() {
    if (!setup_.full) return;
    if (!setup_.has_practrand) {
      add({.name = "practrand",
           .group = "PractRand",
           .claim = "PractRand accepts the generator",
           .command = "echo 'SKIPPED: there is no RNG_test of PractRand on the PATH'; exit 77"});
      return;
    }
    // PractRand rejects the lowest bits, sooner or later: docs/results.md.
    add_one_practrand("form48-high24", 38, Judge::kAccepted, {});
    add_one_practrand("instances-8", 36, Judge::kAccepted, {});
    add_one_practrand("form48", 30, Judge::kAccepted, {"[Low1/32]BCFN(2+0,13-4,T)"});
    add_one_practrand("form48-low24", 30, Judge::kRejected, {});
    add_one_practrand("extended", 32, Judge::kRejected, {});
    add_one_practrand("form24", 36, Judge::kRejected, {});
    add_one_practrand("form24-padded", 30, Judge::kRejected, {});
  }

  /// PractRand on 2^`bits` bytes, all of which it must have read.
  void add_one_practrand(const std::string& subject, int bits, Judge how,
                         const std::vector<std::string>& known) {
    const std::string length = std::to_string(1 << (bits - 30)) + "GB";
    const std::string power = "2^" + std::to_string(bits);
    add_battery("PractRand", subject, power,
                program("ranmar-stream") + " " + subject + " | RNG_test stdin32 -tlmin " + length +
                    " -tlmax " + length + " -a -multithreaded | awk '{ print } index($0, \"(" + power +
                    " bytes)\") { read = 1 } END { exit !read }'",
                how, known, 24 * 3600);
  }

  void add_nist() {
    if (!setup_.full) return;
    if (setup_.sts.empty()) {
      add({.name = "NIST",
           .group = "NIST SP 800-22",
           .claim = "NIST's tests accept the generator",
           .command =
               "echo 'SKIPPED: name the folder where the suite of NIST was built in NIST_STS_DIR'; exit 77"});
      return;
    }
    const auto one = [this](const std::string& subject, int sequences, Judge how) {
      add_battery("NIST", subject, std::to_string(sequences),
                  script("batteries/nist") + " --stream " + program("ranmar-stream") + " --sts " +
                      quoted(setup_.sts.string()) + " --sequences " + std::to_string(sequences) + " " +
                      subject,
                  how, {}, 24 * 3600);
    };
    one("form24-padded", 60, Judge::kRejected);
    one("form48", 1000, Judge::kAccepted);
    one("instances-8", 1000, Judge::kAccepted);
  }

  void add_mutation() {
    if (!setup_.full) return;
    const auto run = setup_.known_answers.parent_path().parent_path() / "mutation" / "run";
    add({.name = "mutation",
         .group = "Planted faults",
         .claim = "a test catches each planted fault",
         .command = quoted(run.string()) + " --out " + quoted((setup_.out / "mutation").string()),
         .timeout_s = 12 * 3600});
  }

  void add_fuzzing() {
    if (!setup_.full) return;
    add({.name = "fuzzing",
         .group = "Fuzzing",
         .claim = "an hour of changed inputs for each reader of files breaks none",
         .command = script("fuzz/run") + " --minutes 60 --out " + quoted((setup_.out / "fuzzing").string()),
         .timeout_s = 24 * 3600});
  }

  const Setup& setup_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> checks(const Setup& setup) { return List(setup).all(); }

}  // namespace validation
