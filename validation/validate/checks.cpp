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
    add_dieharder();
    add_testu01();
    add_practrand();
    return std::move(checks_);
  }

 private:
  [[nodiscard]] std::string program(const std::string& name) const {
    return quoted((setup_.programs / name).string());
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
  }

  void add_chain(const std::string& source, const std::string& algorithm, int size, const std::string& ratio,
                 long sweeps, Judge how = Judge::kIsing) {
    const std::string what = algorithm + " on " + std::to_string(size) + "^2 spins at " + ratio + " Tc";
    add({.name = "ising-" + source + "-" + algorithm + "-" + std::to_string(size) + "-" + ratio,
         .group = "Ising model",
         .claim = how == Judge::kIsing ? source + " gives the exact energy and specific heat: " + what
                                       : source + " is caught: " + what,
         .command = program("ranmar-ising") + " --source " + source + " --algorithm " + algorithm +
                    " --size " + std::to_string(size) + " --temperature " + ratio + " --sweeps " +
                    std::to_string(sweeps),
         .judge = how,
         .timeout_s = setup_.full ? 12 * 3600 : 600});
  }

  void add_ising() {
    add_chain("r250", "wolff", 16, "1", 150000, Judge::kIsingCaught);
    const long many = setup_.full ? 1000000 : 10000;
    for (const std::string source :
         {"reference", "simd", "engine", "opencl", "cuda", "form24", "extended", "instances"}) {
      add_chain(source, "wolff", 16, "1", setup_.full ? 10000000 : 30000);
      add_chain(source, "wolff", 64, "1", many);
      if (!setup_.full && source != "simd") continue;
      for (const std::string ratio : {"0.95", "1.05"}) add_chain(source, "wolff", 64, ratio, many);
      for (const std::string ratio : {"0.95", "1", "1.05"}) {
        if (!setup_.full && ratio == "1") continue;  // its memory is longer than a short chain
        add_chain(source, "metropolis", 64, ratio, many);
        if (!setup_.full) continue;
        add_chain(source, "metropolis", 128, ratio, many);
        add_chain(source, "wolff", 128, ratio, many);
      }
    }
  }

  void add_battery(const std::string& battery, const std::string& subject, const std::string& test,
                   const std::string& command, Judge how, std::vector<std::string> known = {}) {
    add({.name = battery + "-" + subject + "-" + test,
         .group = battery,
         .claim = battery + " " + test + (how == Judge::kAccepted ? " accepts " : " rejects ") + subject,
         .command = command,
         .judge = how,
         .known_weaknesses = std::move(known),
         .timeout_s = setup_.full ? 6 * 3600 : 600});
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
    // Bits 25 and lower of a number have no arithmetic part: validation/README.md.
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
          subject == "form48" ? weak : std::vector<std::string>{});
  }

  void add_practrand() {
    if (!setup_.has_practrand || !setup_.full) return;
    for (const std::string subject : {"form48", "instances-8"}) {
      add({.name = "practrand-" + subject,
           .group = "PractRand",
           .claim = "PractRand accepts 2^38 bytes of " + subject,
           .command = program("ranmar-stream") + " " + subject +
                      " | RNG_test stdin32 -tlmin 2^38 -tlmax 2^38 -multithreaded > practrand.txt; tail -20 "
                      "practrand.txt; ! grep -q FAIL practrand.txt",
           .timeout_s = 24 * 3600});
    }
  }

  const Setup& setup_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> checks(const Setup& setup) { return List(setup).all(); }

}  // namespace validation
