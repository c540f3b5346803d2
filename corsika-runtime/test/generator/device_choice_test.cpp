// Which device a process takes: by number, by rank, and by lock, with processes at the same time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "corsika_runtime/generator/device_refills.hpp"

namespace ranmar::corsika {
namespace {

const std::vector<std::string> kTwo = {"0000:01:00.0", "0000:02:00.0"};

struct DeviceChoice : testing::Test {
  DeviceChoice() {
    std::string name = (std::filesystem::temp_directory_path() / "device-choice-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    folder = name;
  }
  ~DeviceChoice() override {
    std::filesystem::remove_all(folder);
    unsetenv("SLURM_LOCALID");
  }
  std::filesystem::path folder;
};

TEST_F(DeviceChoice, ByNumberOrLocalRank) {
  EXPECT_EQ(choose_device("1", kTwo), 1);
  for (const char* wrong : {"2", "-1", "one", "1.5"})
    EXPECT_THROW(choose_device(wrong, kTwo), std::invalid_argument) << wrong;
  setenv("SLURM_LOCALID", "5", 1);
  EXPECT_EQ(choose_device("auto", kTwo), 1);
  EXPECT_EQ(choose_device("", kTwo), 1);
  EXPECT_EQ(choose_device("0", kTwo), 0);
}

TEST_F(DeviceChoice, ClaimsSpread) {
  for (const int device : {0, 1, 0}) EXPECT_EQ(claim_device(kTwo, folder), device);
  EXPECT_EQ(claim_device(kTwo, folder / "none"), 0);
}

TEST_F(DeviceChoice, ProcessesAtOnceSpreadEvenly) {
  int start[2], done[2];
  ASSERT_EQ(pipe(start), 0);
  ASSERT_EQ(pipe(done), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      char go = 0;
      close(start[1]);
      const bool eof = read(start[0], &go, 1) == 0;  // all at once, when the parent closes its end
      const char device = static_cast<char>('0' + claim_device(kTwo, folder));
      const bool told = write(done[1], &device, 1) == 1;
      pause();
      _exit(eof && told ? 0 : 1);
    }
    children.push_back(child);
  }
  close(start[1]);
  std::map<char, int> count;
  for (int i = 0; i < 8; ++i) {
    char device = 0;
    ASSERT_EQ(read(done[0], &device, 1), 1);
    ++count[device];
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  EXPECT_EQ(count['0'], 4);
  EXPECT_EQ(count['1'], 4);
  EXPECT_EQ(claim_device(kTwo, folder), 0) << "slots of processes that were killed are free";
}

}  // namespace
}  // namespace ranmar::corsika
