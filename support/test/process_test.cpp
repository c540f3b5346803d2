#include "support/process.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "error_of.hpp"

using namespace support;

TEST(Process, StatusOutputInputEnvironment) {
  Command command{{"sh", "-c", "read x; echo \"$x $GREETING\"; echo oops >&2; exit 3"}};
  command.input = "hello\n";
  command.environment["GREETING"] = "world";
  const auto result = run(command);
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.output.find("hello world"), std::string::npos);
  EXPECT_NE(result.output.find("oops"), std::string::npos);
  EXPECT_EQ(run({.argv = {"no-such-program"}}).status, 127);
  EXPECT_EQ(run({.argv = {"sh", "-c", "kill -9 $$"}}).status, 128 + 9);
}

TEST(Process, TimeLimitEndsTheWholeGroup) {
  Command command{{"sh", "-c", "sleep 30 & sleep 30"}};
  command.timeout = std::chrono::seconds(1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(run(command).timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Process, Conversation) {
  std::vector<std::string> heard;
  const auto result = converse(
      {.argv = {"sh", "-c", "printf 'name?|'; read n; printf \"age of $n?|\"; read a; echo $n is $a"}}, "|",
      [&](const std::string& text) {
        heard.push_back(text);
        return heard.size() == 1 ? "Ann\n" : "7\n";
      });
  EXPECT_EQ(heard, (std::vector<std::string>{"name?", "age of Ann?"}));
  EXPECT_NE(result.output.find("Ann is 7"), std::string::npos);
}

TEST(Process, FilesAreWrittenWholeAndUnchangedOnesLeftAlone) {
  support::TemporaryFolder folder;
  const auto file = folder.path() / "f";
  write_file(file, "one");
  const auto time = std::filesystem::last_write_time(file);
  write_file(file, "one");
  EXPECT_EQ(std::filesystem::last_write_time(file), time);
  write_file(file, "two");
  EXPECT_EQ(read_file(file), "two");
  EXPECT_NE(error_of([&] { write_file(file / "below", "x"); }).find("cannot write"), std::string::npos);
}
