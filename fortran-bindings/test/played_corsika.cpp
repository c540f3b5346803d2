#include "played_corsika.hpp"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "played_device.hpp"

extern "C" {
void rmmard_(double* numbers, int* n, int* sequence);
void raybnd_(double* height, double* u, double* v, double* w, double* x, double* y, double* t);
int telout_(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
            double* height, double* wavelength);
double thcksi_(double* distance);
double thick_(double* height);
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most);
void cherenkov_iact_counters(double** photons, double** bunches);
void rnmskp_(const int* n, const int* sequence);
void rnmget_(const int* sequence, int* iseed);
void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed);
}

namespace cherenkov::test {

Package& staged() {
  static Package package(1.27e5, 5);
  return package;
}
Fails fails = Fails::kNothing;

}  // namespace cherenkov::test

namespace {

using namespace cherenkov::test;

const cherenkov::corsika::Routines& routines() {
  static const cherenkov::corsika::Routines all = staged().routines();
  return all;
}
void fail_if(Fails now) {
  if (fails == now) throw std::runtime_error("played: it fails");
}

}  // namespace

namespace cherenkov::corsika {
std::unique_ptr<DeviceBatches> start_device_batches(const std::string& /*device*/) {
  struct Device : PlayedDevice {
    using PlayedDevice::PlayedDevice;
    ~Device() override { std::fprintf(stderr, "the device is gone\n"); }
  };
  static Script script;
  return std::make_unique<Device>(script);
}
}  // namespace cherenkov::corsika

void rmmard_(double* numbers, int* n, int* sequence) {
  fail_if(Fails::kDraws);
  routines().draw(numbers, n, sequence);
}
void rnmskp_(const int* n, const int* sequence) {
  fail_if(Fails::kDraws);
  routines().step_over(n, sequence);
}
void rnmget_(const int* sequence, int* iseed) { routines().sequence_counters(sequence, iseed); }
void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed) {
  routines().sequence_state(sequence, u, c, indices, iseed);
}
void raybnd_(double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
  routines().refract(height, u, v, w, x, y, t);
}
int telout_(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
            double* height, double* wavelength) {
  fail_if(Fails::kCollect);
  return routines().collect(photons, weight, x, y, u, v, t, height, wavelength);
}
double thcksi_(double* distance) { return routines().thickness(distance); }
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most) {
  return routines().telescopes(footprints, spheres, impact, most);
}
void cherenkov_iact_counters(double** photons, double** bunches) {
  fail_if(Fails::kCounters);
  routines().counters(photons, bunches);
}
// Where light goes straight; none does here.
double thick_(double* height) { return *height; }
