// Whose a place in a program is, what profiles say, and a program of two loops under the CPU sampler.
#include "overlay/attribution/attribution.hpp"

#include <cstdlib>
#include <sstream>

#include "folder_test.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

std::string category_of(const Place& place) {
  static const Categories list = read_categories();
  return category_of(list, place).name;
}

Place in_program(const std::string& symbol, std::vector<Frame> frames = {}) {
  return {"corsika", symbol, std::move(frames)};
}

TEST(Categories, OfPlaces) {
  const std::vector<Frame> at_call{{"cerenk_", "/t/src/corsika.F"}};
  for (const auto& [category, place] : std::vector<std::pair<const char*, Place>>{
           {"generator", {"libranmar.so.0", "", {}}},
           {"generator", in_program("_ZN3hwy6detailE", {{"f", "/x/gpu-ranmar/src/simd.cpp"}})},
           // A draw inlined at a call site.
           {"generator", in_program("cerenk_", {{"cerenk_", "/t/src/ranmar_draw.inc"}})},
           {"generator", in_program("cerenk_", {{"grndm_", "/t/src/corsika.F"}, at_call[0]})},
           {"light-emission", in_program("cerenk_", at_call)},
           {"light-emission", in_program("cerenk_", {{"cerenk_", "/t/src/not_ranmar.inc"}})},
           {"mathematics", {"libm.so.6", "", {}}},
           {"libraries", {"libc.so.6", "memcpy", {}}},
           {"other", {"[vdso]", "", {}}}})
    EXPECT_EQ(category_of(place), category) << place.symbol << place.object;
}

TEST(Categories, OfRoutines) {
  // The overlay gives CORSIKA's routines other names, and stands in their place.
  const std::pair<const char*, const char*> cases[] = {
      {"generator",
       "rmmard_ rmmaqd_ grndm_ flrndm_ ranf_ rndm_ hwrgen_ rangen_ drangen_ dranegs_ pyr_ psran_ qgran_ "
       "s_rndm_ rm48_ g900gt_ g900st_ rmmard_.constprop.0 _ZN6ranmar6N_AVX24FillEPdm rnm_refill_"},
      {"light-stage",
       "chrstp_ chrini_ chrend_ cherenkov_telout cherenkov_raybnd cherenkov_iact_telescopes "
       "_ZN9cherenkov7corsika5StageD1Ev"},
      {"light-emission", "chrcer_"},
      {"light-telescopes", "cherenkov_stock_telout_ cherenkov_stock_telend_"},
      {"light-refraction", "cherenkov_stock_raybnd_"},
      {"light-longitudinal", "thcksi_"},
      {"startup", "trace_ray_planar.constprop.0 mkwtab_"},
      {"other", "someroutine_"}};
  for (const auto& [category, symbols] : cases) {
    std::istringstream words(symbols);
    for (std::string symbol; words >> symbol;) EXPECT_EQ(category_of(in_program(symbol)), category) << symbol;
  }
}

TEST(PlainNames, WithoutWhatCompilersAdd) {
  for (const auto& [symbol, plain] :
       {std::pair{"s_rndm_", "s_rndm"}, {"coranh_.part.0.constprop.0", "coranh"}, {"MAIN__", "main_"}})
    EXPECT_EQ(plain_name(symbol), plain);
  EXPECT_EQ(demangled("_ZN6ranmar4fillEv"), "ranmar::fill()");
  EXPECT_EQ(demangled("rmmard_"), "rmmard_");
}

TEST(Gprof, FlatProfileWithRowsOfEveryShape) {
  const auto rows = parse_gprof(
      "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
      "  %   cumulative   self              self     total           \n"
      " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
      " 60.00      0.60     0.60   262144                             lbin_\n"
      " 20.00      0.80     0.20  1747990     0.00     0.00  rmmard_\n"
      " 10.00      0.90     0.10                             7up\n"
      " 10.00      1.00     0.10       12     8.33     8.33  rmmaqd_\n"
      "\t\t     Call graph\n"
      "  0.00      1.00     0.00        3     0.00     0.00  operator new (unsigned long)\n"
      "  0.00      2.00\n");
  const std::vector<std::pair<const char*, nlohmann::json>> calls{{"lbin_", 262144},
                                                                  {"rmmard_", 1747990},
                                                                  {"7up", nullptr},
                                                                  {"rmmaqd_", 12},
                                                                  {"operator new (unsigned long)", 3}};
  ASSERT_EQ(rows.size(), calls.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["name"], calls[i].first);
    EXPECT_EQ(rows[i]["calls"], calls[i].second);
  }
  EXPECT_NEAR(rows[0]["share"].get<double>(), 0.6, 1e-12);
  const Categories categories = read_categories();
  const auto [share, draws] = gprof_of(rows, generator_of(categories));
  EXPECT_EQ(draws, 1747990u) << "seeding is no draw";
  EXPECT_NEAR(share, 0.3, 1e-12);
}

TEST(CpuSamplesFile, SaysWhereObjectsWere) {
  support::TemporaryFolder folder;
  const CpuSamples samples = read_cpu_samples(
      folder.write("a",
                   "cpu-sampler 4\nsamples 5\npcs\n1500\n1500\n2000\n2000\n2000\nobjects\n1000 2000 10 "
                   "\n3000 4000 0 /right one\nwhole\n"));
  const decltype(samples.counts) counts{{"", {{0x14f0, 2}}}, {"/right one", {}}, {"unmapped", {{0x2000, 3}}}};
  EXPECT_EQ(samples.counts, counts);
}

TEST(BrokenOrMissingFiles, AreErrors) {
  support::TemporaryFolder folder;
  Attribution none;
  EXPECT_THROW(attribute({.counts = {{folder.write("text", "text"), {{1, 1}}}}}, BURNER, {}, none),
               support::Error);
  EXPECT_THROW(read_gprof(BURNER, folder.path() / "gmon.out"), support::Error);
  EXPECT_THROW(read_cpu_samples(folder.path() / "none"), support::Error);
  for (const char* text : {"hello\n", "cpu-sampler 4\nsamples 1\npcs\n1000\nobjects\n",
                           "cpu-sampler 4\nsamples 90\npcs\n1000\nobjects\nwhole\n"})
    EXPECT_THROW(read_cpu_samples(folder.write("a", text)), support::Error) << text;
}

TEST(Addr2line, FramesInnermostFirst) {
  const auto frames = parse_addr2line(
      "0x0000000000001260\nrmx_\n/src/ranmar_draw.inc:2\ncaller_\n/src/t.F:6 (discriminator "
      "2)\n0x00000000000012aa\n??\n"
      "??:?\n");
  ASSERT_EQ(frames.size(), 1u);
  ASSERT_EQ(frames.at(0x1260).size(), 2u);
  EXPECT_EQ(frames.at(0x1260)[0].file, "/src/ranmar_draw.inc");
  EXPECT_EQ(frames.at(0x1260)[1].file, "/src/t.F");
}

Categories two_loops() {
  return nlohmann::json::parse(R"([
      {"name": "generator", "accelerated": true, "helper_threads": true, "symbols": ["hot_loop"]},
      {"name": "warm", "symbols": ["warm_loop"]},
      {"name": "other", "objects": ["*"]}])");
}

/// What the sampler writes of the burner, which leaves in the way that `how` names.
CpuSamples burnt(const std::string& how) {
  const support::TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  const auto command =
      "CPU_SAMPLER_OUT=" + out + " LD_PRELOAD=" CPU_SAMPLER " " BURNER " " + how + " > " + out + ".said";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(folder.read("out.said").find("burnt\n"), 0U);
  EXPECT_FALSE(fs::exists(out + ".part"));
  const CpuSamples w = read_cpu_samples(out);
  EXPECT_TRUE(w.counts.contains(""));
  EXPECT_GE(w.samples, 5u) << "of 30 at the slowest kernel tick, 100 Hz: a crowded machine loses many";
  std::uint64_t held = w.lost;
  for (const auto& [object, counts] : w.counts)
    for (const auto& [address, count] : counts) held += count;
  EXPECT_EQ(held, w.samples);
  EXPECT_GE(w.main_cpu_ns, 290'000'000u);
  EXPECT_LE(w.main_cpu_ns, w.cpu_ns);
  EXPECT_LE(static_cast<double>(w.samples), 1.1 * static_cast<double>(w.main_cpu_ns) / 1e6);
  return w;
}

// "return" and "thread": below.
TEST(CpuSampler, WritesAtEveryWayOutAndDoesNothingUnasked) {
  for (const char* how : {"exit 0.3", "_exit 0.3", "child 0.3"}) burnt(how);
  EXPECT_EQ(std::system("LD_PRELOAD=" CPU_SAMPLER " " BURNER " return 0.3 > /dev/null"), 0);
}

TEST(Attribution, TwoLoopsThreeToOneAddUpAndAccumulate) {
  const Categories categories = two_loops();
  Attribution found;
  const CpuSamples samples = burnt("return");
  attribute(samples, BURNER, categories, found);
  attribute(samples, BURNER, categories, found);
  EXPECT_TRUE(found.lines);
  EXPECT_EQ(found.runs, 2);
  // 200 samples at least: three standard deviations are 0.1.
  const auto json = samples_json(found, categories);
  EXPECT_NEAR(json["categories"]["generator"].get<double>(), 0.75, 0.12);
  EXPECT_NEAR(json["categories"]["warm"].get<double>(), 0.25, 0.12);
  EXPECT_GT(json["real_interval_ms"], 0.5);
  EXPECT_EQ(json["top"][0]["symbol"], "hot_loop");
  double sum = 0;
  for (const double share : json["categories"]) sum += share;
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(Attribution, OtherThreadsBelongToTheStageThatOwnsThem) {
  const Categories categories = two_loops();
  Attribution found;
  attribute(burnt("thread"), BURNER, categories, found);
  // 0.8 s in the main thread, a quarter of it warm; 0.4 s in the helper.
  const auto shares = samples_json(found, categories)["categories"];
  EXPECT_NEAR(shares["warm"].get<double>(), 0.25 * 0.8 / 1.2, 0.15);
  EXPECT_NEAR(shares["generator"].get<double>(), (0.75 * 0.8 + 0.4) / 1.2, 0.15);
}

}  // namespace
}  // namespace overlay
