// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report says verified only when it is, and its JSON has the documented keys.

#include "shardwise/driver/RunReport.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardwise;
using driver::Oracle;
using driver::OutputReport;
using driver::RunReport;
using driver::TensorDifference;
using driver::VerificationReport;

namespace {

RunReport makeReport() {
  RunReport report;
  report.program = "model.mlir";
  report.mesh = *core::parseMesh(R"(["data"=4, "model"=2])");
  OutputReport output;
  output.shape = {8, 16};
  output.dtype = "f32";
  output.sharding = R"([{"data"}, {}])";
  output.againstUnpartitioned.emplace();
  output.againstUnpartitioned->maxAbsError = 1e-7;
  output.againstUnpartitioned->maxRelError = 2e-7;
  report.outputs.push_back(output);
  report.collectives.push_back({core::CollectiveKind::AllReduce, R"({"data"})", 3, 5, 1536});
  report.forcedGathers.push_back(
      {0, "sort", "model.mlir:4:8", "model.py:7", "%x", 1, R"({"model"})",
       R"(sort needs all of dimension 1 of %x, which is on {"model"})", 2048});
  report.peakBytesPerDevice = 1000;
  report.unpartitionedPeakBytes = 4000;
  return report;
}

TensorDifference failing() {
  TensorDifference difference;
  difference.maxAbsError = difference.maxRelError = 1;
  difference.numFailing = 2;
  difference.firstFailing = 5;
  difference.actualThere = 2;
  difference.expectedThere = 1;
  return difference;
}

TEST(RunReportTest, isVerifiedOnlyIfEveryOutputWasComparedAndPasses) {
  RunReport report = makeReport();
  EXPECT_TRUE(report.isVerified());
  EXPECT_FALSE(report.hasFailures());
  report.outputs[0].againstExpected = failing();
  EXPECT_FALSE(report.isVerified());
  EXPECT_TRUE(report.hasFailures());
  report.outputs[0].againstExpected.reset();
  report.outputs[0].againstUnpartitioned.reset();
  EXPECT_FALSE(report.isVerified());
  EXPECT_FALSE(report.hasFailures());
}

TEST(RunReportTest, textNamesVerdictErrorsCollectivesAndMemory) {
  std::string text = toText(makeReport());
  for (const char *fragment :
       {"model.mlir: verified on 8 devices, mesh <[\"data\"=4, \"model\"=2]>", "8x16xf32",
        "1.0e-07", "2.0e-07", "all_reduce", "1.5 KiB", "1000 B", "25 %",
        "2.0 KiB  sort needs all of dimension 1 of %x, which is on {\"model\"}, model.mlir:4:8"})
    EXPECT_NE(text.find(fragment), std::string::npos) << fragment << " is missing in\n" << text;
}

TEST(RunReportTest, textListsTenForcedGathers) {
  RunReport report = makeReport();
  report.forcedGathers.assign(12, report.forcedGathers.front());
  EXPECT_NE(toText(report).find("2 more (--json has them)"), std::string::npos) << toText(report);
  report.forcedGathers.clear();
  EXPECT_EQ(toText(report).find("gathers"), std::string::npos);
}

TEST(RunReportTest, textShowsTheFirstWrongElement) {
  RunReport report = makeReport();
  report.outputs[0].againstUnpartitioned = failing();
  std::string text = toText(report);
  EXPECT_NE(text.find("NOT verified"), std::string::npos);
  EXPECT_NE(text.find("2 of 128 elements; the first is element 5 (row-major): 2 instead of 1"),
            std::string::npos)
      << text;
}

TEST(RunReportTest, textSaysWhatTheProgramItselfMovesBy) {
  RunReport report = makeReport();
  report.verification = VerificationReport{Oracle::Compiled, 0.5, 4, 2.25};
  TensorDifference &difference = *report.outputs[0].againstUnpartitioned;
  difference.excused = {.count = 3, .element = 7, .error = 2e-5, .movement = 8e-5};
  std::string text = toText(report);
  for (const char *fragment :
       {"output 0: 3 of 128 elements are out of tolerance from the unpartitioned run and pass as "
        "rounding: element 7 (row-major) differs by 2e-05; the program itself moves by 8e-05 under "
        "one-ulp "
        "changes\n",
        "unpartitioned by the compiled path in 0.500 s, 4 times disturbed in 2.250 s\n"})
    EXPECT_NE(text.find(fragment), std::string::npos) << fragment << " is missing in\n" << text;
  auto json = nlohmann::json::parse(toJson(report));
  EXPECT_EQ(json["compared_with"], "compiled");
  EXPECT_EQ(json["verify_seconds"], 2.75);
  EXPECT_EQ(json["disturbed_evaluations"], 4);
  EXPECT_EQ(json["outputs"][0]["excused_elements"], 3);
  EXPECT_EQ(json["outputs"][0]["excused_error"], 2e-5);
  EXPECT_EQ(json["outputs"][0]["excused_movement"], 8e-5);

  difference = failing();
  difference.movementThere = 0.125;
  text = toText(report);
  EXPECT_NE(text.find("2 instead of 1; it differs by 1, the program itself moves by 0.12 under "
                      "one-ulp changes\n"),
            std::string::npos)
      << text;
  json = nlohmann::json::parse(toJson(report));
  EXPECT_EQ(json["outputs"][0]["failing_elements"], 2);
  EXPECT_EQ(json["outputs"][0]["failing_movement"], 0.125);

  difference.jumpsThere = true;
  text = toText(report);
  EXPECT_NE(text.find("2 instead of 1; the program itself has other values there under one-ulp "
                      "changes, but not this one\n"),
            std::string::npos)
      << text;
}

TEST(RunReportTest, whatWasExpectedHasItsOwnExcuses) {
  RunReport report = makeReport();
  TensorDifference &difference = report.outputs[0].againstExpected.emplace();
  difference.excused = {.count = 3, .element = 7, .error = 2e-5, .movement = 8e-5};
  EXPECT_NE(toText(report).find("3 of 128 elements are out of tolerance from the expected output"),
            std::string::npos);
  auto entry = nlohmann::json::parse(toJson(report))["outputs"][0];
  EXPECT_FALSE(entry.contains("excused_elements"));
  EXPECT_EQ(entry["expected_excused_elements"], 3);
  EXPECT_EQ(entry["expected_excused_movement"], 8e-5);
}

TEST(RunReportTest, repeatsTellMediansByBothClocks) {
  RunReport report = makeReport();
  report.runSeconds = driver::medianSeconds({0.5, 0.25, 1.0});
  EXPECT_EQ(report.runSeconds, 0.5);
  EXPECT_EQ(driver::medianSeconds({1, 4, 2, 3}), 3) << "a time that was measured, not a mean";
  EXPECT_EQ(toText(report).find("of all processors"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(toJson(report)).contains("repeat_processor_seconds"));
  report.repeatSeconds = {0.5, 0.25, 1.0};
  report.repeatProcessorSeconds = {0.75, 1.5, 1.25};
  EXPECT_NE(toText(report).find("ran in 0.500 s, the median of 3 runs (0.250 s to 1.000 s), of all "
                                "processors 1.250 s"),
            std::string::npos)
      << toText(report);
  EXPECT_EQ(nlohmann::json::parse(toJson(report))["repeat_processor_seconds"],
            nlohmann::json({0.75, 1.5, 1.25}));
}

TEST(RunReportTest, jsonHasTheDocumentedKeys) {
  auto json = nlohmann::json::parse(toJson(makeReport()));
  EXPECT_EQ(json["devices"], 8);
  EXPECT_EQ(json["mesh"], R"(["data"=4, "model"=2])");
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["outputs"][0]["index"], 0);
  EXPECT_EQ(json["outputs"][0]["shape"], nlohmann::json({8, 16}));
  EXPECT_EQ(json["outputs"][0]["dtype"], "f32");
  EXPECT_EQ(json["outputs"][0]["sharding"], R"([{"data"}, {}])");
  EXPECT_EQ(json["outputs"][0]["max_abs_error"], 1e-7);
  EXPECT_EQ(json["outputs"][0]["max_rel_error"], 2e-7);
  EXPECT_EQ(json["collectives"][0]["kind"], "all_reduce");
  EXPECT_EQ(json["collectives"][0]["axes"], R"({"data"})");
  EXPECT_EQ(json["collectives"][0]["count"], 3);
  EXPECT_EQ(json["collectives"][0]["tensors"], 5);
  EXPECT_EQ(json["collectives"][0]["bytes_received_per_device"], 1536);
  EXPECT_EQ(json["forced_gathers"][0]["op"], "sort");
  EXPECT_EQ(json["forced_gathers"][0]["place"], "model.mlir:4:8");
  EXPECT_EQ(json["forced_gathers"][0]["source"], "model.py:7");
  EXPECT_EQ(json["forced_gathers"][0]["value"], "%x");
  EXPECT_EQ(json["forced_gathers"][0]["dimension"], 1);
  EXPECT_EQ(json["forced_gathers"][0]["axes"], R"({"model"})");
  EXPECT_EQ(json["forced_gathers"][0]["bytes_received_per_device"], 2048);
  EXPECT_EQ(json["peak_bytes_per_device"], 1000);
  EXPECT_EQ(json["unpartitioned_peak_bytes"], 4000);
  EXPECT_TRUE(json["compared_with"].is_null());
  EXPECT_TRUE(json.contains("compile_seconds"));
  EXPECT_TRUE(json.contains("run_seconds"));
}

} // namespace
