// Files that productions and proofs leave, and that later commands read: manifests, attempts, the
// ledger of seeds, proofs. The input's first byte says which; the rest is the file, without the
// checksum where it has one.
#include "fuzz.hpp"
#include "overlay/build/cherenkov_stage.hpp"
#include "overlay/production/run.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/proof/proof.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"

namespace fuzz::records {
namespace {

namespace fs = std::filesystem;

void manifest(const std::string& body) {
  const auto file =
      fuzz::file("run.json", body + ",\n  \"sha256\": \"" + support::sha256_of_text(body) + "\"\n}\n");
  overlay::RunManifest read;
  if (fuzz::refusal([&] { read = overlay::read_manifest(file); })) return;
  const auto text = overlay::manifest_text(read);
  const auto again = overlay::read_manifest(fuzz::file("run.json", text));
  fuzz::require(overlay::manifest_text(again) == text, "a manifest that was written is read as the same",
                text);
  fuzz::require(again.run == read.run && again.starts == read.starts &&
                    again.files.size() == read.files.size() && again.cost.wall_s == read.cost.wall_s,
                "a manifest's numbers are read as they were written", text);
}

void attempts(const std::string& text) {
  const fs::path folder = fuzz::folder() / overlay::attempts_folder(1);
  fs::create_directories(folder / "running");
  fuzz::file((overlay::attempts_folder(1) / "one.json").string(), text);
  fuzz::file((overlay::attempts_folder(1) / "running" / "started.json").string(), text);
  const auto found = overlay::attempts_at(fuzz::folder(), 1);
  fuzz::require(found.size() == 2, "each attempt is found, whatever its file says");
  fuzz::require(overlay::poisoned(fuzz::folder(), 1).empty(), "one failed attempt does not poison a run");
  overlay::note_vanished(fuzz::folder(), 1);
  fs::remove_all(folder);
}

void ledger(const std::string& text) {
  const auto file = fuzz::file("seeds.ledger", text);
  std::int64_t first = 0;
  if (const auto refused = fuzz::refusal([&] { first = overlay::take_places(file, 3, "one\ttwo\nthree"); })) {
    fuzz::require(support::read_file(file) == text, "a refused ledger stays as it is", *refused);
    return;
  }
  fuzz::require(support::read_file(file).starts_with(text.substr(0, text.rfind('\n') + 1)),
                "a ledger keeps its whole lines");
  std::int64_t second = 0;
  if (fuzz::refusal([&] { second = overlay::take_places(file, 2, "next"); })) return;
  fuzz::require(first >= 0 && second == first + 3, "places that were taken are not handed out again");
}

void proof(const std::string& text) {
  const overlay::ProofConditions conditions{"stage", "sources", {"IACT"}, "compiler", "-O2", "-O2"};
  const auto read = overlay::read_proof(fuzz::file("proof.json", text), conditions);
  if (!read) return;
  const auto written = overlay::proof_text(*read);
  const auto again = overlay::read_proof(fuzz::file("proof.json", written), conditions);
  fuzz::require(again && overlay::proof_text(*again) == written,
                "a proof that was written is read as the same", written);
}

}  // namespace

FUZZ_TARGET(records) {
  const int kind = input.byte();
  const std::string text = input.rest();
  switch (kind) {
    case 'm':
      return manifest(text);
    case 'a':
      return attempts(text);
    case 'l':
      return ledger(text);
    case 'p':
      return proof(text);
    default:
      fuzz::refusal([&] { overlay::sources_digest(text, fuzz::file("manifest.json", text).parent_path()); });
  }
}

}  // namespace fuzz::records
