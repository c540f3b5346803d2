// The rows of an OpenCL device, in wall time.
#include <algorithm>

#include "measure.hpp"
#include "src/opencl/api.hpp"

namespace bench {
namespace {

using namespace ranmar::opencl;
constexpr std::size_t kLargestHost = 10000000;

template <class Form>
void add_resident(DeviceMeasure& measure, const char* name, std::size_t n, cl_command_queue queue,
                  cl_mem memory) {
  const auto sequence = std::make_shared<Sequence<Form>>(ranmar::seeded_state<Form>(kSeed), queue);
  measure.add(name, "device", n, sizeof(typename Form::Real),
              [=](std::size_t) { sequence->fill(memory, n); });
}

}  // namespace

std::string opencl_devices() {
  std::string line;
  for (const Device& device : devices())
    line += (line.empty() ? "" : "; ") + device.name + " (" + device.platform + ")";
  return line;
}

bool measure_opencl(std::size_t largest, int repeats, const std::filesystem::path& file,
                    std::vector<std::string>& skipped) {
  std::string why;
  const auto found = devices(&why);
  if (found.empty()) {
    skipped.push_back("rows of an OpenCL device SKIPPED: " + why);
    return false;
  }
  const Device& device = found.front();
  const auto context = context_of(device.id);
  const auto queue = queue_of(context.get(), device.id);
  const auto memory = buffer_of(context.get(), largest * sizeof(double));
  std::vector<double> host(DeviceMeasure::kBuffers * std::min(largest, kLargestHost));
  const auto clock = [&](const Row&, const DeviceMeasure::Work& work) {
    return wall_ns([&] {
      work();
      OPENCL_CALL(clFinish, queue.get());
    });
  };
  DeviceMeasure measure(device.name, clock, repeats);
  for (const std::size_t n : kRequests) {
    if (n > largest) break;
    add_resident<ranmar::Form48>(measure, "opencl 48-bit", n, queue.get(), memory.get());
    add_resident<ranmar::FormExtended48>(measure, "opencl extended", n, queue.get(), memory.get());
    add_resident<ranmar::Form24>(measure, "opencl 24-bit", n, queue.get(), memory.get());
    if (n > kLargestHost) continue;
    measure.add_refills(
        "opencl 48-bit", n, host.data(),
        std::make_shared<Stream<ranmar::Form48>>(ranmar::seeded_state<ranmar::Form48>(kSeed)));
  }
  measure.run(file);
  return true;
}

}  // namespace bench
