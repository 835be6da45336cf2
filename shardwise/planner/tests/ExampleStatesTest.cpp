// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worked examples: what every device holds before the first and after every step, and what
// each step receives, under the exact, the uniform and the basis strategy.
//
// The contents were written down from the definition of a shard (flattened ceil-div rule) by hand
// and by a script that shares nothing with this program. Element names are digits from 1, "|"
// separates devices along the last mesh axis, "/" the one before, "//" the one before that, ";"
// rows.

#include "shardwise/planner/model/PlanText.h"
#include "shardwise/planner/tests/PlanTesting.h"
#include "shardwise/planner/verify/MeasurePlan.h"

namespace shardwise::planner {
namespace {

constexpr std::string_view k2x3 = R"(["a"=2, "b"=3])";
constexpr std::string_view k2x2x2x2 = R"(["a"=2, "b"=2, "c"=2, "d"=2])";
constexpr std::string_view k2x2x2 = R"(["a"=2, "b"=2, "c"=2])";

/// A state, and the step that led to it: nothing for the first.
struct State {
  std::string step;
  std::string sharding;
  int64_t receivedBytes;
  std::string contents;
};

/// Where every strategy starts and what it ends with in example D2.
const State kD2Start = {"", R"([{"d", "c"}, {}, {"a", "b"}])", 0,
                        "111;121;131;141 | 311;321;331;341 / 211;221;231;241 | 411;421;431;441 // "
                        "112;122;132;142 | 312;322;332;342 / 212;222;232;242 | 412;422;432;442 // "
                        "113;123;133;143 | 313;323;333;343 / 213;223;233;243 | 413;423;433;443 // "
                        "114;124;134;144 | 314;324;334;344 / 214;224;234;244 | 414;424;434;444"};
const std::string kD2Contents =
    "111 112 113 114;211 212 213 214 | 111 112 113 114;211 212 213 214 / 121 122 123 124;221 "
    "222 223 224 | 121 122 123 124;221 222 223 224 // 131 132 133 134;231 232 233 234 | 131 "
    "132 133 134;231 232 233 234 / 141 142 143 144;241 242 243 244 | 141 142 143 144;241 242 "
    "243 244 // 311 312 313 314;411 412 413 414 | 311 312 313 314;411 412 413 414 / 321 322 "
    "323 324;421 422 423 424 | 321 322 323 324;421 422 423 424 // 331 332 333 334;431 432 "
    "433 434 | 331 332 333 334;431 432 433 434 / 341 342 343 344;441 442 443 444 | 341 342 "
    "343 344;441 442 443 444";

struct Example {
  std::string_view name;
  std::vector<Strategy> strategies;
  std::string_view mesh;
  core::Shape shape;
  int64_t bound;
  std::vector<State> states;
};

const std::vector<Example> kExamples = {
    {"E1",
     {Strategy::Optimal, Strategy::Uniform, Strategy::Basis},
     k2x3,
     {6},
     1,
     {{"", R"([{"a", "b"}])", 0, "11 | 12 | 13 / 21 | 22 | 23"},
      {"collective_permute", R"([{"b", "a"}])", 1, "11 | 13 | 22 / 12 | 21 | 23"}}},
    {"E2",
     {Strategy::Optimal, Strategy::Uniform, Strategy::Basis},
     k2x3,
     {6},
     2,
     {{"", R"([{"a", "b"}])", 0, "11 | 12 | 13 / 21 | 22 | 23"},
      {"collective_permute", R"([{"b", "a"}])", 1, "11 | 13 | 22 / 12 | 21 | 23"},
      {"all_gather", R"([{"b"}])", 1, "11 12 | 13 21 | 22 23 / 11 12 | 13 21 | 22 23"}}},
    {"E2 on rows",
     {Strategy::Optimal, Strategy::Uniform, Strategy::Basis},
     k2x3,
     {2, 3},
     1,
     {{"", R"([{"a"}, {"b"}])", 0, "11 | 12 | 13 / 21 | 22 | 23"},
      {"all_gather", R"([{}, {"b"}])", 1, "11;21 | 12;22 | 13;23 / 11;21 | 12;22 | 13;23"}}},
    {"E3",
     {Strategy::Optimal, Strategy::Uniform, Strategy::Basis},
     k2x3,
     {2, 6},
     4,
     {{"", R"([{}, {"a", "b"}])", 0, "11;21 | 12;22 | 13;23 / 14;24 | 15;25 | 16;26"},
      {"all_gather", R"([{}, {"a"}])", 4,
       "11 12 13;21 22 23 | 11 12 13;21 22 23 | 11 12 13;21 22 23 / 14 15 16;24 25 26 | 14 15 "
       "16;24 25 26 | 14 15 16;24 25 26"}}},
    {"E4",
     {Strategy::Optimal, Strategy::Uniform, Strategy::Basis},
     k2x2x2,
     {4, 8},
     8,
     {{"", R"([{"a"}, {"b", "c"}])", 0,
       "11 12;21 22 | 13 14;23 24 / 15 16;25 26 | 17 18;27 28 // 31 32;41 42 | 33 34;43 44 / 35 "
       "36;45 46 | 37 38;47 48"},
      {"collective_permute", R"([{"a"}, {"c", "b"}])", 4,
       "11 12;21 22 | 15 16;25 26 / 13 14;23 24 | 17 18;27 28 // 31 32;41 42 | 35 36;45 46 / 33 "
       "34;43 44 | 37 38;47 48"},
      {"all_gather", R"([{"a"}, {"c"}])", 4,
       "11 12 13 14;21 22 23 24 | 15 16 17 18;25 26 27 28 / 11 12 13 14;21 22 23 24 | 15 16 17 "
       "18;25 26 27 28 // 31 32 33 34;41 42 43 44 | 35 36 37 38;45 46 47 48 / 31 32 33 34;41 42 "
       "43 44 | 35 36 37 38;45 46 47 48"}}},
    {"E5",
     {Strategy::Optimal},
     k2x3,
     {6, 6},
     6,
     {{"", R"([{"a"}, {"b"}])", 0,
       "11 12;21 22;31 32 | 13 14;23 24;33 34 | 15 16;25 26;35 36 / 41 42;51 52;61 62 | 43 "
       "44;53 54;63 64 | 45 46;55 56;65 66"},
      {"exchange", R"([{"b"}, {"a"}])", 6,
       "11 12 13;21 22 23 | 31 32 33;41 42 43 | 51 52 53;61 62 63 / 14 15 16;24 25 26 | 34 35 "
       "36;44 45 46 | 54 55 56;64 65 66"}}},
    {"E5",
     {Strategy::Uniform},
     k2x3,
     {6, 6},
     6,
     {{"", R"([{"a"}, {"b"}])", 0,
       "11 12;21 22;31 32 | 13 14;23 24;33 34 | 15 16;25 26;35 36 / 41 42;51 52;61 62 | 43 "
       "44;53 54;63 64 | 45 46;55 56;65 66"},
      {"all_to_all", R"([{}, {"b", "a"}])", 3,
       "11;21;31;41;51;61 | 13;23;33;43;53;63 | 15;25;35;45;55;65 / 12;22;32;42;52;62 | "
       "14;24;34;44;54;64 | 16;26;36;46;56;66"},
      {"all_to_all", R"([{"b", "a"}, {}])", 5,
       "11 12 13 14 15 16 | 31 32 33 34 35 36 | 51 52 53 54 55 56 / 21 22 23 24 25 26 | 41 42 "
       "43 44 45 46 | 61 62 63 64 65 66"},
      {"all_to_all", R"([{"b"}, {"a"}])", 3,
       "11 12 13;21 22 23 | 31 32 33;41 42 43 | 51 52 53;61 62 63 / 14 15 16;24 25 26 | 34 35 "
       "36;44 45 46 | 54 55 56;64 65 66"}}},
    {"E5",
     {Strategy::Basis},
     k2x3,
     {6, 6},
     6,
     {{"", R"([{"a"}, {"b"}])", 0,
       "11 12;21 22;31 32 | 13 14;23 24;33 34 | 15 16;25 26;35 36 / 41 42;51 52;61 62 | 43 "
       "44;53 54;63 64 | 45 46;55 56;65 66"},
      {"all_gather", R"([{"a"}, {}])", 12,
       "11 12 13 14 15 16;21 22 23 24 25 26;31 32 33 34 35 36 | 11 12 13 14 15 16;21 22 23 24 "
       "25 26;31 32 33 34 35 36 | 11 12 13 14 15 16;21 22 23 24 25 26;31 32 33 34 35 36 / 41 42 "
       "43 44 45 46;51 52 53 54 55 56;61 62 63 64 65 66 | 41 42 43 44 45 46;51 52 53 54 55 "
       "56;61 62 63 64 65 66 | 41 42 43 44 45 46;51 52 53 54 55 56;61 62 63 64 65 66"},
      {"all_to_all", R"([{}, {"a"}])", 9,
       "11 12 13;21 22 23;31 32 33;41 42 43;51 52 53;61 62 63 | 11 12 13;21 22 23;31 32 33;41 "
       "42 43;51 52 53;61 62 63 | 11 12 13;21 22 23;31 32 33;41 42 43;51 52 53;61 62 63 / 14 15 "
       "16;24 25 26;34 35 36;44 45 46;54 55 56;64 65 66 | 14 15 16;24 25 26;34 35 36;44 45 "
       "46;54 55 56;64 65 66 | 14 15 16;24 25 26;34 35 36;44 45 46;54 55 56;64 65 66"},
      {"all_slice", R"([{"b"}, {"a"}])", 0,
       "11 12 13;21 22 23 | 31 32 33;41 42 43 | 51 52 53;61 62 63 / 14 15 16;24 25 26 | 34 35 "
       "36;44 45 46 | 54 55 56;64 65 66"}}},
    {"E6",
     {Strategy::Optimal},
     R"(["a"=2, "b"=6])",
     {6, 6},
     3,
     {{"", R"([{"a"}, {"b"}])", 0,
       "11;21;31 | 12;22;32 | 13;23;33 | 14;24;34 | 15;25;35 | 16;26;36 / 41;51;61 | 42;52;62 | "
       "43;53;63 | 44;54;64 | 45;55;65 | 46;56;66"},
      {"exchange", R"([{"b"}, {"a"}])", 3,
       "11 12 13 | 21 22 23 | 31 32 33 | 41 42 43 | 51 52 53 | 61 62 63 / 14 15 16 | 24 25 26 | "
       "34 35 36 | 44 45 46 | 54 55 56 | 64 65 66"}}},
    {"E6",
     {Strategy::Uniform},
     R"(["a"=2, "b"=6])",
     {6, 6},
     3,
     {{"", R"([{"a"}, {"b"}])", 0,
       "11;21;31 | 12;22;32 | 13;23;33 | 14;24;34 | 15;25;35 | 16;26;36 / 41;51;61 | 42;52;62 | "
       "43;53;63 | 44;54;64 | 45;55;65 | 46;56;66"},
      {"collective_permute", R"([{"b":(1)2}, {"a", "b":(2)3}])", 3,
       "11;21;31 | 12;22;32 | 13;23;33 | 41;51;61 | 42;52;62 | 43;53;63 / 14;24;34 | 15;25;35 | "
       "16;26;36 | 44;54;64 | 45;55;65 | 46;56;66"},
      {"all_to_all", R"([{"b"}, {"a"}])", 2,
       "11 12 13 | 21 22 23 | 31 32 33 | 41 42 43 | 51 52 53 | 61 62 63 / 14 15 16 | 24 25 26 | "
       "34 35 36 | 44 45 46 | 54 55 56 | 64 65 66"}}},
    {"E6",
     {Strategy::Basis},
     R"(["a"=2, "b"=6])",
     {6, 6},
     3,
     {{"", R"([{"a"}, {"b"}])", 0,
       "11;21;31 | 12;22;32 | 13;23;33 | 14;24;34 | 15;25;35 | 16;26;36 / 41;51;61 | 42;52;62 | "
       "43;53;63 | 44;54;64 | 45;55;65 | 46;56;66"},
      {"all_gather", R"([{"a"}, {}])", 15,
       "11 12 13 14 15 16;21 22 23 24 25 26;31 32 33 34 35 36 | 11 12 13 14 15 16;21 22 23 24 "
       "25 26;31 32 33 34 35 36 | 11 12 13 14 15 16;21 22 23 24 25 26;31 32 33 34 35 36 | 11 12 "
       "13 14 15 16;21 22 23 24 25 26;31 32 33 34 35 36 | 11 12 13 14 15 16;21 22 23 24 25 "
       "26;31 32 33 34 35 36 | 11 12 13 14 15 16;21 22 23 24 25 26;31 32 33 34 35 36 / 41 42 43 "
       "44 45 46;51 52 53 54 55 56;61 62 63 64 65 66 | 41 42 43 44 45 46;51 52 53 54 55 56;61 "
       "62 63 64 65 66 | 41 42 43 44 45 46;51 52 53 54 55 56;61 62 63 64 65 66 | 41 42 43 44 45 "
       "46;51 52 53 54 55 56;61 62 63 64 65 66 | 41 42 43 44 45 46;51 52 53 54 55 56;61 62 63 "
       "64 65 66 | 41 42 43 44 45 46;51 52 53 54 55 56;61 62 63 64 65 66"},
      {"all_to_all", R"([{}, {"a"}])", 9,
       "11 12 13;21 22 23;31 32 33;41 42 43;51 52 53;61 62 63 | 11 12 13;21 22 23;31 32 33;41 "
       "42 43;51 52 53;61 62 63 | 11 12 13;21 22 23;31 32 33;41 42 43;51 52 53;61 62 63 | 11 12 "
       "13;21 22 23;31 32 33;41 42 43;51 52 53;61 62 63 | 11 12 13;21 22 23;31 32 33;41 42 "
       "43;51 52 53;61 62 63 | 11 12 13;21 22 23;31 32 33;41 42 43;51 52 53;61 62 63 / 14 15 "
       "16;24 25 26;34 35 36;44 45 46;54 55 56;64 65 66 | 14 15 16;24 25 26;34 35 36;44 45 "
       "46;54 55 56;64 65 66 | 14 15 16;24 25 26;34 35 36;44 45 46;54 55 56;64 65 66 | 14 15 "
       "16;24 25 26;34 35 36;44 45 46;54 55 56;64 65 66 | 14 15 16;24 25 26;34 35 36;44 45 "
       "46;54 55 56;64 65 66 | 14 15 16;24 25 26;34 35 36;44 45 46;54 55 56;64 65 66"},
      {"all_slice", R"([{"b"}, {"a"}])", 0,
       "11 12 13 | 21 22 23 | 31 32 33 | 41 42 43 | 51 52 53 | 61 62 63 / 14 15 16 | 24 25 26 | "
       "34 35 36 | 44 45 46 | 54 55 56 | 64 65 66"}}},
    {"E7",
     {Strategy::Optimal},
     R"(["a"=3, "b"=4])",
     {16, 23},
     32,
     {{"", R"([{"a"}, {"b"}])", 0,
       "0-5x0-5 | 0-5x6-11 | 0-5x12-17 | 0-5x18-22 / 6-11x0-5 | 6-11x6-11 | 6-11x12-17 | "
       "6-11x18-22 / 12-15x0-5 | 12-15x6-11 | 12-15x12-17 | 12-15x18-22"},
      {"exchange", R"([{"b"}, {"a"}])", 32,
       "0-3x0-7 | 4-7x0-7 | 8-11x0-7 | 12-15x0-7 / 0-3x8-15 | 4-7x8-15 | 8-11x8-15 | 12-15x8-15 "
       "/ 0-3x16-22 | 4-7x16-22 | 8-11x16-22 | 12-15x16-22"}}},
    {"E9",
     {Strategy::Optimal, Strategy::Uniform, Strategy::Basis},
     R"(["a"=3])",
     {6, 6},
     8,
     {{"", R"([{"a"}, {}])", 0,
       "11 12 13 14 15 16;21 22 23 24 25 26 | 31 32 33 34 35 36;41 42 43 44 45 46 | 51 52 53 54 "
       "55 56;61 62 63 64 65 66"},
      {"all_to_all", R"([{}, {"a"}])", 8,
       "11 12;21 22;31 32;41 42;51 52;61 62 | 13 14;23 24;33 34;43 44;53 54;63 64 | 15 16;25 "
       "26;35 36;45 46;55 56;65 66"}}},
    {"E10",
     {Strategy::Optimal},
     k2x2x2,
     {4, 4},
     2,
     {{"", R"([{"a"}, {"b", "c"}])", 0,
       "11;21 | 12;22 / 13;23 | 14;24 // 31;41 | 32;42 / 33;43 | 34;44"},
      {"exchange", R"([{"a", "b"}, {"c"}])", 2,
       "11 12 | 13 14 / 21 22 | 23 24 // 31 32 | 33 34 / 41 42 | 43 44"}}},
    {"E10",
     {Strategy::Uniform, Strategy::Basis},
     k2x2x2,
     {4, 4},
     2,
     {{"", R"([{"a"}, {"b", "c"}])", 0,
       "11;21 | 12;22 / 13;23 | 14;24 // 31;41 | 32;42 / 33;43 | 34;44"},
      {"collective_permute", R"([{"a"}, {"c", "b"}])", 2,
       "11;21 | 13;23 / 12;22 | 14;24 // 31;41 | 33;43 / 32;42 | 34;44"},
      {"all_to_all", R"([{"a", "b"}, {"c"}])", 1,
       "11 12 | 13 14 / 21 22 | 23 24 // 31 32 | 33 34 / 41 42 | 43 44"}}},
    {"E10 on 8x8",
     {Strategy::Uniform},
     k2x2x2,
     {8, 8},
     8,
     {{"", R"([{"a"}, {"b", "c"}])", 0,
       "11 12;21 22;31 32;41 42 | 13 14;23 24;33 34;43 44 / 15 16;25 26;35 36;45 46 | 17 18;27 "
       "28;37 38;47 48 // 51 52;61 62;71 72;81 82 | 53 54;63 64;73 74;83 84 / 55 56;65 66;75 "
       "76;85 86 | 57 58;67 68;77 78;87 88"},
      {"all_to_all", R"([{"a", "b", "c"}, {}])", 6,
       "11 12 13 14 15 16 17 18 | 21 22 23 24 25 26 27 28 / 31 32 33 34 35 36 37 38 | 41 42 43 "
       "44 45 46 47 48 // 51 52 53 54 55 56 57 58 | 61 62 63 64 65 66 67 68 / 71 72 73 74 75 76 "
       "77 78 | 81 82 83 84 85 86 87 88"},
      {"all_to_all", R"([{"a", "b"}, {"c"}])", 4,
       "11 12 13 14;21 22 23 24 | 15 16 17 18;25 26 27 28 / 31 32 33 34;41 42 43 44 | 35 36 37 "
       "38;45 46 47 48 // 51 52 53 54;61 62 63 64 | 55 56 57 58;65 66 67 68 / 71 72 73 74;81 82 "
       "83 84 | 75 76 77 78;85 86 87 88"}}},
    {"D2",
     {Strategy::Optimal},
     k2x2x2x2,
     {4, 4, 4},
     8,
     {kD2Start, {"exchange", R"([{"a"}, {"b", "c"}, {}])", 8, kD2Contents}}},
    {"D2",
     {Strategy::Uniform},
     k2x2x2x2,
     {4, 4, 4},
     8,
     {kD2Start,
      {"collective_permute", R"([{"a", "b"}, {}, {"d", "c"}])", 4,
       "111;121;131;141 | 113;123;133;143 / 112;122;132;142 | 114;124;134;144 // "
       "211;221;231;241 | 213;223;233;243 / 212;222;232;242 | 214;224;234;244 // "
       "311;321;331;341 | 313;323;333;343 / 312;322;332;342 | 314;324;334;344 // "
       "411;421;431;441 | 413;423;433;443 / 412;422;432;442 | 414;424;434;444"},
      {"all_to_all", R"([{"a"}, {"b", "c"}, {"d"}])", 3,
       "111 112;211 212 | 113 114;213 214 / 121 122;221 222 | 123 124;223 224 // 131 132;231 "
       "232 | 133 134;233 234 / 141 142;241 242 | 143 144;243 244 // 311 312;411 412 | 313 "
       "314;413 414 / 321 322;421 422 | 323 324;423 424 // 331 332;431 432 | 333 334;433 434 / "
       "341 342;441 442 | 343 344;443 444"},
      {"all_gather", R"([{"a"}, {"b", "c"}, {}])", 4, kD2Contents}}},
    {"D2",
     {Strategy::Basis},
     k2x2x2x2,
     {4, 4, 4},
     8,
     {kD2Start,
      {"all_to_all", R"([{"d", "c"}, {"b"}, {"a"}])", 2,
       "111 112;121 122 | 311 312;321 322 / 211 212;221 222 | 411 412;421 422 // 131 132;141 "
       "142 | 331 332;341 342 / 231 232;241 242 | 431 432;441 442 // 113 114;123 124 | 313 "
       "314;323 324 / 213 214;223 224 | 413 414;423 424 // 133 134;143 144 | 333 334;343 344 / "
       "233 234;243 244 | 433 434;443 444"},
      {"all_to_all", R"([{"d"}, {"b", "c"}, {"a"}])", 2,
       "111 112;211 212 | 311 312;411 412 / 121 122;221 222 | 321 322;421 422 // 131 132;231 "
       "232 | 331 332;431 432 / 141 142;241 242 | 341 342;441 442 // 113 114;213 214 | 313 "
       "314;413 414 / 123 124;223 224 | 323 324;423 424 // 133 134;233 234 | 333 334;433 434 / "
       "143 144;243 244 | 343 344;443 444"},
      {"all_gather", R"([{}, {"b", "c"}, {"a"}])", 4,
       "111 112;211 212;311 312;411 412 | 111 112;211 212;311 312;411 412 / 121 122;221 222;321 "
       "322;421 422 | 121 122;221 222;321 322;421 422 // 131 132;231 232;331 332;431 432 | 131 "
       "132;231 232;331 332;431 432 / 141 142;241 242;341 342;441 442 | 141 142;241 242;341 "
       "342;441 442 // 113 114;213 214;313 314;413 414 | 113 114;213 214;313 314;413 414 / 123 "
       "124;223 224;323 324;423 424 | 123 124;223 224;323 324;423 424 // 133 134;233 234;333 "
       "334;433 434 | 133 134;233 234;333 334;433 434 / 143 144;243 244;343 344;443 444 | 143 "
       "144;243 244;343 344;443 444"},
      {"all_to_all", R"([{"a"}, {"b", "c"}, {}])", 4, kD2Contents}}},
};

/// What stands between device `position - 1` and this one.
std::string_view separator(const core::Mesh &mesh, int64_t position) {
  int64_t last = mesh.axisSize(mesh.numAxes() - 1);
  if (position % last != 0)
    return " | ";
  bool isPlane = mesh.numAxes() > 2 && position % (last * mesh.axisSize(mesh.numAxes() - 2)) == 0;
  return isPlane ? " // " : " / ";
}

/// Elements of a device by name; large shards as a product of ranges, from 0.
std::string elementsText(const ReshardProblem &problem, const std::vector<int64_t> &elements) {
  bool isLarge = core::numElements(problem.shape) > 100;
  // One dimension of six elements is written as two rows of three.
  int64_t columns = problem.shape.size() > 1 ? problem.shape.back() : 3;
  if (isLarge) {
    return fmt::format("{}-{}x{}-{}", elements.front() / columns, elements.back() / columns,
                       elements.front() % columns, elements.back() % columns);
  }
  std::string text;
  int64_t row = -1;
  for (int64_t element : elements) {
    bool isNewRow = problem.shape.size() > 1 && element / columns != row;
    text += row < 0 ? "" : isNewRow ? ";" : " ";
    row = element / columns;
    std::string name;
    int64_t rest = element;
    for (size_t dim = problem.shape.size(); dim-- > 1;) {
      name = fmt::format("{}{}", rest % problem.shape[dim] + 1, name);
      rest /= problem.shape[dim];
    }
    text += problem.shape.size() > 1 ? fmt::format("{}{}", rest + 1, name)
                                     : fmt::format("{}{}", row + 1, element % columns + 1);
  }
  return text;
}

std::string stateText(const ReshardProblem &problem,
                      const std::vector<std::vector<int64_t>> &devices) {
  std::string text;
  for (int64_t device = 0; device < problem.mesh.numDevices(); ++device) {
    text += device == 0 ? "" : separator(problem.mesh, device);
    text += elementsText(problem, devices[device]);
  }
  return text;
}

void expectStates(const Example &example, Strategy strategy) {
  SCOPED_TRACE(fmt::format("{} {}", example.name, toString(strategy)));
  ReshardProblem problem = testing::problemOf(
      example.mesh, example.shape, example.states.front().sharding, example.states.back().sharding);
  PlanOptions options{.strategy = strategy, .jointAllToAll = JointAllToAll::AnyDims};
  options.localTranspose = true;
  ReshardPlan plan = testing::planVerified(problem, options);
  Result<void> onBoxes = verifyOnBoxes(problem, plan);
  EXPECT_TRUE(onBoxes.ok()) << (onBoxes ? "" : onBoxes.error().message);
  EXPECT_EQ(plan.lowerBoundBytes, example.bound);
  ASSERT_EQ(plan.steps.size() + 1, example.states.size()) << toString(plan, problem.mesh);
  auto contents = contentsOf(problem, plan);
  ASSERT_TRUE(contents.ok());
  int64_t received = 0;
  for (size_t i = 0; i < example.states.size(); ++i) {
    const State &state = example.states[i];
    EXPECT_EQ(stateText(problem, (*contents)[i]), state.contents) << "state " << i;
    if (i > 0) {
      const ReshardStep &step = plan.steps[i - 1];
      EXPECT_EQ(toString(step.collective.kind), state.step);
      EXPECT_EQ(core::toString(step.collective.after, problem.mesh), state.sharding);
      EXPECT_EQ(step.receivedBytes, state.receivedBytes);
      received += state.receivedBytes;
    }
  }
  EXPECT_EQ(plan.receivedBytes, received);
}

TEST(ExampleStatesTest, contentsAfterEveryStep) {
  for (const Example &example : kExamples)
    for (Strategy strategy : example.strategies)
      expectStates(example, strategy);
}

TEST(ExampleStatesTest, everyStrategyStartsAndEndsAlike) {
  for (const Example &example : kExamples) {
    ReshardProblem problem =
        testing::problemOf(example.mesh, example.shape, example.states.front().sharding,
                           example.states.back().sharding);
    for (const StrategyResult &result : compareStrategies(problem)) {
      if (!result.plan) {
        EXPECT_EQ(result.plan.error().kind, ErrorKind::Unsupported);
        continue;
      }
      SCOPED_TRACE(fmt::format("{} {}", example.name, toString(result.strategy)));
      auto contents = contentsOf(problem, *result.plan);
      ASSERT_TRUE(contents.ok());
      EXPECT_EQ(stateText(problem, contents->front()), example.states.front().contents);
      EXPECT_EQ(stateText(problem, contents->back()), example.states.back().contents);
      Result<void> verified = verifyPlan(problem, *result.plan);
      EXPECT_TRUE(verified.ok()) << (verified ? "" : verified.error().message);
    }
  }
}

} // namespace
} // namespace shardwise::planner
