// What a build is made with: our library, and compiler flags that are judged; and the stage in it.
#include "overlay/build/toolchain.hpp"

#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "overlay/build/cherenkov_stage.hpp"

namespace overlay {
namespace {

TEST(OurLibrary, SharedLibrariesByNameDevicesFingerprintsAndWhatIsNotBuilt) {
  for (const bool cuda : {true, false}) {
    const support::TemporaryFolder folder;
    const std::string more = cuda ? " -lcudart_static -ldl" : " -lstdc++ -lm";
    const auto shared = folder.write("shared/libhwy.so", "library");
    const auto ours = folder.write("build/lib/libours.a", "library");
    const auto includes = folder.write("include/ours.inc", "C").parent_path();
    folder.write("build/bin/corsika-patch", "patcher");
    folder.write("build/fortran-bindings/link-line-cpu.txt",
                 "lib/libours.a " + shared.string() + more + "\n");
    const auto find = [&] { return find_our_library(folder.path() / "build", includes, "off"); };
    const auto library = find();
    EXPECT_EQ(library.with_cuda, cuda);
    EXPECT_EQ(library.link_words, ours.string() + " -L" + shared.parent_path().string() + " -lhwy" + more);
    EXPECT_EQ(library.includes, includes);
    folder.write("build/lib/libours.a", "changed");
    EXPECT_NE(find().library_fingerprint, library.library_fingerprint);
    EXPECT_EQ(find().patcher_fingerprint, library.patcher_fingerprint);
    fs::remove(ours);
    EXPECT_ERROR("libours.a is not there; build the project first", find());
  }
}

std::string refusal(const std::string& flags) {
  return error_of([&] { refuse_flags_that_change_bits(flags); });
}

TEST(FlagProbe, FlagsThatLeaveArithmeticAlone) {
  std::vector<const char*> alone{"-O2 -g -pg"};
#ifdef __x86_64__
  alone.insert(alone.end(), {"-O3 -mavx2", "-march=x86-64-v3 -ffp-contract=off"});
  if (__builtin_cpu_supports("avx512f")) alone.push_back("-O3 -mavx512f -ffp-contract=off");  // it runs here
#endif
  for (const char* flags : alone) EXPECT_EQ(refusal(flags), "") << flags;
}

TEST(FlagProbe, ChangesOfNumbers) {
  for (const auto& [flags, part] : {std::pair{"-Ofast", "no-NaN"},
                                    {"-freciprocal-math", "reciprocals-for-divisions"},
                                    {"-fassociative-math", "reordered-sums"},
                                    {"-O2 -funsafe-math-optimizations", "reordered-sums"},
                                    {"-fno-signed-zeros", "no-signed-zeros"},
                                    {"-fsingle-precision-constant", "single-precision-constants"},
                                    {"-fdefault-real-8", "other-sizes-of-REAL"},
                                    {"-fno-such-flag", "does not take the flags '-fno-such-flag'"}})
    EXPECT_PRED2(holds, refusal(flags), part);
#ifdef __x86_64__
  EXPECT_EQ(probe_flags("-mfpmath=387"), std::set<std::string>{"extra-x87-bits"});
  // Fused operations. A processor that nobody has here does not run them.
  for (const char* flags : {"-mfma", "-O2 -mavx512f", "-mfma4"}) EXPECT_NE(refusal(flags), "") << flags;
#endif
}

const std::string kCall = "      SUBROUTINE CHRINI( CHRVAR )\n";

CherenkovStage of(const std::string& stage, const std::string& calls = kCall, bool asked = true) {
  const support::TemporaryFolder build;
  build.write("tree/src/corsikacompilefile.f", calls);
  build.write("manifest.json",
              R"({"sources": [], "stages": [{"name": "other", "covered": "none"}, {"name": "cherenkov", )" +
                  stage + "}]}");
  Proof conditions;
  const auto found = stage_of_build(build.path(), asked, conditions);
  EXPECT_EQ(conditions.sources.empty(), !found.is_covered());
  return found;
}

TEST(CherenkovStage, SaysWhatIsCoveredAndWhyNot) {
  const auto whole = of(R"("covered": "whole")");
  EXPECT_EQ(whole.text(), "whole loop, not proven (overlay prove --cherenkov does that)");
  EXPECT_FALSE(whole.works);
  auto bunches = of(R"("covered": "bunches", "reason": "option CEFFIC needs the loop")");
  bunches.works = true, bunches.why = "known";
  EXPECT_EQ(bunches.text(), "bunch by bunch, known: option CEFFIC needs the loop");
  EXPECT_EQ(of(R"("covered": "none", "reason": "option IACT is not chosen")", "").text(),
            "not covered: option IACT is not chosen");
  EXPECT_PRED2(holds, of(R"("covered": "whole")", "", false).text(), "-ffp-contract=off");
  EXPECT_FALSE(of(R"("covered": "whole")", "      CALL CHRCER( STEPCR )\n").is_covered());
}

TEST(CherenkovStage, AManifestThatIsCutIsNamed) {
  Proof conditions;
  for (const char* text : {"", "{\"sources\": [", "[]", "{\"stages\": 1}"}) {
    const support::TemporaryFolder build;
    build.write("manifest.json", text);
    EXPECT_ERROR("manifest.json is not as the patcher wrote it; delete",
                 stage_of_build(build.path(), true, conditions));
  }
}

/// A tree's digest with the objects given, where the source `changed` has another text.
std::string digest(const std::vector<std::string>& objects, const std::string& changed = "") {
  const support::TemporaryFolder tree;
  for (const auto& object : objects) tree.write(object, "");
  std::string list;
  for (const std::string path : {"include/a.h", "iact/iact.c", "iact/iact.h", "other/x.f", "other/x.inc",
                                 "src/corsika.F", "src/model.f"})
    list += std::string(list.empty() ? "" : ",") + R"({"path": ")" + path + R"(", "sha256": ")" +
            (path == changed ? "1" : "0") + R"("})";
  return sources_digest(nlohmann::json::parse("{\"sources\": [" + list + "]}"), tree.path());
}

TEST(SourcesDigest, CountsFoldersInWhichSomethingWasCompiled) {
  const std::vector<std::string> objects = {"iact/libiact_a-iact.o", "src/corsika-corsikacompilefile.o"};
  const auto all = digest(objects);
  for (const char* counts : {"include/a.h", "iact/iact.c", "iact/iact.h", "src/corsika.F", "src/model.f"})
    EXPECT_NE(digest(objects, counts), all) << counts;
  for (const char* other : {"other/x.f", "other/x.inc"}) EXPECT_EQ(digest(objects, other), all) << other;
  EXPECT_NE(digest({"iact/iact.o", "src/corsika.o", "other/x.o"}), all);
}

}  // namespace
}  // namespace overlay
