// Progress of runs on standard error.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace overlay {

/// Says on standard error what runs, what it took, and how long the rest will take: the remaining runs of a
/// build are taken to last as long as its runs so far, or as long as the average run where there was none.
class Progress {
 public:
  /// `planned`: number of runs by build; it grows where more are begun.
  explicit Progress(std::map<std::string, int> planned);

  void begin(const std::string& build, const std::string& what);
  void end(double wall_s, double cpu_s);
  double estimate_left_s() const;

 private:
  std::map<std::string, int> planned_, begun_, done_;
  std::map<std::string, double> spent_;
  std::string build_, what_;
  int total_ = 0, started_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace overlay
