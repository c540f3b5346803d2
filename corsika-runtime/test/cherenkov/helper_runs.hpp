// One run twice: as CORSIKA does it, and with the stage on a helper thread.
#pragma once

#include "corsika_runtime/cherenkov/helper_thread.hpp"
#include "played_steps.hpp"
#include "two_runs.hpp"

namespace cherenkov::test {

using cherenkov::corsika::ChargedStep;
using cherenkov::corsika::HelperThread;
using cherenkov::corsika::kChunkSteps;
using cherenkov::corsika::RecordedSteps;

inline bool collect_fails = false;

// In flat air or in the curved geometry.
class AnyHelperRuns : public CurvedRuns {
 protected:
  using CurvedRuns::CurvedRuns;

  void start(const corsika::Routines& routines, corsika::LightTarget target,
             const HelperThread::StartDevice& start_device, std::size_t batch_chunks = 32) {
    helper.reset();
    memory.resize(2 * batch_chunks);
    helper = std::make_unique<HelperThread>(routines, std::move(target), memory, curved, start_device);
  }
  HelperThread::StartDevice played_device() {
    return [this](std::span<std::byte>) { return std::make_unique<PlayedSteps>(script); };
  }
  void hand_over() {
    if (count > 0) helper->add(count, emission, staged_shower.surroundings(), in_corsika);
    count = 0;
  }
  // Afterwards both runs are equal.
  void drain() {
    hand_over();
    helper->drain(in_corsika);
    expect_equal();
  }

  std::vector<corsika::RecordedSteps> memory;
  bool curved = false;
  int count = 0, done_by_corsika = 0;
  corsika::Emission emission{};
  HelperThread::DoInCorsika in_corsika;
  StepsScript script;
  std::unique_ptr<HelperThread> helper;
};

class HelperRuns : public AnyHelperRuns {
 protected:
  HelperRuns() : AnyHelperRuns(61) {
    emission = {0.01, 400., 20., 0.24, true, index_of, density_of};
    in_corsika = [this](const RecordedSteps& recorded, int i) {
      ++done_by_corsika;
      cerenk(recorded.step(i), staged_shower.surroundings(), staged);
    };
    collect_fails = false;
    make({});
  }
  void make(const HelperThread::StartDevice& start_device, std::size_t batch_chunks = 32) {
    corsika::Routines routines = staged.routines();
    routines.collect = [](Hit& light) {
      if (collect_fails) throw std::runtime_error("it fails");
      return Package::played()->collect(light);
    };
    start(routines, corsika::target_of(routines), start_device, batch_chunks);
  }
  void make_with_device(std::size_t batch_chunks = 32) {
    make(played_device(), batch_chunks);
    helper->wait_for_start();
  }
  void new_event() {
    TwoRuns::new_event(0.9, true, 0., 0.);
    shower.context.cut_w = staged_shower.context.cut_w = emission.cut_w;
  }
  // In CORSIKA, and into the record.
  void step(const ChargedStep& one) {
    cerenk(one, shower.surroundings(), plain);
    helper->next_chunk().set(count++, one);
    if (count == kChunkSteps) hand_over();
  }
  // are_short: most of them, so that their light is in one bin, as a shower's.
  void random_steps(int n, bool are_short = false) {
    double bunch_size = 0.;
    for (int i = 0; i < n; ++i) {
      ChargedStep one = random_charged_step(random, shower, plain, emission.yield, bunch_size);
      if (are_short && random.turn() < 0.9) shorten(one, random.logarithmic(1e-3, 1e-1));
      if (random.turn() < 0.05) {  // level and at threshold, where the last bit of an index decides
        one.z_end = one.z_begin;
        one.begin_energy = kElectron / std::sqrt(1. - 1. / std::pow(index_of(&one.z_begin), 2));
        one.begin_energy *= 1. + random.sign() * random.logarithmic(1e-16, 1e-11);
        one.end_energy = one.begin_energy;
      }
      step(one);
    }
  }
  // An event of n random steps.
  void run_event(int n) {
    new_event();
    random_steps(n);
    drain();
  }
  void cerenk(const ChargedStep& one, const corsika::ObservationContext& context, Package& package) {
    const PlainCerenk loop = plain_cerenk(one, emission);
    corsika::ObservationContext own = context;
    if (own.straight)
      own.straight->begin = one.z_begin, own.straight->end = one.z_end, own.straight->length = one.length;
    if (loop.loop >= 0) plain_step(loop.step, own, package, nullptr, loop.beta_n);
  }
  // One that CORSIKA need not do: behind such a step the rest of a batch is the host's.
  static ChargedStep easy_step() { return electron_step(300., 0.5, 0.49); }
  void easy_steps(int n) {
    for (int i = 0; i < n; ++i) step(easy_step());
  }
  // Of more than 100 bunches, near threshold.
  static ChargedStep corsikas_step() { return electron_step(4e4, 0.05, 0.02); }
};

}  // namespace cherenkov::test
