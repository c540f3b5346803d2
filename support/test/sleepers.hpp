// Processes that only sleep, and whether they still do: for tests of what ends with what.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <thread>

#include "folder_test.hpp"
#include "support/files.hpp"

namespace support {

inline bool lives(pid_t pid) {
  std::string stat;
  const auto error = error_of([&] { stat = read_file("/proc/" + std::to_string(pid) + "/stat"); });
  return error.empty() && stat.compare(stat.rfind(')') + 2, 1, "Z") != 0;
}

inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

/// A command that starts three sleeping processes and writes their process IDs to `list` in the folder: one
/// in the command's group, one in a session of its own, and one whose parent has ended.
inline std::string sleepers(const TemporaryFolder& folder) {
  const auto sleeper =
      folder
          .write("sleeper",
                 "#!/bin/sh\necho $$ >> " + (folder.path() / "list").string() + "\nexec sleep 100\n", true)
          .string();
  return sleeper + " & setsid " + sleeper + " & sh -c 'setsid " + sleeper + " &'; wait";
}

inline std::vector<pid_t> numbers_in(const TemporaryFolder& folder) {
  std::vector<pid_t> result;
  std::istringstream words(folder.read("list"));
  for (pid_t pid = 0; words >> pid;) result.push_back(pid);
  return result;
}

inline bool none_lives(const std::vector<pid_t>& pids) { return std::ranges::none_of(pids, lives); }

}  // namespace support
